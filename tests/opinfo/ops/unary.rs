//! Elementwise functions of one tensor.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::{activation, arith, logic, math, special};
use tensor_op::prelude::*;

super::known! {
    "abs" math::abs(x: Tensor)
    "acos" math::acos(x: Tensor)
    "acosh" math::acosh(x: Tensor)
    "angle" math::angle(x: Tensor)
    "asin" math::asin(x: Tensor)
    "asinh" math::asinh(x: Tensor)
    "atan" math::atan(x: Tensor)
    "atanh" math::atanh(x: Tensor)
    "ceil" math::ceil(x: Tensor)
    "cos" math::cos(x: Tensor)
    "cosh" math::cosh(x: Tensor)
    "deg2rad" math::deg2rad(x: Tensor)
    "erf" special::erf(x: Tensor)
    "erfc" special::erfc(x: Tensor)
    "exp" math::exp(x: Tensor)
    "exp2" math::exp2(x: Tensor)
    "expm1" math::expm1(x: Tensor)
    "floor" math::floor(x: Tensor)
    "frac" math::frac(x: Tensor)
    "isfinite" logic::isfinite(x: Tensor)
    "isinf" logic::isinf(x: Tensor)
    "isnan" logic::isnan(x: Tensor)
    "isneginf" logic::isneginf(x: Tensor)
    "isposinf" logic::isposinf(x: Tensor)
    "log" math::log(x: Tensor)
    "log10" math::log10(x: Tensor)
    "log1p" math::log1p(x: Tensor)
    "log2" math::log2(x: Tensor)
    "logical_not" logic::logical_not(x: BoolTensor)
    "logit" special::logit(x: Tensor, eps: f64 = -1.0)
    "nan_to_num" math::nan_to_num(x: Tensor, nan: f64 = 0.0, posinf: f64 = 1.7976931348623157e308, neginf: f64 = -1.7976931348623157e308)
    "neg" arith::neg(x: Tensor)
    "rad2deg" math::rad2deg(x: Tensor)
    "reciprocal" math::reciprocal(x: Tensor)
    "round" math::round(x: Tensor)
    "rsqrt" math::rsqrt(x: Tensor)
    "sigmoid" activation::sigmoid(x: Tensor)
    "sign" math::sign(x: Tensor)
    "signbit" logic::signbit(x: Tensor)
    "sin" math::sin(x: Tensor)
    "sinc" special::sinc(x: Tensor)
    "sinh" math::sinh(x: Tensor)
    "special.entr" special::entr(x: Tensor)
    "special.log_ndtr" special::log_ndtr(x: Tensor)
    "special.ndtr" special::ndtr(x: Tensor)
    "sqrt" math::sqrt(x: Tensor)
    "square" math::square(x: Tensor)
    "tan" math::tan(x: Tensor)
    "tanh" math::tanh(x: Tensor)
    "trunc" math::trunc(x: Tensor)
}

fn rounded(call: &Call) -> Outcome {
    let decimals = call.int(1, "decimals")?.unwrap_or(0) as i32;
    Ok(vec![math::round_decimals(call.x()?, decimals)?])
}

fn cast(call: &Call, dtype: DType) -> Outcome {
    Ok(vec![call.x()?.cast(dtype)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = known();
    table.extend([
        Entry::new("bfloat16", |call| cast(call, DType::BF16)),
        Entry::new("clone", |call| Ok(vec![call.x()?])),
        Entry::new("double", |call| cast(call, DType::F64)),
        Entry::new("float", |call| cast(call, DType::F32)),
        Entry::new("half", |call| cast(call, DType::F16)),
        Entry::new("positive", |call| Ok(vec![call.x()?])),
        Entry::new("round decimals_0", rounded),
        Entry::new("round decimals_3", rounded),
        Entry::new("round decimals_neg_3", rounded),
    ]);
    table
}
