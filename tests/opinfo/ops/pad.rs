//! Padding, one axis after the other.

use super::Entry;
use super::movement::on_last;
use crate::call::{Call, Outcome};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn with_constant(x: Tensor![.., n], m: usize, left: i64, value: f64) -> Tensor![.., m] {
    let place = iota(m) - left;
    let inside = (place >= 0) & (place < len(n));
    select(inside, at(x, n = select(inside, place, 0)), value)
}

#[tensor_op(tests = false)]
fn with_edges(x: Tensor![.., n], m: usize, left: i64) -> Tensor![.., m] {
    at(x, n = minimum(maximum(iota(m) - left, 0), len(n) - 1))
}

#[tensor_op(tests = false)]
fn with_reflection(x: Tensor![.., n], m: usize, left: i64) -> Tensor![.., m] {
    let last = len(n) - 1;
    at(x, n = last - abs(last - abs(iota(m) - left)))
}

#[tensor_op(tests = false)]
fn around(x: Tensor![.., n], m: usize, left: i64) -> Tensor![.., m] {
    at(x, n = (iota(m) - left + len(n)) % len(n))
}

/// The size of the axis after padding.
fn padded(x: &Tensor, axis: i64, (left, right): (i64, i64)) -> Result<i64> {
    Ok(x.shape()[x.shape().axis(axis)?] as i64 + left + right)
}

/// Pads with a constant. Negative padding cuts elements off. An axis without elements becomes constant.
pub(super) fn constant(x: &Tensor, axis: i64, size: (i64, i64), value: f64) -> Result<Tensor> {
    let m = padded(x, axis, size)?;
    let mut shape = x.shape();
    let place = shape.axis(axis)?;
    if size == (0, 0) {
        return Ok(x.clone());
    }
    if shape[place] == 0 {
        shape[place] = m.max(0) as usize;
        return Tensor::full(shape, value, &x.device());
    }
    on_last(x, axis, |x| with_constant(x, m.max(0) as usize, size.0, value))
}

/// Reads the pairs of a call, of which the last axis comes first, and pads.
fn pad(call: &Call, op: impl Fn(&Tensor, i64, (i64, i64)) -> Result<Tensor>) -> Outcome {
    let sizes = call.list(1, "pad")?.unwrap_or_default();
    let mut pairs = sizes.chunks(2).enumerate();
    let along = |x: Tensor, (at, pair): (usize, &[i64])| op(&x, -(at as i64) - 1, (pair[0], pair[1]));
    Ok(vec![pairs.try_fold(call.x()?, along)?])
}

fn indexed(call: &Call, op: fn(Tensor, usize, i64) -> Result<Tensor>) -> Outcome {
    pad(call, |x, axis, size| {
        let m = padded(x, axis, size)?.max(0) as usize;
        on_last(x, axis, |x| op(x, m, size.0))
    })
}

/// Elements that are cut off are not repeated.
fn circular(call: &Call) -> Outcome {
    pad(call, |x, axis, (left, right)| {
        let end = padded(x, axis, (0, right.min(0)))?;
        let x = x.slice(axis, (-left).max(0)..end)?;
        let (left, right) = (left.max(0), right.max(0));
        let m = padded(&x, axis, (left, right))? as usize;
        on_last(&x, axis, |x| around(x, m, left))
    })
}

/// `pad(sizes, mode, value)`, or `constant_pad_nd(sizes, value)`.
fn with_value(call: &Call, place: usize) -> Outcome {
    let value = call.number(place, "value")?.unwrap_or(0.0);
    pad(call, |x, axis, size| constant(x, axis, size, value))
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("constant_pad_nd", |call| with_value(call, 2)),
        Entry::new("nn.functional.pad circular", circular),
        Entry::new("nn.functional.pad constant", |call| with_value(call, 3)),
        Entry::new("nn.functional.pad reflect", |call| indexed(call, with_reflection)),
        Entry::new("nn.functional.pad replicate", |call| indexed(call, with_edges)),
        Entry::new("nn.functional.pad replicate_negative", |call| indexed(call, with_edges)),
    ]
}
