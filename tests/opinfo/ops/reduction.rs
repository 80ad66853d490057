//! Reductions: the ops reduce one axis, and [`Along`] finds it.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;

/// Declares reductions of an axis, and lists those that have `dim` and `keepdim` after the input.
macro_rules! reductions {
    ($($torch:literal fn $op:ident -> $out:ident { $body:expr } ($x:ident, $axis:ident))*) => {
        $(
            #[tensor_op(tests = false)]
            fn $op($x: Tensor, $axis: Axis) -> $out { $body }
        )*

        fn reductions() -> Vec<Entry> {
            vec![$(Entry::new($torch, |call| Ok(vec![Along::new(call, 1)?.one(&call.x()?, $op)?]))),*]
        }
    };
}

reductions! {
    "all" fn all -> BoolTensor { all(x != 0.0, axis) } (x, axis)
    "amax" fn amax -> Tensor { max(x, axis) } (x, axis)
    "amin" fn amin -> Tensor { min(x, axis) } (x, axis)
    "any" fn any -> BoolTensor { any(x != 0.0, axis) } (x, axis)
    "argmax" fn argmax -> IntTensor { argmax(x, axis) } (x, axis)
    "argmin" fn argmin -> IntTensor { argmin(x, axis) } (x, axis)
    "count_nonzero" fn count_nonzero -> IntTensor { sum(cast(x != 0.0, int), axis) } (x, axis)
    "logsumexp" fn logsumexp -> Tensor { logsumexp(x, axis) } (x, axis)
    "mean" fn mean -> Tensor { mean(x, axis) } (x, axis)
    "nansum" fn nansum -> Tensor { sum(select(is_nan(x), 0.0, x), axis) } (x, axis)
    "nanmean" fn nanmean -> Tensor {
        sum(select(is_nan(x), 0.0, x), axis) / sum(select(is_nan(x), 0.0, 1.0), axis)
    } (x, axis)
    "prod" fn prod -> Tensor { prod(x, axis) } (x, axis)
    "sum" fn sum -> Tensor { sum(x, axis) } (x, axis)
}

#[tensor_op(tests = false)]
fn both_ends(x: Tensor, axis: Axis) -> (Tensor, Tensor) {
    (min(x, axis), max(x, axis))
}

#[tensor_op(tests = false)]
fn largest(x: Tensor, axis: Axis) -> (Tensor, IntTensor) {
    (max(x, axis), argmax(x, axis))
}

#[tensor_op(tests = false)]
fn smallest(x: Tensor, axis: Axis) -> (Tensor, IntTensor) {
    (min(x, axis), argmin(x, axis))
}

#[tensor_op(tests = false)]
fn variance(x: Tensor, axis: Axis, correction: f64) -> Tensor {
    var(x, axis) * (cast(len(axis), float) / maximum(cast(len(axis), float) - correction, 0.0))
}

#[tensor_op(tests = false)]
fn deviation(x: Tensor, axis: Axis, correction: f64) -> Tensor {
    std(x, axis) * sqrt(cast(len(axis), float) / maximum(cast(len(axis), float) - correction, 0.0))
}

#[tensor_op(tests = false)]
fn variance_and_mean(x: Tensor, axis: Axis, correction: f64) -> (Tensor, Tensor) {
    (self::variance(x, axis, correction), mean(x, axis))
}

#[tensor_op(tests = false)]
fn deviation_and_mean(x: Tensor, axis: Axis, correction: f64) -> (Tensor, Tensor) {
    (self::deviation(x, axis, correction), mean(x, axis))
}

#[tensor_op(tests = false)]
fn count(x: Tensor, axis: Axis) -> Tensor {
    sum(select(x == 0.0, 0.0, 1.0), axis)
}

#[tensor_op(tests = false)]
fn largest_magnitude(x: Tensor, axis: Axis) -> Tensor {
    max(abs(x), axis)
}

#[tensor_op(tests = false)]
fn smallest_magnitude(x: Tensor, axis: Axis) -> Tensor {
    min(abs(x), axis)
}

#[tensor_op(tests = false)]
fn sum_of_magnitudes(x: Tensor, axis: Axis) -> Tensor {
    sum(abs(x), axis)
}

#[tensor_op(tests = false)]
fn euclidean(x: Tensor, axis: Axis) -> Tensor {
    norm(x, axis)
}

#[tensor_op(tests = false)]
fn power_norm(x: Tensor, axis: Axis, p: f64) -> Tensor {
    pow(sum(pow(abs(x), p), axis), 1.0 / p)
}

#[tensor_op(tests = false)]
fn trace(x: Tensor![m, n]) -> Tensor![] {
    sum(select(iota(m) == iota(n), x, 0.0), (m, n))
}

/// The norm of this order along an axis. Each order has its own op.
pub(super) fn norm(order: f64) -> impl Fn(Tensor, i64) -> Result<Tensor> {
    move |x, axis| match order {
        0.0 => count(x.detach(), axis),
        1.0 => sum_of_magnitudes(x, axis),
        2.0 => euclidean(x, axis),
        f64::INFINITY => largest_magnitude(x, axis),
        f64::NEG_INFINITY => smallest_magnitude(x, axis),
        p => power_norm(x, axis, p),
    }
}

/// `norm(p, dim, keepdim)` of vectors.
fn vector_norm(call: &Call) -> Outcome {
    let order = match call.get(1, "p") {
        Argument::Text(text) if text == "nuc" => {
            return Err(crate::call::Stop::Skip("needs a singular value decomposition"));
        }
        Argument::None | Argument::Text(_) => 2.0,
        _ => call.number(1, "p")?.unwrap_or(2.0),
    };
    Ok(vec![Along::new(call, 2)?.one(&call.x()?, norm(order))?])
}

fn linalg_vector_norm(call: &Call) -> Outcome {
    let order = call.number(1, "ord")?.unwrap_or(2.0);
    Ok(vec![Along::new(call, 2)?.one(&call.x()?, norm(order))?])
}

fn dist(call: &Call) -> Outcome {
    let difference = (call.x()? - call.float(1, "other")?)?;
    Ok(vec![Along::all().one(&difference, norm(call.number(2, "p")?.unwrap_or(2.0)))?])
}

type Spread = fn(Tensor, i64, f64) -> Result<Vec<Tensor>>;

/// `var(dim, unbiased, keepdim, correction)` and similar operators. `var(unbiased)` reduces all elements.
fn spread(call: &Call, op: Spread) -> Outcome {
    let overall = matches!(call.get(1, ""), Argument::Bool(_));
    let unbiased = if overall { call.flag(1, "", true)? } else { call.flag(2, "unbiased", true)? };
    let correction = call.number(usize::MAX, "correction")?.unwrap_or(f64::from(u8::from(unbiased)));
    let keep = call.flag(3, "keepdim", false)?;
    let along = if overall { Along::all() } else { Along::new(call, 1)?.keeping(keep) };
    along.each(&[&call.x()?], |x, axis| op(x[0].clone(), axis, correction))
}

fn var(call: &Call) -> Outcome {
    spread(call, |x, axis, correction| Ok(vec![variance(x, axis, correction)?]))
}

fn std(call: &Call) -> Outcome {
    spread(call, |x, axis, correction| Ok(vec![deviation(x, axis, correction)?]))
}

fn var_mean(call: &Call) -> Outcome {
    spread(call, |x, axis, correction| variance_and_mean(x, axis, correction).map(|(a, b)| vec![a, b]))
}

fn std_mean(call: &Call) -> Outcome {
    spread(call, |x, axis, correction| deviation_and_mean(x, axis, correction).map(|(a, b)| vec![a, b]))
}

fn with_index(call: &Call, op: fn(Tensor, i64) -> Result<(Tensor, Tensor)>) -> Outcome {
    Along::new(call, 1)?.each(&[&call.x()?], |x, axis| op(x[0].clone(), axis).map(|(a, b)| vec![a, b]))
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = reductions();
    table.extend([
        Entry::new("aminmax", |call| {
            let along = Along::new(call, 1)?;
            along.each(&[&call.x()?], |x, axis| both_ends(&x[0], axis).map(|(a, b)| vec![a, b]))
        }),
        Entry::new("dist", dist),
        Entry::new("linalg.vector_norm", linalg_vector_norm),
        Entry::new("max reduction_no_dim", |call| Ok(vec![Along::all().one(&call.x()?, amax)?])),
        Entry::new("max reduction_with_dim", |call| with_index(call, largest)),
        Entry::new("min reduction_no_dim", |call| Ok(vec![Along::all().one(&call.x()?, amin)?])),
        Entry::new("min reduction_with_dim", |call| with_index(call, smallest)),
        Entry::new("norm", vector_norm),
        Entry::new("norm fro", vector_norm),
        Entry::new("norm inf", vector_norm),
        Entry::new("norm nuc", vector_norm),
        Entry::new("std", std),
        Entry::new("std unbiased", std),
        Entry::new("std_mean", std_mean),
        Entry::new("std_mean unbiased", std_mean),
        Entry::new("trace", |call| Ok(vec![trace(call.x()?)?])),
        Entry::new("var", var),
        Entry::new("var unbiased", var),
        Entry::new("var_mean", var_mean),
        Entry::new("var_mean unbiased", var_mean),
    ]);
    table
}
