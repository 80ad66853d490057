//! Integrals and slopes of a function that is known at points along an axis. Names and arguments are
//! PyTorch's. Differences of neighbours are [`movement::diff`](super::movement::diff()).
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let y = Tensor::from([0.0, 1.0, 4.0, 9.0]);
//! assert_eq!(y.trapezoid(None, None, None)?.item::<f64>()?, 9.5);
//! assert_eq!(y.gradient(None, None, None)?[0].to_vec::<f64>()?, [1.0, 2.0, 4.0, 5.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::along::{axis, with_axis};
use crate::{Axes, Error, ErrorKind, IntoAxes, IntoFloat, IntoOptionalTensor, IntoTensor, Result, Tensor};
use crate::{catalogue::reduce, tensor_op};

/// The integral of `y` along an axis: the sum of the trapezoids between neighbours. `x` has the points where
/// `y` is known: one axis, or the axes of `y` to which it broadcasts. Without it they lie `dx` apart. `None`
/// stands for 1, and for the last axis. Without points the integral is 0. `torch.trapezoid`.
///
/// # Errors
///
/// An axis out of range, points that do not broadcast, and both `x` and `dx`.
pub fn trapezoid(
    y: impl IntoTensor,
    x: impl IntoOptionalTensor,
    dx: impl IntoFloat<Option<f64>>,
    dim: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (y, x, dx) = (y.into_tensor()?, x.into_optional_tensor()?, dx.into_float());
    let area = || -> Result<Tensor> {
        let dim = dim.into().unwrap_or(-1);
        let axis = axis(&y, dim)?;
        if y.shape()[axis] == 0 {
            return reduce::sum(y, dim);
        }
        trapezoid_last(behind(&y, axis)?, points(&y, x, dx, axis)?, dx)
    };
    area().map_err(|error| error.renamed("trapezoid"))
}

/// The integrals of `y` along an axis from the first point to each of the others, so there is one less than
/// points. Arguments are those of [`trapezoid`]. `torch.cumulative_trapezoid`.
///
/// ```
/// use tensor_op::catalogue::calculus::cumulative_trapezoid;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (y, x) = (Tensor::from([1.0, 3.0, 5.0]), Tensor::from([0.0, 1.0, 3.0]));
/// assert_eq!(cumulative_trapezoid(&y, &x, None, None)?.to_vec::<f64>()?, [2.0, 10.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis out of range or without points, points that do not broadcast, and both `x` and `dx`.
pub fn cumulative_trapezoid(
    y: impl IntoTensor,
    x: impl IntoOptionalTensor,
    dx: impl IntoFloat<Option<f64>>,
    dim: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (y, x, dx) = (y.into_tensor()?, x.into_optional_tensor()?, dx.into_float());
    let areas = || -> Result<Tensor> {
        let axis = axis(&y, dim.into().unwrap_or(-1))?;
        let found = cumulative_trapezoid_last(behind(&y, axis)?, points(&y, x, dx, axis)?, dx)?;
        ahead(&found, axis)
    };
    areas().map_err(|error| error.renamed("cumulative_trapezoid"))
}

/// Where a function is known along the axes of [`gradient`]. PyTorch's argument `spacing`.
#[derive(Clone, Copy, Debug)]
pub enum Spacing<'a> {
    /// One distance between neighbours along all axes.
    Even(f64),
    /// A distance for each axis.
    EvenEach(&'a [f64]),
    /// The points along each axis, as tensors of one axis.
    Points(&'a [Tensor]),
}

/// The slopes along each of these axes: inside those of the parabolas through neighbours, at both ends those
/// of the lines to the neighbour, or with an `edge_order` of 2 those of the last parabola. `None` stands for
/// points 1 apart, all axes and 1. `torch.gradient`.
///
/// ```
/// use tensor_op::catalogue::calculus::{Spacing, gradient};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let y = Tensor::from([0.0, 1.0, 4.0, 16.0]);
/// let points = [Tensor::from([0.0, 1.0, 2.0, 4.0])];
/// let slopes = gradient(&y, Spacing::Points(&points), None, 2)?;
/// assert_eq!(slopes[0].to_vec::<f64>()?, [0.0, 2.0, 4.0, 8.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis out of range, or with less than `edge_order + 1` points; another number of distances or tensors of
/// points than axes; and an `edge_order` that is neither 1 nor 2.
pub fn gradient<'a>(
    input: impl IntoTensor,
    spacing: impl Into<Option<Spacing<'a>>>,
    dim: impl IntoAxes<Option<Axes>>,
    edge_order: impl Into<Option<usize>>,
) -> Result<Vec<Tensor>> {
    let input = input.into_tensor()?;
    let (spacing, order) = (spacing.into().unwrap_or(Spacing::Even(1.0)), edge_order.into().unwrap_or(1));
    let slopes = || -> Result<Vec<Tensor>> {
        let wrong = |arg, message: String| Error::new(ErrorKind::Length, message).with_arg(arg);
        if !(1..=2).contains(&order) {
            return Err(wrong("edge_order", format!("is {order}: write 1 or 2")));
        }
        let numbers = dim.into_axes().and_then(Axes::numbers);
        let axes = numbers.unwrap_or_else(|| (0..input.rank() as i64).collect());
        let given = match spacing {
            Spacing::Even(_) => axes.len(),
            Spacing::EvenEach(widths) => widths.len(),
            Spacing::Points(points) => points.len(),
        };
        if given != axes.len() {
            let message = format!("has {given} parts for {} axes: give one for each", axes.len());
            return Err(wrong("spacing", message));
        }
        let along = |(at, dim): (usize, &i64)| -> Result<Tensor> {
            let axis = axis(&input, *dim)?;
            if input.shape()[axis] <= order {
                let message = format!("has {} points along axis {axis}", input.shape()[axis]);
                return Err(wrong("input", format!("{message}, and {} are wanted", order + 1)));
            }
            let (points, width) = match spacing {
                Spacing::Even(width) => (None, width),
                Spacing::EvenEach(widths) => (None, widths[at]),
                Spacing::Points(points) => (Some(&points[at]), 1.0),
            };
            let y = input.transpose(axis as i64, -1)?;
            let slopes = if order == 1 {
                gradient_last(y, points.cloned(), width)
            } else {
                smooth_gradient_last(y, points.cloned(), width)
            };
            slopes?.transpose(axis as i64, -1)
        };
        axes.iter().enumerate().map(along).collect()
    };
    slopes().map_err(|error| error.renamed("gradient"))
}

impl Tensor {
    /// [`trapezoid`] of this tensor.
    pub fn trapezoid(
        &self,
        x: impl IntoOptionalTensor,
        dx: impl IntoFloat<Option<f64>>,
        dim: impl Into<Option<i64>>,
    ) -> Result<Tensor> {
        trapezoid(self, x, dx, dim)
    }

    /// [`gradient`] of this tensor.
    pub fn gradient<'a>(
        &self,
        spacing: impl Into<Option<Spacing<'a>>>,
        dim: impl IntoAxes<Option<Axes>>,
        edge_order: impl Into<Option<usize>>,
    ) -> Result<Vec<Tensor>> {
        gradient(self, spacing, dim, edge_order)
    }
}

/// The points of `y`, with the axis behind the others. Points of one axis are those of all rows.
fn points(y: &Tensor, x: Option<Tensor>, dx: Option<f64>, axis: usize) -> Result<Option<Tensor>> {
    let Some(x) = x else { return Ok(None) };
    if dx.is_some() {
        let message = "is given beside `x`: pass one".to_string();
        return Err(Error::new(ErrorKind::Unsupported, message).with_arg("dx"));
    }
    let x = with_axis(&x)?;
    if x.rank() == 1 {
        return Ok(Some(x));
    }
    let x = x.broadcast_to(y.shape()).map_err(|error| error.with_arg("x"))?;
    behind(&x, axis).map(Some)
}

/// Moves an axis behind the others.
fn behind(x: &Tensor, axis: usize) -> Result<Tensor> {
    let mut order: Vec<i64> = (0..x.rank() as i64).filter(|other| *other != axis as i64).collect();
    order.push(axis as i64);
    x.permute(order)
}

/// Moves the last axis to this place.
fn ahead(x: &Tensor, axis: usize) -> Result<Tensor> {
    let mut order: Vec<i64> = (0..x.rank() as i64 - 1).collect();
    order.insert(axis, x.rank() as i64 - 1);
    x.permute(order)
}

/// The areas of the trapezoids between neighbours.
#[tensor_op]
pub(crate) fn trapezoid_areas(
    y: Tensor![.., n],
    x: Option<Tensor![.., n]>,
    #[default(1.0)] dx: f64,
) -> Tensor![.., l = n - 1] {
    let height = (at(y, n = l) + at(y, n = l + 1)) / 2.0;
    let points = x.unwrap_or(y);
    if x.is_some() { height * (at(points, n = l + 1) - at(points, n = l)) } else { height * dx }
}

/// Their sum.
#[tensor_op]
pub(crate) fn trapezoid_last(
    y: Tensor![.., n],
    x: Option<Tensor![.., n]>,
    #[default(1.0)] dx: f64,
) -> Tensor![..] {
    sum(self::trapezoid_areas(y, x, dx, l = iota(l = len(n) - 1)), l)
}

/// Their sums up to each of them.
#[tensor_op]
pub(crate) fn cumulative_trapezoid_last(
    y: Tensor![.., n],
    x: Option<Tensor![.., n]>,
    #[default(1.0)] dx: f64,
) -> Tensor![.., l = n - 1] {
    cumsum(self::trapezoid_areas(y, x, dx), l)
}

/// The slopes along the last axis, at the ends those of lines.
#[tensor_op]
pub(crate) fn gradient_last(input: Tensor![.., n], points: Option<Tensor![n]>, width: f64) -> Tensor![.., n] {
    let place = points.unwrap_or(cast(iota(n), float));
    let before = at(input, n = clamp(n - 1));
    let after = at(input, n = clamp(n + 1));
    let to_left = place - at(place, n = clamp(n - 1));
    let to_right = at(place, n = clamp(n + 1)) - place;
    let is_end = iota(n) == 0 || iota(n) == len(n) - 1;
    // At the ends one of the distances is 0.
    let l = select(is_end, 1.0, to_left);
    let r = select(is_end, 1.0, to_right);
    let inner = (l * l * after + (r * r - l * l) * input - r * r * before) / (l * r * (l + r));
    select(is_end, (after - before) / (to_left + to_right), inner) / width
}

/// The slopes along the last axis: those of the parabolas through the nearest three points. With fewer
/// than three points the result is meaningless.
#[tensor_op]
pub(crate) fn smooth_gradient_last(
    input: Tensor![.., n],
    points: Option<Tensor![n]>,
    width: f64,
) -> Tensor![.., n] {
    let place = points.unwrap_or(cast(iota(n), float));
    let is_first = iota(n) == 0;
    let is_last = iota(n) == len(n) - 1;
    // The three points around each one, and at the ends the three first and last ones.
    let left = select(is_last, at(place, n = clamp(n - 2)), at(place, n = clamp(n - 1)));
    let right = select(is_first, at(place, n = clamp(n + 2)), at(place, n = clamp(n + 1)));
    let first = select(is_first, place, left);
    let middle =
        select(is_first, at(place, n = clamp(n + 1)), select(is_last, at(place, n = clamp(n - 1)), place));
    let last = select(is_last, place, right);
    let before = select(is_last, at(input, n = clamp(n - 2)), at(input, n = clamp(n - 1)));
    let after = select(is_first, at(input, n = clamp(n + 2)), at(input, n = clamp(n + 1)));
    let a = select(is_first, input, before);
    let b =
        select(is_first, at(input, n = clamp(n + 1)), select(is_last, at(input, n = clamp(n - 1)), input));
    let c = select(is_last, input, after);
    let l = middle - first;
    let r = last - middle;
    let u = 2.0 * (place - middle);
    let slope = a * ((u - r) / (l * (l + r))) - b * ((u + l - r) / (l * r)) + c * ((u + l) / (r * (l + r)));
    slope / width
}
