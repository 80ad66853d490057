//! Elementwise functions of several tensors that are broadcast.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::arith::RoundingMode;
use tensor_op::catalogue::{arith, bits, compare, logic, math, special};
use tensor_op::prelude::*;

super::known! {
    "addcdiv" math::addcdiv(x: Tensor, tensor1: Tensor, tensor2: Tensor, value: f64 = 1.0)
    "addcmul" math::addcmul(x: Tensor, tensor1: Tensor, tensor2: Tensor, value: f64 = 1.0)
    "atan2" math::atan2(x: Tensor, other: Tensor)
    "clamp_max" math::minimum(x: Tensor, max: Tensor)
    "clamp_min" math::maximum(x: Tensor, min: Tensor)
    "copysign" math::copysign(x: Tensor, other: Tensor)
    "div no_rounding_mode" arith::div(x: Tensor, other: Tensor)
    "eq" compare::eq(x: Tensor, other: Tensor)
    "float_power" math::float_power(x: Tensor, exponent: Tensor)
    "floor_divide" bits::floor_div(x: Tensor, other: Tensor)
    "fmax" math::fmax(x: Tensor, other: Tensor)
    "fmin" math::fmin(x: Tensor, other: Tensor)
    "fmod" math::fmod(x: Tensor, other: Tensor)
    "ge" compare::ge(x: Tensor, other: Tensor)
    "gt" compare::gt(x: Tensor, other: Tensor)
    "heaviside" logic::heaviside(x: Tensor, values: Tensor)
    "hypot" math::hypot(x: Tensor, other: Tensor)
    "isclose" logic::isclose(x: Tensor, other: Tensor, rtol: f64 = 1e-5, atol: f64 = 1e-8, equal_nan: bool = false)
    "ldexp" math::ldexp(x: Tensor, other: Tensor)
    "le" compare::le(x: Tensor, other: Tensor)
    "lerp" math::lerp(x: Tensor, end: Tensor, weight: Tensor)
    "logaddexp" math::logaddexp(x: Tensor, other: Tensor)
    "logaddexp2" math::logaddexp2(x: Tensor, other: Tensor)
    "logical_and" logic::logical_and(x: BoolTensor, other: BoolTensor)
    "logical_or" logic::logical_or(x: BoolTensor, other: BoolTensor)
    "logical_xor" logic::logical_xor(x: BoolTensor, other: BoolTensor)
    "lt" compare::lt(x: Tensor, other: Tensor)
    "max binary" math::maximum(x: Tensor, other: Tensor)
    "maximum" math::maximum(x: Tensor, other: Tensor)
    "min binary" math::minimum(x: Tensor, other: Tensor)
    "minimum" math::minimum(x: Tensor, other: Tensor)
    "mul" arith::mul(x: Tensor, other: Tensor)
    "ne" compare::ne(x: Tensor, other: Tensor)
    "pow" math::pow(x: Tensor, exponent: Tensor)
    "remainder" bits::remainder(x: Tensor, other: Tensor)
    "special.xlog1py" special::xlog1py(x: Tensor, other: Tensor)
    "true_divide" arith::div(x: Tensor, other: Tensor)
    "xlogy" special::xlogy(x: Tensor, other: Tensor)
}

/// An op of the input and the first argument.
fn of_two(call: &Call, op: fn(Tensor, Tensor) -> Result<Tensor>) -> Outcome {
    Ok(vec![op(call.x()?, call.float(1, "other")?)?])
}

/// Scales one of two terms by `alpha`, if it is given.
fn scaled(call: &Call, term: Tensor) -> Outcome<Tensor> {
    Ok(match call.number(usize::MAX, "alpha")? {
        Some(alpha) => arith::mul_scalar(term, alpha)?,
        None => term,
    })
}

/// The bounds are tensors.
fn clamp(call: &Call) -> Outcome {
    let mut x = call.x()?;
    if let Some(min) = call.optional(1, "min")? {
        x = math::maximum(x, min)?;
    }
    if let Some(max) = call.optional(2, "max")? {
        x = math::minimum(x, max)?;
    }
    Ok(vec![x])
}

/// The value is a number, or a tensor that has a gradient.
fn masked_fill(call: &Call) -> Outcome {
    let (x, mask) = (call.x()?, call.bools(1, "mask")?);
    Ok(vec![match call.get(2, "value") {
        Argument::Tensor(value) => logic::where_(mask, value, x)?,
        _ => logic::masked_fill(x, mask, call.number(2, "value")?.unwrap_or(0.0))?,
    }])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = known();
    table.extend([
        Entry::new("__radd__", |call| of_two(call, |x, other| arith::add(other, x))),
        Entry::new("__rdiv__", |call| of_two(call, |x, other| arith::div(other, x))),
        Entry::new("__rmul__", |call| of_two(call, |x, other| arith::mul(other, x))),
        Entry::new("__rpow__", |call| of_two(call, |x, other| math::pow(other, x))),
        Entry::new("add", |call| Ok(vec![arith::add(call.x()?, scaled(call, call.float(1, "other")?)?)?])),
        Entry::new("clamp", clamp),
        Entry::new("div floor_rounding", |call| {
            of_two(call, |x, other| arith::div_rounded(x, other, RoundingMode::Floor))
        }),
        Entry::new("div trunc_rounding", |call| {
            of_two(call, |x, other| arith::div_rounded(x, other, RoundingMode::Trunc))
        }),
        Entry::new("masked_fill", masked_fill),
        Entry::new("rsub", |call| Ok(vec![arith::sub(call.float(1, "other")?, scaled(call, call.x()?)?)?])),
        Entry::new("sub", |call| Ok(vec![arith::sub(call.x()?, scaled(call, call.float(1, "other")?)?)?])),
        Entry::new("where", |call| {
            Ok(vec![logic::where_(call.bools(1, "condition")?, call.x()?, call.float(2, "other")?)?])
        }),
    ]);
    table
}
