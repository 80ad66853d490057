//! Elementwise functions of several tensors that are broadcast.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::{logic, math, special};
use tensor_op::prelude::*;

super::ops! {
    "__radd__" fn radd(x: Tensor, other: Tensor) -> Tensor { other + x }
    "__rdiv__" fn rdiv(x: Tensor, other: Tensor) -> Tensor { other / x }
    "__rmul__" fn rmul(x: Tensor, other: Tensor) -> Tensor { other * x }
    "__rpow__" fn rpow(x: Tensor, other: Tensor) -> Tensor { pow(other, x) }
    "add" fn add(x: Tensor, other: Tensor, #[default(1.0)] alpha: f64) -> Tensor { x + alpha * other }
    "div floor_rounding" fn div_floor(x: Tensor, other: Tensor) -> Tensor {
        floor_div(stop_grad(x), stop_grad(other))
    }
    "div no_rounding_mode" fn div(x: Tensor, other: Tensor) -> Tensor { x / other }
    "div trunc_rounding" fn div_trunc(x: Tensor, other: Tensor) -> Tensor {
        let quotient = stop_grad(x / other);
        select(quotient < 0.0, ceil(quotient), floor(quotient))
    }
    "eq" fn eq(x: Tensor, other: Tensor) -> BoolTensor { x == other }
    "floor_divide" @[no_grad] fn floor_divide(x: Tensor, other: Tensor) -> Tensor { floor_div(x, other) }
    "ge" fn ge(x: Tensor, other: Tensor) -> BoolTensor { x >= other }
    "gt" fn gt(x: Tensor, other: Tensor) -> BoolTensor { x > other }
    "ldexp" fn ldexp(x: Tensor, other: Tensor) -> Tensor { x * exp2(other) }
    "le" fn le(x: Tensor, other: Tensor) -> BoolTensor { x <= other }
    "logaddexp2" fn logaddexp2(x: Tensor, other: Tensor) -> Tensor { logaddexp(x * LN_2, other * LN_2) / LN_2 }
    "logical_and" fn logical_and(x: Tensor, other: Tensor) -> BoolTensor { (x != 0.0) & (other != 0.0) }
    "logical_or" fn logical_or(x: Tensor, other: Tensor) -> BoolTensor { (x != 0.0) | (other != 0.0) }
    "logical_xor" fn logical_xor(x: Tensor, other: Tensor) -> BoolTensor {
        let (a, b) = self::nonzero(x, other);
        (a | b) & !(a & b)
    }
    "lt" fn lt(x: Tensor, other: Tensor) -> BoolTensor { x < other }
    "masked_fill" fn masked_fill(x: Tensor, mask: BoolTensor, value: Tensor) -> Tensor { select(mask, value, x) }
    "mul" fn mul(x: Tensor, other: Tensor) -> Tensor { x * other }
    "ne" fn ne(x: Tensor, other: Tensor) -> BoolTensor { x != other }
    "remainder" fn remainder(x: Tensor, other: Tensor) -> Tensor { remainder(x, other) }
    "rsub" fn rsub(x: Tensor, other: Tensor, #[default(1.0)] alpha: f64) -> Tensor { other - alpha * x }
    "sub" fn sub(x: Tensor, other: Tensor, #[default(1.0)] alpha: f64) -> Tensor { x - alpha * other }
    "true_divide" fn true_divide(x: Tensor, other: Tensor) -> Tensor { x / other }
    "where" fn where_(x: Tensor, condition: BoolTensor, other: Tensor) -> Tensor { select(condition, x, other) }
}

super::known! {
    "addcdiv" math::addcdiv(x: Tensor, tensor1: Tensor, tensor2: Tensor, value: f64 = 1.0)
    "addcmul" math::addcmul(x: Tensor, tensor1: Tensor, tensor2: Tensor, value: f64 = 1.0)
    "atan2" math::atan2(x: Tensor, other: Tensor)
    "clamp_max" math::clamp_max(x: Tensor, max: Tensor)
    "clamp_min" math::clamp_min(x: Tensor, min: Tensor)
    "copysign" math::copysign(x: Tensor, other: Tensor)
    "float_power" math::pow(x: Tensor, exponent: Tensor)
    "fmax" math::fmax(x: Tensor, other: Tensor)
    "fmin" math::fmin(x: Tensor, other: Tensor)
    "fmod" math::fmod(x: Tensor, other: Tensor)
    "heaviside" logic::heaviside(x: Tensor, values: Tensor)
    "hypot" math::hypot(x: Tensor, other: Tensor)
    "isclose" logic::isclose(x: Tensor, other: Tensor, rtol: f64 = 1e-5, atol: f64 = 1e-8, equal_nan: bool = false)
    "lerp" math::lerp(x: Tensor, end: Tensor, weight: Tensor)
    "logaddexp" math::logaddexp(x: Tensor, other: Tensor)
    "max binary" math::maximum(x: Tensor, other: Tensor)
    "maximum" math::maximum(x: Tensor, other: Tensor)
    "min binary" math::minimum(x: Tensor, other: Tensor)
    "minimum" math::minimum(x: Tensor, other: Tensor)
    "pow" math::pow(x: Tensor, exponent: Tensor)
    "special.xlog1py" special::xlog1py(x: Tensor, other: Tensor)
    "xlogy" special::xlogy(x: Tensor, other: Tensor)
}

#[tensor_op(tests = false)]
fn nonzero(x: Tensor, y: Tensor) -> (BoolTensor, BoolTensor) {
    (x != 0.0, y != 0.0)
}

#[tensor_op(tests = false)]
fn clamped(x: Tensor, min: Tensor, max: Tensor) -> Tensor {
    clamp(x, min, max)
}

fn clamp(call: &Call) -> Outcome {
    let bound = |place, name, none: f64| match call.get(place, name) {
        Argument::None => Ok(Tensor::scalar(none, &Device::default())?),
        _ => call.float(place, name),
    };
    let (min, max) = (bound(1, "min", f64::NEG_INFINITY)?, bound(2, "max", f64::INFINITY)?);
    Ok(vec![clamped(call.x()?, min, max)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = declared();
    table.extend(known());
    table.push(Entry::new("clamp", clamp));
    table
}
