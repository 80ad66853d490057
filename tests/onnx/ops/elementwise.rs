//! Functions of one element, and of elements at the same place.

use super::Entry;
use crate::data::is_float;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::bits;
use tensor_op::catalogue::nn::silu_mul;
use tensor_op::prelude::*;

super::ops! {
    "Abs" fn abs(x: Tensor) -> Tensor { abs(x) }
    "Acos" fn acos(x: Tensor) -> Tensor { acos(x) }
    "Acosh" fn acosh(x: Tensor) -> Tensor { acosh(x) }
    "And" fn and(x: BoolTensor, y: BoolTensor) -> BoolTensor { x & y }
    "Asin" fn asin(x: Tensor) -> Tensor { asin(x) }
    "Asinh" fn asinh(x: Tensor) -> Tensor { asinh(x) }
    "Atan" fn atan(x: Tensor) -> Tensor { atan(x) }
    "Atanh" fn atanh(x: Tensor) -> Tensor { atanh(x) }
    "Binarizer" fn binarizer(x: Tensor; threshold: f64 = 0.0) -> Tensor { select(x > threshold, 1.0, 0.0) }
    "BitwiseAnd" fn bitwise_and(x: IntTensor, y: IntTensor) -> IntTensor { x & y }
    "BitwiseNot" fn bitwise_not(x: IntTensor) -> IntTensor { !x }
    "BitwiseOr" fn bitwise_or(x: IntTensor, y: IntTensor) -> IntTensor { x | y }
    "BitwiseXor" fn bitwise_xor(x: IntTensor, y: IntTensor) -> IntTensor { x ^ y }
    "Ceil" fn ceil(x: Tensor) -> Tensor { stop_grad(ceil(x)) }
    "Celu" fn celu(x: Tensor; alpha: f64 = 1.0) -> Tensor {
        select(x > 0.0, x, alpha * expm1(minimum(x, 0.0) / alpha))
    }
    "Cos" fn cos(x: Tensor) -> Tensor { cos(x) }
    "Cosh" fn cosh(x: Tensor) -> Tensor { cosh(x) }
    "Elu" fn elu(x: Tensor; alpha: f64 = 1.0) -> Tensor { select(x > 0.0, x, alpha * expm1(minimum(x, 0.0))) }
    "Exp" fn exp(x: Tensor) -> Tensor { exp(x) }
    "Floor" fn floor(x: Tensor) -> Tensor { stop_grad(floor(x)) }
    "HardSigmoid" fn hard_sigmoid(x: Tensor; alpha: f64 = 0.2, beta: f64 = 0.5) -> Tensor {
        clamp(alpha * x + beta, 0.0, 1.0)
    }
    "IsNaN" fn is_nan(x: Tensor) -> BoolTensor { is_nan(x) }
    "LeakyRelu" fn leaky_relu(x: Tensor; alpha: f64 = 0.01) -> Tensor { select(x > 0.0, x, alpha * x) }
    "Log" fn ln(x: Tensor) -> Tensor { ln(x) }
    "Mish" fn mish(x: Tensor) -> Tensor { mish(x) }
    "Neg" fn neg(x: Tensor) -> Tensor { -x }
    "Not" fn not(x: BoolTensor) -> BoolTensor { !x }
    "Or" fn or(x: BoolTensor, y: BoolTensor) -> BoolTensor { x | y }
    "PRelu" fn prelu(x: Tensor, slope: Tensor) -> Tensor { select(x > 0.0, x, slope * x) }
    "Reciprocal" fn recip(x: Tensor) -> Tensor { recip(x) }
    "Relu" fn relu(x: Tensor) -> Tensor { relu(x) }
    "Selu" fn selu(x: Tensor; alpha: f64 = 1.6732632423543772, gamma: f64 = 1.0507009873554805) -> Tensor {
        gamma * select(x > 0.0, x, alpha * expm1(minimum(x, 0.0)))
    }
    "Shrink" fn shrink(x: Tensor; bias: f64 = 0.0, lambd: f64 = 0.5) -> Tensor {
        select(x < -lambd, x + bias, select(x > lambd, x - bias, 0.0))
    }
    "Sigmoid" fn sigmoid(x: Tensor) -> Tensor { sigmoid(x) }
    "Sign" fn sign(x: Tensor) -> Tensor { stop_grad(sign(x)) }
    "Sin" fn sin(x: Tensor) -> Tensor { sin(x) }
    "Sinh" fn sinh(x: Tensor) -> Tensor { sinh(x) }
    "Softplus" fn softplus(x: Tensor) -> Tensor { softplus(x) }
    "Softsign" fn softsign(x: Tensor) -> Tensor { x / (1.0 + abs(x)) }
    "Sqrt" fn sqrt(x: Tensor) -> Tensor { sqrt(x) }
    "Tan" fn tan(x: Tensor) -> Tensor { tan(x) }
    "Tanh" fn tanh(x: Tensor) -> Tensor { tanh(x) }
    "ThresholdedRelu" fn thresholded_relu(x: Tensor; alpha: f64 = 1.0) -> Tensor { select(x > alpha, x, 0.0) }
    "Where" fn choice(cond: BoolTensor, x: Tensor, y: Tensor) -> Tensor { select(cond, x, y) }
    "Xor" fn xor(x: BoolTensor, y: BoolTensor) -> BoolTensor { x ^ y }
}

#[tensor_op(tests = false)]
fn gelu(x: Tensor) -> Tensor {
    gelu(x)
}

#[tensor_op(tests = false)]
fn gelu_tanh(x: Tensor) -> Tensor {
    gelu_tanh(x)
}

#[tensor_op(tests = false)]
fn is_inf(x: Tensor, negative: bool, positive: bool) -> BoolTensor {
    ((x == INFINITY) & positive) | ((x == -INFINITY) & negative)
}

/// The same comparison of floats and of ints.
macro_rules! comparisons {
    ($($floats:ident $ints:ident $sign:tt)*) => {
        $(
            #[tensor_op(tests = false)]
            fn $floats(x: Tensor, y: Tensor) -> BoolTensor {
                x $sign y
            }

            #[tensor_op(tests = false)]
            fn $ints(x: IntTensor, y: IntTensor) -> BoolTensor {
                x $sign y
            }
        )*
    };
}

comparisons! {
    equal equal_ints ==
    greater greater_ints >
    greater_or_equal greater_or_equal_ints >=
    less less_ints <
    less_or_equal less_or_equal_ints <=
}

#[tensor_op(tests = false)]
fn maximum(x: Tensor, y: Tensor) -> Tensor {
    maximum(x, y)
}

#[tensor_op(tests = false)]
fn maximum_ints(x: IntTensor, y: IntTensor) -> IntTensor {
    maximum(x, y)
}

#[tensor_op(tests = false)]
fn minimum(x: Tensor, y: Tensor) -> Tensor {
    minimum(x, y)
}

#[tensor_op(tests = false)]
fn minimum_ints(x: IntTensor, y: IntTensor) -> IntTensor {
    minimum(x, y)
}

#[tensor_op(tests = false)]
fn pow(x: Tensor, y: Tensor) -> Tensor {
    pow(x, y)
}

/// The sign of the dividend.
#[tensor_op(tests = false)]
fn remainder(x: Tensor, y: Tensor) -> Tensor {
    x % y
}

#[tensor_op(tests = false)]
fn remainder_ints(x: IntTensor, y: IntTensor) -> IntTensor {
    x % y
}

type Binary = fn(Tensor, Tensor) -> Result<Tensor>;

/// An op of two inputs, by the kind of the first.
fn by_kind(node: &Node, floats: Binary, ints: Binary) -> Outcome {
    let (x, y) = (node.x(0)?, node.x(1)?);
    Ok(vec![if is_float(x.dtype()) { floats(x, y)? } else { ints(x, y)? }])
}

/// An op over all inputs, from the first to the last.
fn over_all(node: &Node, floats: Binary, ints: Binary) -> Outcome {
    let mut inputs = node.all()?.into_iter();
    let first = node.x(0)?;
    inputs.next();
    let op = if is_float(first.dtype()) { floats } else { ints };
    Ok(vec![inputs.try_fold(first, op)?])
}

fn sum(node: &Node) -> Outcome<Tensor> {
    Ok(over_all(node, |x, y| x + y, |x, y| x + y)?.remove(0))
}

fn clip(node: &Node) -> Outcome {
    let mut x = node.x(0)?;
    if let Some(low) = node.optional(1) {
        x = maximum(x, low)?;
    }
    if let Some(high) = node.optional(2) {
        x = minimum(x, high)?;
    }
    Ok(vec![x])
}

/// The result has the dtype of the base.
fn power(node: &Node) -> Outcome {
    let (x, y) = (node.x(0)?, node.x(1)?);
    let dtype = x.dtype();
    let wide = if is_float(dtype) { dtype } else { DType::F64 };
    Ok(vec![pow(x.cast(wide)?, y.cast(wide)?)?.cast(dtype)?])
}

fn rest(node: &Node) -> Outcome {
    if node.flag("fmod", false)? {
        by_kind(node, remainder, remainder_ints)
    } else {
        by_kind(node, bits::remainder, bits::remainder_int)
    }
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
    table.extend::<[Entry; 22]>([
        ("Add", |node| by_kind(node, |x, y| x + y, |x, y| x + y)),
        ("BitShift", |node| {
            let (x, by) = (node.x(0)?, node.x(1)?);
            let is_left = node.text("direction", "")? == "LEFT";
            Ok(vec![if is_left { bits::left_shift(x, by)? } else { bits::right_shift(x, by)? }])
        }),
        ("Clip", clip),
        ("Div", |node| by_kind(node, |x, y| x / y, |x, y| x / y)),
        ("Dropout", dropout),
        ("Equal", |node| by_kind(node, equal, equal_ints)),
        ("Gelu", |node| {
            let x = node.x(0)?;
            Ok(vec![if node.text("approximate", "none")? == "tanh" { gelu_tanh(x)? } else { gelu(x)? }])
        }),
        ("Greater", |node| by_kind(node, greater, greater_ints)),
        ("GreaterOrEqual", |node| by_kind(node, greater_or_equal, greater_or_equal_ints)),
        ("Identity", |node| node.all()),
        ("IsInf", |node| {
            let (negative, positive) =
                (node.flag("detect_negative", true)?, node.flag("detect_positive", true)?);
            Ok(vec![is_inf(node.x(0)?, negative, positive)?])
        }),
        ("Less", |node| by_kind(node, less, less_ints)),
        ("LessOrEqual", |node| by_kind(node, less_or_equal, less_or_equal_ints)),
        ("Max", |node| over_all(node, maximum, maximum_ints)),
        ("Mean", |node| Ok(vec![(sum(node)? / node.inputs.len() as f64)?])),
        ("Min", |node| over_all(node, minimum, minimum_ints)),
        ("Mod", rest),
        ("Mul", |node| by_kind(node, |x, y| x * y, |x, y| x * y)),
        ("Pow", power),
        ("Sub", |node| by_kind(node, |x, y| x - y, |x, y| x - y)),
        ("Sum", |node| Ok(vec![sum(node)?])),
        ("SwiGLU", |node| Ok(vec![silu_mul(node.x(1)?, node.x(0)?)?])),
    ]);
    table
}
