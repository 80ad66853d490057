//! `torch.masked`: ops of the elements where a mask is true. The others become an element that changes
//! nothing.

use super::Entry;
use super::along::{Along, within};
use crate::call::{Argument, Call, Outcome};
use tensor_op::Axes;
use tensor_op::catalogue::nn::{log_softmax, softmax, softmin};
use tensor_op::catalogue::{logic, math, norm, reduce};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn variance(x: Tensor, mask: BoolTensor, axis: Axis, correction: f64) -> Tensor {
    let count = sum(select(mask, 1.0, 0.0), axis);
    let centered = select(mask, x - sum(select(mask, x, 0.0), axis) / count, 0.0);
    sum(square(centered), axis) / (count - correction)
}

/// The mask in the shape of the input. Without a mask all elements count.
fn mask(call: &Call, name: &str, x: &Tensor) -> Outcome<Tensor> {
    match call.get(usize::MAX, name) {
        Argument::None => Ok(Tensor::ones(x.shape(), DType::Bool, &x.device())?),
        _ => Ok(call.bools(usize::MAX, name)?.broadcast_to(x.shape())?),
    }
}

/// The input, and this number where its mask is false.
fn filled(call: &Call, outside: f64) -> Outcome<Tensor> {
    let x = call.x()?;
    let mask = mask(call, "mask", &x)?;
    Ok(logic::masked_fill(x, logic::logical_not(mask), outside)?)
}

fn reduced(call: &Call, outside: f64, op: fn(Tensor, Axes) -> Result<Tensor>) -> Outcome {
    Ok(vec![Along::new(call, 1)?.over(&filled(call, outside)?, op)?])
}

/// PyTorch returns the indices for a masked float tensor as floats.
fn index(call: &Call, outside: f64, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    let x = filled(call, outside)?;
    Ok(vec![Along::new(call, 1)?.one(&x, op)?.cast(x.dtype())?])
}

fn mean(call: &Call) -> Outcome {
    let (x, along) = (call.x()?, Along::new(call, 1)?);
    let counts = mask(call, "mask", &x)?.cast(x.dtype())?;
    let total = along.over(&filled(call, 0.0)?, reduce::sum)?;
    Ok(vec![(total / along.over(&counts, reduce::sum)?)?])
}

fn norm(call: &Call) -> Outcome {
    let order = call.number(1, "ord")?.unwrap_or(2.0);
    let outside = if order == f64::NEG_INFINITY { f64::INFINITY } else { 0.0 };
    Ok(vec![Along::new(call, 2)?.over(&filled(call, outside)?, super::reduction::norm(order))?])
}

fn normalize(call: &Call) -> Outcome {
    let (order, axis) = (call.number(1, "ord")?.unwrap_or(2.0), call.int(2, "dim")?.unwrap_or(-1));
    let eps = call.number(3, "eps")?.unwrap_or(1e-12);
    Ok(vec![norm::normalize(filled(call, 0.0)?, order, axis, eps)?])
}

fn var(call: &Call) -> Outcome<Tensor> {
    let x = call.x()?;
    let mask = mask(call, "mask", &x)?;
    let unbiased = call.flag(2, "unbiased", true)?;
    let correction = call.number(usize::MAX, "correction")?.unwrap_or(f64::from(u8::from(unbiased)));
    let along = Along::new(call, 1)?.keeping(call.flag(3, "keepdim", false)?);
    let found = along.each(&[&x, &mask], |x, axis| Ok(vec![variance(&x[0], &x[1], axis, correction)?]))?;
    Ok(found[0].clone())
}

fn along(call: &Call, outside: f64, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    Ok(vec![within(&filled(call, outside)?, call.int(1, "dim")?.unwrap_or(-1), op)?])
}

fn logaddexp(call: &Call) -> Outcome {
    let (x, other) = (call.x()?, call.float(1, "other")?);
    let [x, other] = [(x, "input_mask"), (other, "other_mask")].map(|(x, name)| {
        let mask = mask(call, name, &x)?;
        Outcome::Ok(logic::masked_fill(x, logic::logical_not(mask), f64::NEG_INFINITY)?)
    });
    Ok(vec![math::logaddexp(x?, other?)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("masked.amax", |call| reduced(call, f64::NEG_INFINITY, reduce::amax)),
        Entry::new("masked.amin", |call| reduced(call, f64::INFINITY, reduce::amin)),
        Entry::new("masked.argmax", |call| index(call, f64::NEG_INFINITY, reduce::argmax)),
        Entry::new("masked.argmin", |call| index(call, f64::INFINITY, reduce::argmin)),
        Entry::new("masked.log_softmax", |call| along(call, f64::NEG_INFINITY, log_softmax)),
        Entry::new("masked.logaddexp", logaddexp),
        Entry::new("masked.logsumexp", |call| reduced(call, f64::NEG_INFINITY, reduce::logsumexp)),
        Entry::new("masked.mean", mean),
        Entry::new("masked.norm", norm),
        Entry::new("masked.normalize", normalize),
        Entry::new("masked.prod", |call| reduced(call, 1.0, reduce::prod)),
        Entry::new("masked.softmax", |call| along(call, f64::NEG_INFINITY, softmax)),
        Entry::new("masked.softmin", |call| along(call, f64::INFINITY, softmin)),
        Entry::new("masked.std", |call| Ok(vec![math::sqrt(var(call)?)?])),
        Entry::new("masked.sum", |call| reduced(call, 0.0, reduce::sum)),
        Entry::new("masked.var", |call| Ok(vec![var(call)?])),
    ]
}
