//! Reductions. [`Along`] reads the axes of a call.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome};
use tensor_op::Axes;
use tensor_op::catalogue::reduce;
use tensor_op::linalg::{MatrixNorm, matrix_norm};
use tensor_op::prelude::*;

/// Lists reductions of the catalogue that have `dim` and `keepdim` after the input.
macro_rules! reductions {
    ($($torch:literal $op:ident)*) => {
        [$(Entry::new($torch, |call| Ok(vec![Along::new(call, 1)?.over(&call.x()?, reduce::$op)?]))),*]
    };
}

/// The norm of this order.
pub(super) fn norm(order: f64) -> impl Fn(Tensor, Axes) -> Result<Tensor> {
    move |x, axes| reduce::vector_norm(x, order, axes)
}

/// `norm(p, dim, keepdim)` of vectors.
fn vector_norm(call: &Call) -> Outcome {
    let order = match call.get(1, "p") {
        Argument::None | Argument::Text(_) => 2.0,
        _ => call.number(1, "p")?.unwrap_or(2.0),
    };
    Ok(vec![Along::new(call, 2)?.over(&call.x()?, norm(order))?])
}

fn linalg_vector_norm(call: &Call) -> Outcome {
    let order = call.number(1, "ord")?.unwrap_or(2.0);
    Ok(vec![Along::new(call, 2)?.over(&call.x()?, norm(order))?])
}

fn dist(call: &Call) -> Outcome {
    Ok(vec![reduce::dist(call.x()?, call.float(1, "other")?, call.number(2, "p")?)?])
}

type Spread = fn(Tensor, Axes, f64) -> Result<Vec<Tensor>>;

/// `var(dim, unbiased, keepdim, correction)` and similar operators. `var(unbiased)` reduces all elements.
fn spread(call: &Call, op: Spread) -> Outcome {
    let overall = matches!(call.get(1, ""), Argument::Bool(_));
    let unbiased = if overall { call.flag(1, "", true)? } else { call.flag(2, "unbiased", true)? };
    let correction = call.number(usize::MAX, "correction")?.unwrap_or(f64::from(u8::from(unbiased)));
    let keep = call.flag(3, "keepdim", false)?;
    let along = if overall { Along::all() } else { Along::new(call, 1)?.keeping(keep) };
    along.over_each(&call.x()?, |x, axes| op(x, axes, correction))
}

fn var(call: &Call) -> Outcome {
    spread(call, |x, axes, correction| Ok(vec![reduce::var(x, axes, correction)?]))
}

fn std(call: &Call) -> Outcome {
    spread(call, |x, axes, correction| Ok(vec![reduce::std(x, axes, correction)?]))
}

fn var_mean(call: &Call) -> Outcome {
    spread(call, |x, axes, correction| reduce::var_mean(x, axes, correction).map(|(a, b)| vec![a, b]))
}

fn std_mean(call: &Call) -> Outcome {
    spread(call, |x, axes, correction| reduce::std_mean(x, axes, correction).map(|(a, b)| vec![a, b]))
}

/// An extreme, and where it is.
fn with_index(
    call: &Call,
    extreme: fn(Tensor, i64) -> Result<Tensor>,
    index: fn(Tensor, i64) -> Result<Tensor>,
) -> Outcome {
    let (along, x) = (Along::new(call, 1)?, call.x()?);
    Ok(vec![along.one(&x, extreme)?, along.one(&x, index)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = Vec::from(reductions! {
        "amax" amax
        "amin" amin
        "count_nonzero" count_nonzero
        "logsumexp" logsumexp
        "mean" mean
        "nanmean" nanmean
        "nansum" nansum
        "prod" prod
        "sum" sum
    });
    table.extend([
        Entry::new("all", |call| Ok(vec![Along::new(call, 1)?.over(&call.bools(0, "input")?, reduce::all)?])),
        Entry::new("aminmax", |call| {
            let ends = |x, axes| reduce::aminmax(x, axes).map(|(a, b)| vec![a, b]);
            Along::new(call, 1)?.over_each(&call.x()?, ends)
        }),
        Entry::new("any", |call| Ok(vec![Along::new(call, 1)?.over(&call.bools(0, "input")?, reduce::any)?])),
        Entry::new("argmax", |call| Ok(vec![Along::new(call, 1)?.one(&call.x()?, reduce::argmax)?])),
        Entry::new("argmin", |call| Ok(vec![Along::new(call, 1)?.one(&call.x()?, reduce::argmin)?])),
        Entry::new("dist", dist),
        Entry::new("linalg.vector_norm", linalg_vector_norm),
        Entry::new("max reduction_no_dim", |call| Ok(vec![reduce::amax(call.x()?, ..)?])),
        Entry::new("max reduction_with_dim", |call| with_index(call, reduce::amax, reduce::argmax)),
        Entry::new("min reduction_no_dim", |call| Ok(vec![reduce::amin(call.x()?, ..)?])),
        Entry::new("min reduction_with_dim", |call| with_index(call, reduce::amin, reduce::argmin)),
        Entry::new("norm", vector_norm),
        Entry::new("norm fro", vector_norm),
        Entry::new("norm inf", vector_norm),
        Entry::new("norm nuc", |call| Ok(vec![matrix_norm(call.x()?, MatrixNorm::Nuclear)?])),
        Entry::new("std", std),
        Entry::new("std unbiased", std),
        Entry::new("std_mean", std_mean),
        Entry::new("std_mean unbiased", std_mean),
        Entry::new("trace", |call| Ok(vec![reduce::trace(call.x()?)?])),
        Entry::new("var", var),
        Entry::new("var unbiased", var),
        Entry::new("var_mean", var_mean),
        Entry::new("var_mean unbiased", var_mean),
    ]);
    table
}
