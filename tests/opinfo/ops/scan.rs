//! Scans along an axis.

use super::Entry;
use super::along::within;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::calculus::cumulative_trapezoid;
use tensor_op::catalogue::logic;
use tensor_op::catalogue::scan::{cummax, cummin, cumprod, cumsum, logcumsumexp};
use tensor_op::prelude::*;

/// The argument `dim`, which comes after the input.
fn axis(call: &Call) -> Outcome<i64> {
    call.int(1, "dim")?.ok_or_else(|| call.wrong("dim", "given"))
}

fn along(call: &Call, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    Ok(vec![within(&call.x()?, axis(call)?, op)?])
}

fn both(call: &Call, op: fn(Tensor, i64) -> Result<(Tensor, Tensor)>) -> Outcome {
    let (x, axis) = (call.x()?, axis(call)?);
    if x.rank() > 0 {
        let (values, indices) = op(x, axis)?;
        return Ok(vec![values, indices]);
    }
    let (values, indices) = op(x.reshape([1])?, 0)?;
    Ok(vec![values.reshape([0_i64; 0])?, indices.reshape([0_i64; 0])?])
}

/// A mask that is left out is true everywhere.
fn of_masked(call: &Call, outside: f64, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    let mut x = call.x()?;
    if call.optional(2, "mask")?.is_some() {
        x = logic::masked_fill(x, logic::logical_not(call.bools(2, "mask")?), outside)?;
    }
    Ok(vec![within(&x, axis(call)?, op)?])
}

fn areas(call: &Call) -> Outcome {
    let (x, dx) = (call.optional(1, "x")?, call.number(usize::MAX, "dx")?);
    Ok(vec![cumulative_trapezoid(call.x()?, x, dx, call.int(usize::MAX, "dim")?)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("cummax", |call| both(call, cummax)),
        Entry::new("cummin", |call| both(call, cummin)),
        Entry::new("cumprod", |call| along(call, cumprod)),
        Entry::new("cumsum", |call| along(call, cumsum)),
        Entry::new("cumulative_trapezoid", areas),
        Entry::new("logcumsumexp", |call| along(call, logcumsumexp)),
        Entry::new("masked.cumprod", |call| of_masked(call, 1.0, cumprod)),
        Entry::new("masked.cumsum", |call| of_masked(call, 0.0, cumsum)),
    ]
}
