//! Functions of one element, and of elements at the same place.

use super::Entry;
use crate::data::is_float;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::nn::silu_mul;
use tensor_op::catalogue::{activation, arith, bits, compare, logic, math};
use tensor_op::prelude::*;

super::ops! {
    "Binarizer" fn binarizer(x: Tensor; threshold: f64 = 0.0) -> Tensor { select(x > threshold, 1.0, 0.0) }
    "HardSigmoid" fn hard_sigmoid(x: Tensor; alpha: f64 = 0.2, beta: f64 = 0.5) -> Tensor {
        clamp(alpha * x + beta, 0.0, 1.0)
    }
    "PRelu" fn prelu(x: Tensor, slope: Tensor) -> Tensor { select(x > 0.0, x, slope * x) }
    "Selu" fn selu(x: Tensor; alpha: f64 = 1.6732632423543772, gamma: f64 = 1.0507009873554805) -> Tensor {
        gamma * select(x > 0.0, x, alpha * expm1(minimum(x, 0.0)))
    }
    "Shrink" fn shrink(x: Tensor; bias: f64 = 0.0, lambd: f64 = 0.5) -> Tensor {
        select(x < -lambd, x + bias, select(x > lambd, x - bias, 0.0))
    }
}

super::known! {
    "Abs" math::abs(x)
    "Acos" math::acos(x)
    "Acosh" math::acosh(x)
    "And" logic::logical_and(x, y)
    "Asin" math::asin(x)
    "Asinh" math::asinh(x)
    "Atan" math::atan(x)
    "Atanh" math::atanh(x)
    "BitwiseAnd" bits::bitwise_and(x, y)
    "BitwiseNot" bits::bitwise_not(x)
    "BitwiseOr" bits::bitwise_or(x, y)
    "BitwiseXor" bits::bitwise_xor(x, y)
    "Ceil" math::ceil(x)
    "Celu" activation::celu(x; alpha = 1.0)
    "Cos" math::cos(x)
    "Cosh" math::cosh(x)
    "Elu" activation::elu(x; alpha = 1.0)
    "Equal" compare::eq(x, y)
    "Exp" math::exp(x)
    "Floor" math::floor(x)
    "Greater" compare::gt(x, y)
    "GreaterOrEqual" compare::ge(x, y)
    "IsNaN" logic::isnan(x)
    "LeakyRelu" activation::leaky_relu(x; alpha = 0.01)
    "Less" compare::lt(x, y)
    "LessOrEqual" compare::le(x, y)
    "Log" math::log(x)
    "Mish" activation::mish(x)
    "Neg" arith::neg(x)
    "Not" logic::logical_not(x)
    "Or" logic::logical_or(x, y)
    "Reciprocal" math::reciprocal(x)
    "Relu" activation::relu(x)
    "Sigmoid" activation::sigmoid(x)
    "Sign" math::sign(x)
    "Sin" math::sin(x)
    "Sinh" math::sinh(x)
    "Softsign" activation::softsign(x)
    "Sqrt" math::sqrt(x)
    "Tan" math::tan(x)
    "Tanh" math::tanh(x)
    "Where" logic::where_(cond, x, y)
    "Xor" logic::logical_xor(x, y)
}

#[tensor_op(tests = false)]
fn is_inf(x: Tensor, negative: bool, positive: bool) -> BoolTensor {
    ((x == INFINITY) & positive) | ((x == -INFINITY) & negative)
}

type Binary = fn(Tensor, Tensor) -> Result<Tensor>;

/// An op over all inputs, from the first to the last.
fn over_all(node: &Node, op: Binary) -> Outcome<Tensor> {
    let mut inputs = node.all()?.into_iter();
    inputs.next();
    Ok(inputs.try_fold(node.x(0)?, op)?)
}

fn clip(node: &Node) -> Outcome {
    let mut x = node.x(0)?;
    if let Some(low) = node.optional(1) {
        x = math::maximum(x, low)?;
    }
    if let Some(high) = node.optional(2) {
        x = math::minimum(x, high)?;
    }
    Ok(vec![x])
}

/// The result has the dtype of the base.
fn power(node: &Node) -> Outcome {
    let (x, y) = (node.x(0)?, node.x(1)?);
    let dtype = x.dtype();
    let wide = if is_float(dtype) { dtype } else { DType::F64 };
    Ok(vec![math::pow(x.cast(wide), y.cast(wide))?.cast(dtype)?])
}

/// `fmod` gives the rest the sign of the dividend.
fn rest(node: &Node) -> Outcome {
    let (x, y) = (node.x(0)?, node.x(1)?);
    Ok(vec![if node.flag("fmod", false)? { math::fmod(x, y)? } else { bits::remainder(x, y)? }])
}

/// Without training nothing is dropped.
fn dropout(node: &Node) -> Outcome {
    if node.number(2)?.is_some_and(|training| training != 0.0) && node.number(1)? != Some(0.0) {
        return Err(crate::node::Stop::Skip("random: dropout"));
    }
    let x = node.x(0)?;
    let all = Tensor::ones(x.shape(), DType::F32, &x.device())?.cast(DType::Bool)?;
    Ok(vec![x, all])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = declared();
    table.extend(known());
    table.extend::<[Entry; 19]>([
        ("Add", |node| Ok(vec![(node.x(0)? + node.x(1)?)?])),
        ("BitShift", |node| {
            let (x, by) = (node.x(0)?, node.x(1)?);
            let is_left = node.text("direction", "")? == "LEFT";
            Ok(vec![if is_left { bits::left_shift(x, by)? } else { bits::right_shift(x, by)? }])
        }),
        ("Clip", clip),
        ("Div", |node| Ok(vec![(node.x(0)? / node.x(1)?)?])),
        ("Dropout", dropout),
        ("Gelu", |node| {
            let x = node.x(0)?;
            Ok(vec![if node.text("approximate", "none")? == "tanh" {
                activation::gelu_tanh(x)?
            } else {
                activation::gelu(x)?
            }])
        }),
        ("Identity", |node| node.all()),
        ("IsInf", |node| {
            let (negative, positive) =
                (node.flag("detect_negative", true)?, node.flag("detect_positive", true)?);
            Ok(vec![is_inf(node.x(0)?, negative, positive)?])
        }),
        ("Max", |node| Ok(vec![over_all(node, math::maximum)?])),
        ("Mean", |node| Ok(vec![(over_all(node, |x, y| x + y)? / node.inputs.len() as f64)?])),
        ("Min", |node| Ok(vec![over_all(node, math::minimum)?])),
        ("Mod", rest),
        ("Mul", |node| Ok(vec![(node.x(0)? * node.x(1)?)?])),
        ("Pow", power),
        ("Softplus", |node| Ok(vec![activation::softplus(node.x(0)?, None, None)?])),
        ("Sub", |node| Ok(vec![(node.x(0)? - node.x(1)?)?])),
        ("Sum", |node| Ok(vec![over_all(node, |x, y| x + y)?])),
        ("ThresholdedRelu", |node| {
            Ok(vec![activation::threshold(node.x(0)?, node.real("alpha", 1.0)?, 0.0)?])
        }),
        ("SwiGLU", |node| Ok(vec![silu_mul(node.x(1)?, node.x(0)?)?])),
    ]);
    table
}
