//! `torch.masked`: reductions of the elements where a mask is true.

use super::Entry;
use super::along::{Along, within};
use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;

/// Declares reductions of an axis of `x` where `mask` is true.
macro_rules! masked {
    ($($torch:literal fn $op:ident { $body:expr } ($x:ident, $mask:ident, $axis:ident))*) => {
        $(
            #[tensor_op(tests = false)]
            fn $op($x: Tensor, $mask: BoolTensor, $axis: Axis) -> Tensor { $body }
        )*

        fn masked() -> Vec<Entry> {
            vec![$(Entry::new($torch, |call| reduced(call, 1, $op))),*]
        }
    };
}

masked! {
    "masked.amax" fn amax { max(select(mask, x, -INFINITY), axis) } (x, mask, axis)
    "masked.amin" fn amin { min(select(mask, x, INFINITY), axis) } (x, mask, axis)
    "masked.logsumexp" fn logsumexp { logsumexp(select(mask, x, -INFINITY), axis) } (x, mask, axis)
    "masked.mean" fn mean { sum(select(mask, x, 0.0), axis) / sum(select(mask, 1.0, 0.0), axis) } (x, mask, axis)
    "masked.prod" fn prod { prod(select(mask, x, 1.0), axis) } (x, mask, axis)
    "masked.sum" fn sum { sum(select(mask, x, 0.0), axis) } (x, mask, axis)
}

#[tensor_op(tests = false)]
fn argmax(x: Tensor, mask: BoolTensor, axis: Axis) -> IntTensor {
    argmax(select(mask, x, -INFINITY), axis)
}

#[tensor_op(tests = false)]
fn argmin(x: Tensor, mask: BoolTensor, axis: Axis) -> IntTensor {
    argmin(select(mask, x, INFINITY), axis)
}

#[tensor_op(tests = false)]
fn variance(x: Tensor, mask: BoolTensor, axis: Axis, correction: f64) -> Tensor {
    let count = sum(select(mask, 1.0, 0.0), axis);
    let centered = select(mask, x - sum(select(mask, x, 0.0), axis) / count, 0.0);
    sum(square(centered), axis) / (count - correction)
}

#[tensor_op(tests = false)]
fn deviation(x: Tensor, mask: BoolTensor, axis: Axis, correction: f64) -> Tensor {
    sqrt(self::variance(x, mask, axis, correction))
}

#[tensor_op(tests = false)]
fn kept(x: Tensor, mask: BoolTensor, other: f64) -> Tensor {
    select(mask, x, other)
}

#[tensor_op(tests = false)]
fn masked_softmax(x: Tensor, mask: BoolTensor, axis: Axis) -> Tensor {
    softmax(select(mask, x, -INFINITY), axis)
}

#[tensor_op(tests = false)]
fn masked_log_softmax(x: Tensor, mask: BoolTensor, axis: Axis) -> Tensor {
    log_softmax(select(mask, x, -INFINITY), axis)
}

#[tensor_op(tests = false)]
fn masked_softmin(x: Tensor, mask: BoolTensor, axis: Axis) -> Tensor {
    softmax(select(mask, -x, -INFINITY), axis)
}

#[tensor_op(tests = false)]
fn masked_logaddexp(x: Tensor, other: Tensor, x_mask: BoolTensor, other_mask: BoolTensor) -> Tensor {
    logaddexp(select(x_mask, x, -INFINITY), select(other_mask, other, -INFINITY))
}

#[tensor_op(tests = false)]
fn divided(x: Tensor, length: Tensor, eps: f64) -> Tensor {
    x / maximum(length, eps)
}

/// The mask in the shape of the input. Without a mask all elements count.
fn mask(call: &Call, name: &str, x: &Tensor) -> Outcome<Tensor> {
    match call.get(usize::MAX, name) {
        Argument::None => Ok(Tensor::ones(x.shape(), DType::Bool, &x.device())?),
        _ => Ok(call.bools(usize::MAX, name)?.broadcast_to(x.shape())?),
    }
}

fn reduced(call: &Call, place: usize, op: fn(Tensor, Tensor, i64) -> Result<Tensor>) -> Outcome {
    let x = call.x()?;
    let mask = mask(call, "mask", &x)?;
    Along::new(call, place)?.each(&[&x, &mask], |x, axis| Ok(vec![op(x[0].clone(), x[1].clone(), axis)?]))
}

/// PyTorch returns the indices for a masked float tensor as floats.
fn index(call: &Call, op: fn(Tensor, Tensor, i64) -> Result<Tensor>) -> Outcome {
    Ok(vec![reduced(call, 1, op)?[0].cast(call.x()?.dtype())?])
}

fn norm(call: &Call) -> Outcome {
    let (x, order) = (call.x()?, call.number(1, "ord")?.unwrap_or(2.0));
    let other = if order == f64::NEG_INFINITY { f64::INFINITY } else { 0.0 };
    let x = kept(&x, mask(call, "mask", &x)?, other)?;
    Ok(vec![Along::new(call, 2)?.one(&x, super::reduction::norm(order))?])
}

fn normalize(call: &Call) -> Outcome {
    let (x, order) = (call.x()?, call.number(1, "ord")?.unwrap_or(2.0));
    let (axis, eps) = (call.int(2, "dim")?.unwrap_or(-1), call.number(3, "eps")?.unwrap_or(1e-12));
    let x = kept(&x, mask(call, "mask", &x)?, 0.0)?;
    let length = Along::axis(axis, true).one(&x, super::reduction::norm(order))?;
    Ok(vec![divided(x, length, eps)?])
}

fn spread(call: &Call, op: fn(Tensor, Tensor, i64, f64) -> Result<Tensor>) -> Outcome {
    let x = call.x()?;
    let mask = mask(call, "mask", &x)?;
    let unbiased = call.flag(2, "unbiased", true)?;
    let correction = call.number(usize::MAX, "correction")?.unwrap_or(f64::from(u8::from(unbiased)));
    let along = Along::new(call, 1)?.keeping(call.flag(3, "keepdim", false)?);
    along.each(&[&x, &mask], |x, axis| Ok(vec![op(x[0].clone(), x[1].clone(), axis, correction)?]))
}

fn along(call: &Call, op: fn(Tensor, Tensor, i64) -> Result<Tensor>) -> Outcome {
    let x = call.x()?;
    let (mask, axis) = (mask(call, "mask", &x)?, call.int(1, "dim")?.unwrap_or(-1));
    let with_mask = |x: Tensor, axis| {
        let mask = mask.reshape(x.shape())?;
        op(x, mask, axis)
    };
    Ok(vec![within(&x, axis, with_mask)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = masked();
    table.extend([
        Entry::new("masked.argmax", |call| index(call, argmax)),
        Entry::new("masked.argmin", |call| index(call, argmin)),
        Entry::new("masked.log_softmax", |call| along(call, masked_log_softmax)),
        Entry::new("masked.logaddexp", |call| {
            let (x, other) = (call.x()?, call.float(1, "other")?);
            let masks = (mask(call, "input_mask", &x)?, mask(call, "other_mask", &other)?);
            Ok(vec![masked_logaddexp(x, other, masks.0, masks.1)?])
        }),
        Entry::new("masked.norm", norm),
        Entry::new("masked.normalize", normalize),
        Entry::new("masked.softmax", |call| along(call, masked_softmax)),
        Entry::new("masked.softmin", |call| along(call, masked_softmin)),
        Entry::new("masked.std", |call| spread(call, deviation)),
        Entry::new("masked.var", |call| spread(call, variance)),
    ]);
    table
}
