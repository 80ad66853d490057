//! Operations that only move elements: shapes, axes, parts, joins, casts.

use super::{Runtime, Tensor, check_dtype, error};
use crate::{Backend, DType, ErrorKind, Result, Shape};
use std::borrow::Borrow;
use std::ops::{Bound, RangeBounds};

/// Sizes for [`Tensor::reshape`]: shapes, and arrays, slices and vectors of integers, one of which may be -1.
pub trait Sizes {
    /// The sizes, as they were given.
    fn sizes(&self) -> Vec<i64>;
}

macro_rules! sizes {
    ($([$($generics:tt)*] $type:ty),+) => {$(
        impl<$($generics)*> Sizes for $type {
            fn sizes(&self) -> Vec<i64> {
                // No tensor can have a size beyond i64, so the size is replaced by one that is still too
                // large.
                self.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect()
            }
        }
    )+};
}
sizes!([const N: usize] [i32; N], [const N: usize] [i64; N], [const N: usize] [isize; N], [const N: usize] [usize; N]);
sizes!([] &[i32], [] &[i64], [] &[isize], [] &[usize], [] Vec<i64>, [] Vec<isize>, [] Vec<usize>, [] Shape, [] &Shape);

impl Tensor {
    /// The same elements, row-major, in another shape. One size may be -1: it is computed from the other
    /// sizes.
    pub fn reshape(&self, sizes: impl Sizes) -> Result<Tensor> {
        let shape = infer(&sizes.sizes(), &self.shape())?;
        Runtime::reshape(self.0.clone(), shape).map(Tensor).map_err(|error| error.with_op("reshape"))
    }

    /// The axes from `first` to `last` as one: `x.flatten(0, -1)` has one axis, also if `x` has none.
    pub fn flatten(&self, first: i64, last: i64) -> Result<Tensor> {
        let mut sizes = self.shape().to_vec();
        if sizes.is_empty() {
            return self.with_axis("flatten", first);
        }
        let [first, last] = [first, last].map(|axis| find_axis("flatten", &self.shape(), axis));
        let (first, last) = (first?, last?);
        if first > last {
            let message = format!("axis {first} is behind axis {last}; write the outer one first");
            return Err(error("flatten", ErrorKind::Rank, message));
        }
        let joined = sizes[first..=last].iter().product();
        sizes.splice(first..=last, [joined]);
        Runtime::reshape(self.0.clone(), sizes.into()).map(Tensor)
    }

    /// Reorders axes: axis `i` of the result is axis `axes[i]` of the tensor. Negative axes count from the
    /// end.
    pub fn permute(&self, axes: impl AsRef<[i64]>) -> Result<Tensor> {
        let shape = self.shape();
        let axes = axes.as_ref();
        let mut order = Vec::with_capacity(axes.len());
        for axis in axes {
            let axis = find_axis("permute", &shape, *axis)?;
            if order.contains(&axis) {
                return Err(error(
                    "permute",
                    ErrorKind::Rank,
                    format!("axis {axis} is repeated in {axes:?}"),
                ));
            }
            order.push(axis);
        }
        if order.len() != shape.rank() {
            let message = format!(
                "{} axes are listed, but shape {shape} has {}; list each once",
                order.len(),
                shape.rank()
            );
            return Err(error("permute", ErrorKind::Rank, message));
        }
        Runtime::permute(self.0.clone(), &order).map(Tensor)
    }

    /// Swaps two axes. Negative numbers count from the end.
    pub fn transpose(&self, first: i64, second: i64) -> Result<Tensor> {
        let shape = self.shape();
        let mut order: Vec<usize> = (0..shape.rank()).collect();
        order.swap(find_axis("transpose", &shape, first)?, find_axis("transpose", &shape, second)?);
        Runtime::permute(self.0.clone(), &order).map(Tensor)
    }

    /// A range of an axis: `x.slice(0, 1..3)`, `x.slice(-1, ..-1)`. Negative positions count from the end.
    pub fn slice(&self, axis: i64, range: impl RangeBounds<i64>) -> Result<Tensor> {
        self.slice_step(axis, range, 1)
    }

    /// Every `step`-th position of a range of an axis.
    pub fn slice_step(&self, axis: i64, range: impl RangeBounds<i64>, step: usize) -> Result<Tensor> {
        let shape = self.shape();
        let axis = find_axis("slice", &shape, axis)?;
        if step == 0 {
            return Err(error("slice", ErrorKind::Index, "the step is 0; write 1 or more"));
        }
        let mut ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (0, *size, 1)).collect();
        let (start, end) = places("slice", axis, shape[axis], &range)?;
        ranges[axis] = (start, end, step);
        Runtime::slice(self.0.clone(), &ranges).map(Tensor)
    }

    /// Repeats the tensor along axes of size 1 and along new leading axes, by NumPy's rule.
    pub fn broadcast_to(&self, shape: impl Into<Shape>) -> Result<Tensor> {
        self.broadcast("broadcast_to", shape.into())
    }

    pub(super) fn broadcast(&self, op: &'static str, to: Shape) -> Result<Tensor> {
        let from = self.shape();
        to.elements().map_err(|error| error.with_op(op))?;
        let lead = to.rank().saturating_sub(from.rank());
        let fits = lead + from.rank() == to.rank();
        if !fits || !from.iter().zip(&to[lead..]).all(|(from, to)| from == to || *from == 1) {
            let message = format!(
                "shape {from} does not broadcast to {to}: aligned at the end, sizes must be equal or 1"
            );
            return Err(error(op, ErrorKind::Shape, message));
        }
        let aligned = std::iter::repeat_n(1, lead).chain(from.iter().copied()).collect();
        Runtime::expand(Runtime::reshape(self.0.clone(), aligned)?, to).map(Tensor)
    }

    /// Removes an axis of size 1.
    pub fn squeeze(&self, axis: i64) -> Result<Tensor> {
        let shape = self.shape();
        let axis = find_axis("squeeze", &shape, axis)?;
        if shape[axis] != 1 {
            let message =
                format!("axis {axis} of shape {shape} has size {}; only size 1 can go", shape[axis]);
            return Err(error("squeeze", ErrorKind::Shape, message));
        }
        let mut sizes = shape.to_vec();
        sizes.remove(axis);
        Runtime::reshape(self.0.clone(), sizes.into()).map(Tensor)
    }

    /// Inserts an axis of size 1 before `axis`; -1 makes it the last axis.
    pub fn unsqueeze(&self, axis: i64) -> Result<Tensor> {
        self.with_axis("unsqueeze", axis)
    }

    /// Joins tensors along an axis. Their other sizes must agree.
    pub fn cat<T: Borrow<Tensor>>(tensors: &[T], axis: i64) -> Result<Tensor> {
        let Some(first) = tensors.first().map(Borrow::borrow) else { return Err(no_tensors("cat")) };
        let axis = find_axis("cat", &first.shape(), axis)?;
        let mut total = 0usize;
        for (index, tensor) in tensors.iter().map(Borrow::borrow).enumerate() {
            check_joins("cat", first, tensor, index, Some(axis))?;
            let sum = total.checked_add(tensor.shape()[axis]);
            total = sum.ok_or_else(|| error("cat", ErrorKind::Overflow, "the joined axis is too long"))?;
        }
        let mut shape = first.shape();
        shape[axis] = total;
        shape.elements().map_err(|error| error.with_op("cat"))?;
        let tensors = tensors.iter().map(|tensor| tensor.borrow().0.clone()).collect();
        Runtime::cat(tensors, axis).map(Tensor).map_err(|error| error.with_op("cat"))
    }

    /// Joins tensors of one shape along a new axis before `axis`; -1 makes it the last axis.
    pub fn stack<T: Borrow<Tensor>>(tensors: &[T], axis: i64) -> Result<Tensor> {
        let Some(first) = tensors.first().map(Borrow::borrow) else { return Err(no_tensors("stack")) };
        let mut parts = Vec::with_capacity(tensors.len());
        for (index, tensor) in tensors.iter().map(Borrow::borrow).enumerate() {
            check_joins("stack", first, tensor, index, None)?;
            parts.push(tensor.with_axis("stack", axis)?);
        }
        Tensor::cat(&parts, axis)
    }

    /// Converts the elements to another type. Float to int truncates and saturates, and NaN gives 0. To bool
    /// is `!= 0`.
    pub fn cast(&self, dtype: DType) -> Result<Tensor> {
        check_dtype("cast", dtype, &self.device())?;
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        Runtime::cast(self.0.clone(), dtype).map(Tensor).map_err(|error| error.with_op("cast"))
    }

    fn with_axis(&self, op: &str, axis: i64) -> Result<Tensor> {
        let shape = self.shape();
        let rank = shape.rank() as i64;
        let place = if axis < 0 { axis.saturating_add(rank + 1) } else { axis };
        if !(0..=rank).contains(&place) {
            let message =
                format!("axis {axis} is out of range for shape {shape}: write one of {}..={rank}", -rank - 1);
            return Err(error(op, ErrorKind::Rank, message));
        }
        let mut sizes = shape.to_vec();
        sizes.insert(place as usize, 1);
        Runtime::reshape(self.0.clone(), sizes.into()).map(Tensor)
    }
}

fn find_axis(op: &str, shape: &Shape, axis: i64) -> Result<usize> {
    shape.axis(axis).map_err(|error| error.with_op(op))
}

/// The shape for these sizes, one of which may be -1. It has as many elements as `from`.
fn infer(sizes: &[i64], from: &Shape) -> Result<Shape> {
    let wrong = |reason: String| {
        error("reshape", ErrorKind::Shape, format!("{from} can't become {sizes:?}: {reason}"))
    };
    if sizes.iter().any(|size| *size < -1) || sizes.iter().filter(|size| **size == -1).count() > 1 {
        return Err(wrong("sizes are 0 or more, and one of them may be -1".into()));
    }
    let given: Shape = sizes.iter().filter(|size| **size >= 0).map(|size| *size as usize).collect();
    let (given, wanted) = (given.elements().map_err(|error| error.with_op("reshape"))?, from.elements()?);
    let left = if sizes.contains(&-1) {
        let left = wanted.checked_div(given).filter(|left| left * given == wanted);
        left.ok_or_else(|| wrong(format!("no size in place of -1 gives {wanted} elements")))?
    } else if given == wanted {
        1
    } else {
        return Err(wrong(format!("{wanted} elements are not {given}")));
    };
    Ok(sizes.iter().map(|size| if *size == -1 { left } else { *size as usize }).collect())
}

/// A position of an axis. Negative numbers count from the end. An `Err` if there is no such position.
pub(super) fn place(op: &str, axis: usize, size: usize, written: i64) -> Result<usize> {
    let place = if written < 0 { written.saturating_add(size as i64) } else { written };
    if (0..size as i64).contains(&place) {
        return Ok(place as usize);
    }
    Err(out_of_range(op, axis, size, written))
}

/// The first position and the end of a range of an axis. Positions out of range are an error.
pub(super) fn places(
    op: &str,
    axis: usize,
    size: usize,
    range: &impl RangeBounds<i64>,
) -> Result<(usize, usize)> {
    let length = size as i64;
    let place = |written: i64, after: i64| {
        let place = if written < 0 { written.saturating_add(length) } else { written }.saturating_add(after);
        let is_in = (0..=length).contains(&place);
        is_in.then_some(place as usize).ok_or_else(|| out_of_range(op, axis, size, written))
    };
    let start = match range.start_bound() {
        Bound::Included(start) => place(*start, 0)?,
        Bound::Excluded(start) => place(*start, 1)?,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(end) => place(*end, 1)?,
        Bound::Excluded(end) => place(*end, 0)?,
        Bound::Unbounded => size,
    };
    if start <= end {
        return Ok((start, end));
    }
    let message = format!("the range from {start} to {end} of axis {axis} ends before it starts");
    Err(error(op, ErrorKind::Index, message))
}

fn out_of_range(op: &str, axis: usize, size: usize, written: i64) -> crate::Error {
    // The largest position stands for those that no i64 holds too.
    let or_more = if written == i64::MAX { " or more" } else { "" };
    error(op, ErrorKind::Index, format!("{written}{or_more} is out of range for axis {axis} of size {size}"))
}

fn no_tensors(op: &str) -> crate::Error {
    error(op, ErrorKind::Length, "no tensors to join; give at least one")
}

/// Checks that a tensor can be joined with the first one. Sizes may differ along `free`.
fn check_joins(op: &str, first: &Tensor, tensor: &Tensor, index: usize, free: Option<usize>) -> Result<()> {
    let (a, b) = (first.shape(), tensor.shape());
    let sizes_agree = (0..a.rank()).all(|axis| free == Some(axis) || a.get(axis) == b.get(axis));
    if a.rank() != b.rank() || !sizes_agree {
        let free = free.map_or("all sizes".into(), |axis| format!("sizes other than axis {axis}"));
        let message = format!("tensor {index} has shape {b}, tensor 0 has {a}; {free} must agree");
        return Err(error(op, ErrorKind::Shape, message));
    }
    if first.dtype() != tensor.dtype() {
        let message =
            format!("tensor {index} is {}, tensor 0 is {}; cast one of them", tensor.dtype(), first.dtype());
        return Err(error(op, ErrorKind::DType, message));
    }
    if first.device() != tensor.device() {
        let (here, there) = (tensor.device(), first.device());
        let message = format!("tensor {index} is on {here}, tensor 0 on {there}; move one of them with `to`");
        return Err(error(op, ErrorKind::Device, message));
    }
    Ok(())
}
