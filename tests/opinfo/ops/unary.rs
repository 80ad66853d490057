//! Elementwise functions of one tensor.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::DType;
use tensor_op::prelude::*;

super::ops! {
    "abs" fn abs(x: Tensor) -> Tensor { abs(x) }
    "acos" fn acos(x: Tensor) -> Tensor { acos(x) }
    "acosh" fn acosh(x: Tensor) -> Tensor { acosh(x) }
    "angle" fn angle(x: Tensor) -> Tensor { select(is_nan(x), stop_grad(x), select(x < 0.0, PI, 0.0)) }
    "asin" fn asin(x: Tensor) -> Tensor { asin(x) }
    "asinh" fn asinh(x: Tensor) -> Tensor { asinh(x) }
    "atan" fn atan(x: Tensor) -> Tensor { atan(x) }
    "atanh" fn atanh(x: Tensor) -> Tensor { atanh(x) }
    "ceil" fn ceil(x: Tensor) -> Tensor { ceil(stop_grad(x)) }
    "cos" fn cos(x: Tensor) -> Tensor { cos(x) }
    "cosh" fn cosh(x: Tensor) -> Tensor { cosh(x) }
    "deg2rad" fn deg2rad(x: Tensor) -> Tensor { x * (PI / 180.0) }
    "erf" fn erf(x: Tensor) -> Tensor { erf(x) }
    "erfc" fn erfc(x: Tensor) -> Tensor { erfc(x) }
    "exp" fn exp(x: Tensor) -> Tensor { exp(x) }
    "exp2" fn exp2(x: Tensor) -> Tensor { exp2(x) }
    "expm1" fn expm1(x: Tensor) -> Tensor { expm1(x) }
    "floor" fn floor(x: Tensor) -> Tensor { floor(stop_grad(x)) }
    "frac" fn frac(x: Tensor) -> Tensor { x - stop_grad(select(x < 0.0, ceil(x), floor(x))) }
    "isfinite" fn isfinite(x: Tensor) -> BoolTensor { is_finite(x) }
    "isinf" fn isinf(x: Tensor) -> BoolTensor { abs(x) == INFINITY }
    "isnan" fn isnan(x: Tensor) -> BoolTensor { is_nan(x) }
    "isneginf" fn isneginf(x: Tensor) -> BoolTensor { x == -INFINITY }
    "isposinf" fn isposinf(x: Tensor) -> BoolTensor { x == INFINITY }
    "log" fn log(x: Tensor) -> Tensor { ln(x) }
    "log10" fn log10(x: Tensor) -> Tensor { ln(x) / 2.302585092994046 }
    "log1p" fn log1p(x: Tensor) -> Tensor { log1p(x) }
    "log2" fn log2(x: Tensor) -> Tensor { log2(x) }
    "logical_not" fn logical_not(x: Tensor) -> BoolTensor { x == 0.0 }
    "nan_to_num" fn nan_to_num(
        x: Tensor,
        #[default(0.0)] nan: f64,
        #[default(1.7976931348623157e308)] posinf: f64,
        #[default(-1.7976931348623157e308)] neginf: f64,
    ) -> Tensor {
        select(is_nan(x), nan, select(x == INFINITY, posinf, select(x == -INFINITY, neginf, x)))
    }
    "neg" fn neg(x: Tensor) -> Tensor { -x }
    "positive" fn positive(x: Tensor) -> Tensor { x }
    "rad2deg" fn rad2deg(x: Tensor) -> Tensor { x * (180.0 / PI) }
    "reciprocal" fn reciprocal(x: Tensor) -> Tensor { recip(x) }
    "round" fn round(x: Tensor) -> Tensor { round(stop_grad(x)) }
    "rsqrt" fn rsqrt(x: Tensor) -> Tensor { rsqrt(x) }
    "sigmoid" fn sigmoid(x: Tensor) -> Tensor { sigmoid(x) }
    "sign" fn sign(x: Tensor) -> Tensor { sign(stop_grad(x)) }
    "signbit" fn signbit(x: Tensor) -> BoolTensor { (x < 0.0) | ((x == 0.0) & (recip(x) < 0.0)) }
    "sin" fn sin(x: Tensor) -> Tensor { sin(x) }
    "sinc" fn sinc(x: Tensor) -> Tensor { sinc(x) }
    "sinh" fn sinh(x: Tensor) -> Tensor { sinh(x) }
    "special.entr" @[grad(x = -grad * (1.0 + ln(x)))] fn entr(x: Tensor) -> Tensor {
        select(x > 0.0, -x * ln(x), select(x == 0.0, 0.0, select(is_nan(x), x, -INFINITY)))
    }
    "special.log_ndtr" fn log_ndtr(x: Tensor) -> Tensor {
        let lower = ln(0.5 * erfc(-minimum(x, 0.0) / SQRT_2));
        select(x < 0.0, lower, log1p(-0.5 * erfc(maximum(x, 0.0) / SQRT_2)))
    }
    "special.ndtr" fn ndtr(x: Tensor) -> Tensor { 0.5 * erfc(-x / SQRT_2) }
    "sqrt" fn sqrt(x: Tensor) -> Tensor { sqrt(x) }
    "square" fn square(x: Tensor) -> Tensor { square(x) }
    "tan" fn tan(x: Tensor) -> Tensor { tan(x) }
    "tanh" fn tanh(x: Tensor) -> Tensor { tanh(x) }
    "trunc" fn trunc(x: Tensor) -> Tensor { stop_grad(select(x < 0.0, ceil(x), floor(x))) }
}

#[tensor_op(tests = false)]
fn round_to(x: Tensor, places: f64, scale: f64) -> Tensor {
    stop_grad(select(places < 0.0, round(x / scale) * scale, round(x * scale) / scale))
}

#[tensor_op(tests = false)]
fn logit(x: Tensor, low: f64, high: f64) -> Tensor {
    let p = select(x < low, low, select(x > high, high, x));
    ln(p / (1.0 - p))
}

fn rounded(call: &Call) -> Outcome {
    let decimals = call.number(1, "decimals")?.unwrap_or(0.0);
    Ok(vec![round_to(call.x()?, decimals, 10.0_f64.powf(decimals.abs()))?])
}

fn logits(call: &Call) -> Outcome {
    let eps = call.number(1, "eps")?;
    let (low, high) = eps.map_or((f64::NEG_INFINITY, f64::INFINITY), |eps| (eps, 1.0 - eps));
    Ok(vec![logit(call.x()?, low, high)?])
}

fn cast(call: &Call, dtype: DType) -> Outcome {
    Ok(vec![call.x()?.cast(dtype)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = declared();
    table.extend([
        Entry::new("bfloat16", |call| cast(call, DType::BF16)),
        Entry::new("clone", |call| Ok(vec![call.x()?])),
        Entry::new("double", |call| cast(call, DType::F64)),
        Entry::new("float", |call| cast(call, DType::F32)),
        Entry::new("half", |call| cast(call, DType::F16)),
        Entry::new("logit", logits),
        Entry::new("round decimals_0", rounded),
        Entry::new("round decimals_3", rounded),
        Entry::new("round decimals_neg_3", rounded),
    ]);
    table
}
