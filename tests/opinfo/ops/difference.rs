//! Differences and integrals of neighbours.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::movement;
use tensor_op::prelude::*;

/// The area of the trapezoids between neighbours, which are `x` and `y`.
#[tensor_op(tests = false)]
fn area(x: Tensor![.., n], y: Tensor![.., n], width: Tensor![.., n]) -> Tensor![..] {
    sum(0.5 * (x + y) * width, n)
}

/// The slopes at the inner points, given the distances to both neighbours.
#[tensor_op(tests = false)]
fn inner_slope(
    before: Tensor![.., n],
    x: Tensor![.., n],
    after: Tensor![.., n],
    left: Tensor![n],
    right: Tensor![n],
) -> Tensor![.., n] {
    (square(left) * after + (square(right) - square(left)) * x - square(right) * before)
        / (left * right * (left + right))
}

#[tensor_op(tests = false)]
fn slope(x: Tensor, y: Tensor, width: f64) -> Tensor {
    (y - x) / width
}

/// The slope of a parabola through three points, at the first point. `near` is the distance to the second
/// point, and `far` the distance from there to the third.
#[tensor_op(tests = false)]
fn edge_slope(x: Tensor, y: Tensor, z: Tensor, near: f64, far: f64) -> Tensor {
    -(2.0 * near + far) / (near * (near + far)) * x + (near + far) / (near * far) * y
        - near / (far * (near + far)) * z
}

fn neighbours(x: &Tensor, axis: i64) -> Result<(Tensor, Tensor)> {
    Ok((x.slice(axis, ..x.shape()[x.shape().axis(axis)?] as i64 - 1)?, x.slice(axis, 1..)?))
}

/// `diff(n, dim, prepend, append)`.
fn diff(call: &Call) -> Outcome {
    let (times, axis) = (call.int(1, "n")?.map(|times| times as usize), call.int(2, "dim")?);
    let (before, behind) = (call.optional(3, "prepend")?, call.optional(4, "append")?);
    Ok(vec![movement::diff(call.x()?, times, axis, before, behind)?])
}

/// The widths are the distances between the points `x`, or `dx`.
fn trapezoid(call: &Call) -> Outcome {
    let (y, axis) = (call.x()?, call.int(usize::MAX, "dim")?.unwrap_or(-1));
    let (before, after) = neighbours(&y.transpose(axis, -1)?, -1)?;
    let width = match call.optional(1, "x")? {
        Some(x) => {
            let x = if x.rank() == 1 { x } else { x.broadcast_to(y.shape())?.transpose(axis, -1)? };
            let (before, after) = neighbours(&x, -1)?;
            (after - before)?
        }
        None => Tensor::full([1], call.number(usize::MAX, "dx")?.unwrap_or(1.0), &y.device())?,
    };
    let area = area(&before, after, width.broadcast_to(before.shape())?)?;
    // The last axis took the place of the axis that was removed.
    let rank = area.rank() as i64;
    let place = y.shape().axis(axis)? as i64;
    if place >= rank {
        return Ok(vec![area]);
    }
    let order: Vec<i64> = (0..place).chain(place + 1..rank).chain([place]).collect();
    Ok(vec![area.permute(&order)?])
}

/// The slope along an axis, for points at these positions.
fn gradient_along(x: &Tensor, axis: i64, places: &[f64], edge_order: i64) -> Result<Tensor> {
    let x = x.transpose(axis, -1)?;
    let n = places.len();
    let part = |from: usize, to: usize| x.slice(-1, from as i64..to as i64);
    let widths: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let tensor = |widths: &[f64]| Tensor::from_vec(widths.to_vec(), [n - 2], &x.device());
    let inner = inner_slope(
        part(0, n - 2)?,
        part(1, n - 1)?,
        part(2, n)?,
        tensor(&widths[..n - 2])?,
        tensor(&widths[1..])?,
    )?;
    let edges = if edge_order == 1 {
        [
            slope(part(0, 1)?, part(1, 2)?, widths[0])?,
            slope(part(n - 2, n - 1)?, part(n - 1, n)?, widths[n - 2])?,
        ]
    } else {
        let last = edge_slope(
            part(n - 1, n)?,
            part(n - 2, n - 1)?,
            part(n - 3, n - 2)?,
            -widths[n - 2],
            -widths[n - 3],
        )?;
        [edge_slope(part(0, 1)?, part(1, 2)?, part(2, 3)?, widths[0], widths[1])?, last]
    };
    let [first, last] = edges;
    Tensor::cat(&[first, inner, last], -1)?.transpose(axis, -1)
}

/// `gradient(spacing, dim, edge_order)`: a distance or positions for each axis.
fn gradient(call: &Call) -> Outcome {
    let (x, order) = (call.x()?, call.int(usize::MAX, "edge_order")?.unwrap_or(1));
    let axes = call.list(usize::MAX, "dim")?.unwrap_or_else(|| (0..x.rank() as i64).collect());
    let places = |at: usize, size: usize| {
        let even = |width: f64| (0..size).map(|i| i as f64 * width).collect::<Vec<f64>>();
        let spacing = match call.get(usize::MAX, "spacing") {
            Argument::List(list) => list.get(at).unwrap_or(&Argument::None),
            one => one,
        };
        match spacing {
            Argument::None => Ok(even(1.0)),
            Argument::Float(width) => Ok(even(*width)),
            Argument::Int(width) => Ok(even(*width as f64)),
            Argument::Tensor(places) => Outcome::Ok(places.to_vec::<f64>()?),
            _ => Err(call.wrong("spacing", "distances or places")),
        }
    };
    let along = |(at, axis): (usize, &i64)| {
        Ok(gradient_along(&x, *axis, &places(at, x.shape()[x.shape().axis(*axis)?])?, order)?)
    };
    axes.iter().enumerate().map(along).collect()
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("diff", diff),
        Entry::new("gradient", gradient),
        Entry::new("trapezoid", trapezoid),
        Entry::new("trapz", trapezoid),
    ]
}
