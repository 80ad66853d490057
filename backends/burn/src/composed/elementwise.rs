//! Elementwise primitives as Burn's operations.

use super::{ComposedTensor, bools};
use crate::dtype::scalar;
use crate::tensor::OpTensor;
use burn::backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use burn::backend::{Backend, TensorMetadata};
use std::f64::consts::LN_2;
use tensor_op_core::{Error, ErrorKind, Result};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::Prim;

/// A primitive over tensors of one shape.
pub(super) fn apply<B: Backend>(prim: Prim, args: Vec<ComposedTensor<B>>) -> Result<ComposedTensor<B>> {
    let is_scalar = args.first().is_some_and(|arg| arg.is_scalar);
    let mut operands = args.into_iter().map(|arg| arg.tensor);
    let tensor = match (operands.next(), operands.next(), operands.next()) {
        (Some(OpTensor::Float(x)), None, None) => float_unary::<B>(prim, x),
        (Some(OpTensor::Int(x)), None, None) => int_unary::<B>(prim, x).map(OpTensor::Int),
        (Some(OpTensor::Bool(x)), None, None) if prim == Prim::Not => Some(OpTensor::Bool(B::bool_not(x))),
        (Some(OpTensor::Float(x)), Some(OpTensor::Float(y)), None) => float_binary::<B>(prim, x, y),
        (Some(OpTensor::Int(x)), Some(OpTensor::Int(y)), None) => int_binary::<B>(prim, x, y),
        (Some(OpTensor::Bool(x)), Some(OpTensor::Bool(y)), None) => {
            bool_binary::<B>(prim, x, y).map(OpTensor::Bool)
        }
        (Some(OpTensor::Bool(cond)), Some(yes), Some(no)) => select::<B>(cond, yes, no),
        _ => None,
    };
    let tensor = tensor.ok_or_else(|| {
        Error::new(ErrorKind::DType, format!("{} does not take operands of these kinds", prim.name()))
    })?;
    Ok(ComposedTensor { tensor, is_scalar })
}

fn float_unary<B: Backend>(prim: Prim, x: FloatTensor<B>) -> Option<OpTensor<B>> {
    let value = match prim {
        Prim::Neg => B::float_neg(x),
        Prim::Exp => B::float_exp(x),
        Prim::Exp2 => B::float_exp(B::float_mul_scalar(x, number(LN_2))),
        Prim::Expm1 => expm1::<B>(x),
        Prim::Ln => B::float_log(x),
        Prim::Log2 => B::float_mul_scalar(B::float_log(x), number(LN_2.recip())),
        Prim::Log1p => B::float_log1p(x),
        Prim::Sqrt => B::float_sqrt(x),
        Prim::Rsqrt => B::float_recip(B::float_sqrt(x)),
        Prim::Recip => B::float_recip(x),
        Prim::Sin => B::float_sin(x),
        Prim::Cos => B::float_cos(x),
        Prim::Tan => B::float_tan(x),
        Prim::Asin => B::float_asin(x),
        Prim::Acos => B::float_acos(x),
        Prim::Atan => B::float_atan(x),
        Prim::Sinh => B::float_sinh(x),
        Prim::Cosh => B::float_cosh(x),
        Prim::Tanh => B::float_tanh(x),
        Prim::Asinh => B::float_asinh(x),
        Prim::Acosh => B::float_acosh(x),
        Prim::Atanh => B::float_atanh(x),
        Prim::Erf => B::float_erf(x),
        Prim::Erfc => B::float_add_scalar(B::float_neg(B::float_erf(x)), number(1.0)),
        Prim::Abs => B::float_abs(x),
        Prim::Sign => B::float_sign(x),
        Prim::Floor => B::float_floor(x),
        Prim::Ceil => B::float_ceil(x),
        Prim::Round => B::float_round(x),
        Prim::IsNan => {
            let bools = bools::<B>(&x.device());
            return Some(OpTensor::Bool(B::float_is_nan(x, bools)));
        }
        Prim::IsFinite => {
            let bools = bools::<B>(&x.device());
            let (nan, inf) = (B::float_is_nan(x.clone(), bools), B::float_is_inf(x, bools));
            return Some(OpTensor::Bool(B::bool_not(B::bool_or(nan, inf))));
        }
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Rem | Prim::Maximum | Prim::Minimum => {
            return None;
        }
        Prim::Pow | Prim::Atan2 | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne => {
            return None;
        }
        Prim::And | Prim::Or | Prim::Not | Prim::Select => return None,
    };
    Some(OpTensor::Float(value))
}

/// `2t / (1 - t)` with `t = tanh(x / 2)` is exact near 0, where `exp(x) - 1` cancels.
fn expm1<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let t = B::float_tanh(B::float_mul_scalar(x.clone(), number(0.5)));
    let rest = B::float_add_scalar(B::float_neg(t.clone()), number(1.0));
    let near = B::float_div(B::float_mul_scalar(t, number(2.0)), rest);
    let is_far = B::float_greater_elem(B::float_abs(x.clone()), number(0.5), bools::<B>(&x.device()));
    let far = B::float_sub_scalar(B::float_exp(x), number(1.0));
    B::float_mask_where(near, is_far, far)
}

fn float_binary<B: Backend>(prim: Prim, x: FloatTensor<B>, y: FloatTensor<B>) -> Option<OpTensor<B>> {
    let bools = bools::<B>(&x.device());
    let value = match prim {
        Prim::Add => B::float_add(x, y),
        Prim::Sub => B::float_sub(x, y),
        Prim::Mul => B::float_mul(x, y),
        Prim::Div => B::float_div(x, y),
        // Burn's remainder has the sign of the divisor.
        Prim::Rem => {
            let whole = B::float_trunc(B::float_div(x.clone(), y.clone()));
            B::float_sub(x, B::float_mul(whole, y))
        }
        Prim::Maximum | Prim::Minimum => {
            let is_better = if prim == Prim::Maximum { B::float_greater } else { B::float_lower };
            let better = is_better(y.clone(), x.clone(), bools);
            let taken = B::bool_or(better, B::float_is_nan(y.clone(), bools));
            B::float_mask_where(x, taken, y)
        }
        Prim::Pow => B::float_powf(x, y),
        Prim::Atan2 => B::float_atan2(x, y),
        Prim::Lt => return Some(OpTensor::Bool(B::float_lower(x, y, bools))),
        Prim::Le => return Some(OpTensor::Bool(B::float_lower_equal(x, y, bools))),
        Prim::Gt => return Some(OpTensor::Bool(B::float_greater(x, y, bools))),
        Prim::Ge => return Some(OpTensor::Bool(B::float_greater_equal(x, y, bools))),
        Prim::Eq => return Some(OpTensor::Bool(B::float_equal(x, y, bools))),
        Prim::Ne => return Some(OpTensor::Bool(B::float_not_equal(x, y, bools))),
        _ => return None,
    };
    Some(OpTensor::Float(value))
}

fn int_unary<B: Backend>(prim: Prim, x: IntTensor<B>) -> Option<IntTensor<B>> {
    match prim {
        Prim::Neg => Some(B::int_neg(x)),
        Prim::Abs => Some(B::int_abs(x)),
        Prim::Sign => Some(B::int_sign(x)),
        _ => None,
    }
}

fn int_binary<B: Backend>(prim: Prim, x: IntTensor<B>, y: IntTensor<B>) -> Option<OpTensor<B>> {
    let bools = bools::<B>(&x.device());
    let value = match prim {
        Prim::Add => B::int_add(x, y),
        Prim::Sub => B::int_sub(x, y),
        Prim::Mul => B::int_mul(x, y),
        Prim::Div => quotient::<B>(x, y),
        Prim::Rem => {
            let is_zero = B::int_equal_elem(y.clone(), scalar(Scalar::Int(0)), bools);
            let rest = B::int_sub(x.clone(), B::int_mul(quotient::<B>(x, y.clone()), y));
            B::int_mask_fill(rest, is_zero, scalar(Scalar::Int(0)))
        }
        Prim::Maximum => {
            let better = B::int_greater(y.clone(), x.clone(), bools);
            B::int_mask_where(x, better, y)
        }
        Prim::Minimum => {
            let better = B::int_lower(y.clone(), x.clone(), bools);
            B::int_mask_where(x, better, y)
        }
        Prim::Lt => return Some(OpTensor::Bool(B::int_lower(x, y, bools))),
        Prim::Le => return Some(OpTensor::Bool(B::int_lower_equal(x, y, bools))),
        Prim::Gt => return Some(OpTensor::Bool(B::int_greater(x, y, bools))),
        Prim::Ge => return Some(OpTensor::Bool(B::int_greater_equal(x, y, bools))),
        Prim::Eq => return Some(OpTensor::Bool(B::int_equal(x, y, bools))),
        Prim::Ne => return Some(OpTensor::Bool(B::int_not_equal(x, y, bools))),
        _ => return None,
    };
    Some(OpTensor::Int(value))
}

/// Truncates; 0 where the divisor is 0.
fn quotient<B: Backend>(x: IntTensor<B>, y: IntTensor<B>) -> IntTensor<B> {
    let is_zero = B::int_equal_elem(y.clone(), scalar(Scalar::Int(0)), bools::<B>(&y.device()));
    let y = B::int_mask_fill(y, is_zero.clone(), scalar(Scalar::Int(1)));
    B::int_mask_fill(B::int_div(x, y), is_zero, scalar(Scalar::Int(0)))
}

fn bool_binary<B: Backend>(prim: Prim, x: BoolTensor<B>, y: BoolTensor<B>) -> Option<BoolTensor<B>> {
    match prim {
        Prim::And => Some(B::bool_and(x, y)),
        Prim::Or => Some(B::bool_or(x, y)),
        Prim::Eq => Some(B::bool_equal(x, y)),
        Prim::Ne => Some(B::bool_not_equal(x, y)),
        _ => None,
    }
}

fn select<B: Backend>(cond: BoolTensor<B>, yes: OpTensor<B>, no: OpTensor<B>) -> Option<OpTensor<B>> {
    match (yes, no) {
        (OpTensor::Float(yes), OpTensor::Float(no)) => {
            Some(OpTensor::Float(B::float_mask_where(no, cond, yes)))
        }
        (OpTensor::Int(yes), OpTensor::Int(no)) => Some(OpTensor::Int(B::int_mask_where(no, cond, yes))),
        (OpTensor::Bool(yes), OpTensor::Bool(no)) => Some(OpTensor::Bool(B::bool_mask_where(no, cond, yes))),
        (OpTensor::Float(_) | OpTensor::Int(_) | OpTensor::Bool(_), _) => None,
    }
}

fn number(value: f64) -> burn::backend::Scalar {
    scalar(Scalar::Float(value))
}
