//! Elementwise functions of several tensors that are broadcast.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;

super::ops! {
    "__radd__" fn radd(x: Tensor, other: Tensor) -> Tensor { other + x }
    "__rdiv__" fn rdiv(x: Tensor, other: Tensor) -> Tensor { other / x }
    "__rmul__" fn rmul(x: Tensor, other: Tensor) -> Tensor { other * x }
    "__rpow__" fn rpow(x: Tensor, other: Tensor) -> Tensor { pow(other, x) }
    "add" fn add(x: Tensor, other: Tensor, #[default(1.0)] alpha: f64) -> Tensor { x + alpha * other }
    "addcdiv" fn addcdiv(x: Tensor, tensor1: Tensor, tensor2: Tensor, #[default(1.0)] value: f64) -> Tensor {
        x + value * tensor1 / tensor2
    }
    "addcmul" fn addcmul(x: Tensor, tensor1: Tensor, tensor2: Tensor, #[default(1.0)] value: f64) -> Tensor {
        x + value * tensor1 * tensor2
    }
    "atan2" fn atan2(x: Tensor, other: Tensor) -> Tensor { atan2(x, other) }
    "clamp_max" fn clamp_max(x: Tensor, max: Tensor) -> Tensor { minimum(x, max) }
    "clamp_min" fn clamp_min(x: Tensor, min: Tensor) -> Tensor { maximum(x, min) }
    "copysign" fn copysign(x: Tensor, other: Tensor) -> Tensor {
        select((other < 0.0) | ((other == 0.0) & (recip(other) < 0.0)), -abs(x), abs(x))
    }
    "div floor_rounding" fn div_floor(x: Tensor, other: Tensor) -> Tensor {
        floor_div(stop_grad(x), stop_grad(other))
    }
    "div no_rounding_mode" fn div(x: Tensor, other: Tensor) -> Tensor { x / other }
    "div trunc_rounding" fn div_trunc(x: Tensor, other: Tensor) -> Tensor {
        let quotient = stop_grad(x / other);
        select(quotient < 0.0, ceil(quotient), floor(quotient))
    }
    "eq" fn eq(x: Tensor, other: Tensor) -> BoolTensor { x == other }
    "float_power" fn float_power(x: Tensor, exponent: Tensor) -> Tensor { pow(x, exponent) }
    "floor_divide" @[no_grad] fn floor_divide(x: Tensor, other: Tensor) -> Tensor { floor_div(x, other) }
    "fmax" fn fmax(x: Tensor, other: Tensor) -> Tensor { select((x >= other) | is_nan(other), x, other) }
    "fmin" fn fmin(x: Tensor, other: Tensor) -> Tensor { select((x <= other) | is_nan(other), x, other) }
    "fmod" fn fmod(x: Tensor, other: Tensor) -> Tensor { x % other }
    "ge" fn ge(x: Tensor, other: Tensor) -> BoolTensor { x >= other }
    "gt" fn gt(x: Tensor, other: Tensor) -> BoolTensor { x > other }
    "heaviside" @[no_grad] fn heaviside(x: Tensor, values: Tensor) -> Tensor {
        select(x == 0.0, values, select(x < 0.0, 0.0, 1.0))
    }
    "hypot" fn hypot(x: Tensor, other: Tensor) -> Tensor { hypot(x, other) }
    "isclose" fn isclose(
        x: Tensor,
        other: Tensor,
        #[default(1e-5)] rtol: f64,
        #[default(1e-8)] atol: f64,
        #[default(false)] equal_nan: bool,
    ) -> BoolTensor {
        let distance = abs(x - other);
        let close = is_finite(distance) & (distance <= atol + abs(rtol * other));
        (x == other) | close | (equal_nan & is_nan(x) & is_nan(other))
    }
    "ldexp" fn ldexp(x: Tensor, other: Tensor) -> Tensor { x * exp2(other) }
    "le" fn le(x: Tensor, other: Tensor) -> BoolTensor { x <= other }
    "lerp" fn lerp(x: Tensor, end: Tensor, weight: Tensor) -> Tensor { x + weight * (end - x) }
    "logaddexp" fn logaddexp(x: Tensor, other: Tensor) -> Tensor { logaddexp(x, other) }
    "logaddexp2" fn logaddexp2(x: Tensor, other: Tensor) -> Tensor { logaddexp(x * LN_2, other * LN_2) / LN_2 }
    "logical_and" fn logical_and(x: Tensor, other: Tensor) -> BoolTensor { (x != 0.0) & (other != 0.0) }
    "logical_or" fn logical_or(x: Tensor, other: Tensor) -> BoolTensor { (x != 0.0) | (other != 0.0) }
    "logical_xor" fn logical_xor(x: Tensor, other: Tensor) -> BoolTensor {
        let (a, b) = self::nonzero(x, other);
        (a | b) & !(a & b)
    }
    "lt" fn lt(x: Tensor, other: Tensor) -> BoolTensor { x < other }
    "masked_fill" fn masked_fill(x: Tensor, mask: BoolTensor, value: Tensor) -> Tensor { select(mask, value, x) }
    "max binary" fn max_binary(x: Tensor, other: Tensor) -> Tensor { maximum(x, other) }
    "maximum" fn maximum(x: Tensor, other: Tensor) -> Tensor { maximum(x, other) }
    "min binary" fn min_binary(x: Tensor, other: Tensor) -> Tensor { minimum(x, other) }
    "minimum" fn minimum(x: Tensor, other: Tensor) -> Tensor { minimum(x, other) }
    "mul" fn mul(x: Tensor, other: Tensor) -> Tensor { x * other }
    "ne" fn ne(x: Tensor, other: Tensor) -> BoolTensor { x != other }
    "pow" fn pow(x: Tensor, exponent: Tensor) -> Tensor { pow(x, exponent) }
    "remainder" fn remainder(x: Tensor, other: Tensor) -> Tensor { remainder(x, other) }
    "rsub" fn rsub(x: Tensor, other: Tensor, #[default(1.0)] alpha: f64) -> Tensor { other - alpha * x }
    "special.xlog1py" fn xlog1py(x: Tensor, other: Tensor) -> Tensor {
        let zero = (x == 0.0) & ((other <= -1.0) | (other == INFINITY));
        select(zero, 0.0, x * log1p(select(zero, 0.0, other)))
    }
    "sub" fn sub(x: Tensor, other: Tensor, #[default(1.0)] alpha: f64) -> Tensor { x - alpha * other }
    "true_divide" fn true_divide(x: Tensor, other: Tensor) -> Tensor { x / other }
    "where" fn where_(x: Tensor, condition: BoolTensor, other: Tensor) -> Tensor { select(condition, x, other) }
    "xlogy" fn xlogy(x: Tensor, other: Tensor) -> Tensor {
        let zero = (x == 0.0) & ((other <= 0.0) | (other == INFINITY));
        select(zero, 0.0, x * ln(select(zero, 1.0, other)))
    }
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
    table.push(Entry::new("clamp", clamp));
    table
}
