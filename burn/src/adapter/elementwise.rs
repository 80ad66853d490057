//! Elementwise primitives as Burn's operations: one line each.

use super::{AdapterTensor, bools, gamma};
use crate::dtype::scalar;
use crate::tensor::OpTensor;
use burn::backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use burn::backend::{Backend, BoolDType, TensorMetadata};
use std::f64::consts::LN_2;
use tensor_op_core::{Error, ErrorKind, Result};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{
    Arithmetic, Bits, Choice, Comparison, Equality, FloatBinary, Function, Group, Logic, Prim, Rounding,
    Test, Unary,
};

/// Applies a primitive to tensors of one shape.
pub(super) fn apply<B: Backend>(prim: Prim, args: Vec<AdapterTensor<B>>) -> Result<AdapterTensor<B>> {
    let is_scalar = args.first().is_some_and(|arg| arg.is_scalar);
    let operands = args.into_iter().map(|arg| arg.tensor).collect();
    let tensor = table::<B>(prim, operands).ok_or_else(|| {
        Error::new(ErrorKind::DType, format!("{} does not take operands of these kinds", prim.name()))
    })?;
    Ok(AdapterTensor { tensor, is_scalar })
}

/// Operands in order.
type Operands<B> = Vec<OpTensor<B>>;
type OfOne<T> = fn(T) -> T;
type OfTwo<T> = fn(T, T) -> T;
type Compare<B, T> = fn(T, T, BoolDType) -> BoolTensor<B>;

/// Applies a primitive; `None` if it doesn't take these operands.
fn table<B: Backend>(prim: Prim, args: Operands<B>) -> Option<OpTensor<B>> {
    match prim.group() {
        Group::Function(of) => function::<B>(of, args),
        Group::Rounding(of) => rounding::<B>(of, args),
        Group::Unary(Unary::Neg) => number::<B>(args, B::float_neg, B::int_neg),
        Group::Unary(Unary::Abs) => number::<B>(args, B::float_abs, B::int_abs),
        Group::Unary(Unary::Sign) => number::<B>(args, B::float_sign, B::int_sign),
        Group::Arithmetic(Arithmetic::Add) => numbers::<B>(args, B::float_add, B::int_add),
        Group::Arithmetic(Arithmetic::Sub) => numbers::<B>(args, B::float_sub, B::int_sub),
        Group::Arithmetic(Arithmetic::Mul) => numbers::<B>(args, B::float_mul, B::int_mul),
        Group::Arithmetic(Arithmetic::Div) => numbers::<B>(args, B::float_div, quotient::<B>),
        Group::Arithmetic(Arithmetic::Rem) => numbers::<B>(args, float_rest::<B>, int_rest::<B>),
        Group::Arithmetic(Arithmetic::Maximum) => numbers::<B>(args, float_maximum::<B>, int_maximum::<B>),
        Group::Arithmetic(Arithmetic::Minimum) => numbers::<B>(args, float_minimum::<B>, int_minimum::<B>),
        Group::FloatBinary(FloatBinary::Pow) => floats::<B>(args, B::float_powf),
        Group::FloatBinary(FloatBinary::Atan2) => floats::<B>(args, B::float_atan2),
        Group::Comparison(Comparison::Lt) => compare::<B>(args, B::float_lower, B::int_lower),
        Group::Comparison(Comparison::Le) => compare::<B>(args, B::float_lower_equal, B::int_lower_equal),
        Group::Comparison(Comparison::Gt) => compare::<B>(args, B::float_greater, B::int_greater),
        Group::Comparison(Comparison::Ge) => compare::<B>(args, B::float_greater_equal, B::int_greater_equal),
        Group::Equality(Equality::Eq) => equal::<B>(args, B::float_equal, B::int_equal, B::bool_equal),
        Group::Equality(Equality::Ne) => {
            equal::<B>(args, B::float_not_equal, B::int_not_equal, B::bool_not_equal)
        }
        Group::Logic(Logic::And) => logic::<B>(args, B::bool_and),
        Group::Logic(Logic::Or) => logic::<B>(args, B::bool_or),
        Group::Logic(Logic::Not) => not::<B>(args),
        Group::Bits(Bits::BitAnd) => ints::<B>(args, B::bitwise_and),
        Group::Bits(Bits::BitOr) => ints::<B>(args, B::bitwise_or),
        Group::Bits(Bits::BitXor) => ints::<B>(args, B::bitwise_xor),
        Group::Bits(Bits::Shl) => ints::<B>(args, shl::<B>),
        Group::Bits(Bits::Shr) => ints::<B>(args, shr::<B>),
        Group::Test(Test::IsNan) => test::<B>(args, B::float_is_nan),
        Group::Test(Test::IsFinite) => test::<B>(args, |x, bools| {
            let (nan, inf) = (B::float_is_nan(x.clone(), bools), B::float_is_inf(x, bools));
            B::bool_not(B::bool_or(nan, inf))
        }),
        Group::Choice(Choice::Select) => select::<B>(args),
        // The host computes it.
        Group::Draw(_) => None,
    }
}

fn function<B: Backend>(function: Function, args: Operands<B>) -> Option<OpTensor<B>> {
    match function {
        Function::Exp => float::<B>(args, B::float_exp),
        Function::Exp2 => float::<B>(args, |x| B::float_exp(B::float_mul_scalar(x, constant(LN_2)))),
        Function::Expm1 => float::<B>(args, expm1::<B>),
        Function::Ln => float::<B>(args, B::float_log),
        Function::Log2 => float::<B>(args, |x| B::float_mul_scalar(B::float_log(x), constant(LN_2.recip()))),
        Function::Log1p => float::<B>(args, B::float_log1p),
        Function::Sqrt => float::<B>(args, B::float_sqrt),
        Function::Rsqrt => float::<B>(args, |x| B::float_recip(B::float_sqrt(x))),
        Function::Recip => float::<B>(args, B::float_recip),
        Function::Sin => float::<B>(args, B::float_sin),
        Function::Cos => float::<B>(args, B::float_cos),
        Function::Tan => float::<B>(args, B::float_tan),
        Function::Asin => float::<B>(args, B::float_asin),
        Function::Acos => float::<B>(args, B::float_acos),
        Function::Atan => float::<B>(args, B::float_atan),
        Function::Sinh => float::<B>(args, B::float_sinh),
        Function::Cosh => float::<B>(args, B::float_cosh),
        Function::Tanh => float::<B>(args, B::float_tanh),
        Function::Asinh => float::<B>(args, B::float_asinh),
        Function::Acosh => float::<B>(args, B::float_acosh),
        Function::Atanh => float::<B>(args, B::float_atanh),
        Function::Erf => float::<B>(args, B::float_erf),
        Function::Erfc => float::<B>(args, |x| one_minus::<B>(B::float_erf(x))),
        Function::Lgamma => float::<B>(args, gamma::lgamma::<B>),
        Function::Digamma => float::<B>(args, gamma::digamma::<B>),
        Function::Trigamma => float::<B>(args, gamma::trigamma::<B>),
    }
}

fn rounding<B: Backend>(rounding: Rounding, args: Operands<B>) -> Option<OpTensor<B>> {
    match rounding {
        Rounding::Floor => float::<B>(args, B::float_floor),
        Rounding::Ceil => float::<B>(args, B::float_ceil),
        Rounding::Trunc => float::<B>(args, B::float_trunc),
        Rounding::Round => float::<B>(args, B::float_round),
    }
}

fn not<B: Backend>(args: Operands<B>) -> Option<OpTensor<B>> {
    match one(args)? {
        OpTensor::Bool(x) => Some(OpTensor::Bool(B::bool_not(x))),
        OpTensor::Float(_) | OpTensor::Int(_) => None,
    }
}

fn one<B: Backend>(args: Operands<B>) -> Option<OpTensor<B>> {
    let [x] = <[OpTensor<B>; 1]>::try_from(args).ok()?;
    Some(x)
}

fn two<B: Backend>(args: Operands<B>) -> Option<(OpTensor<B>, OpTensor<B>)> {
    let [x, y] = <[OpTensor<B>; 2]>::try_from(args).ok()?;
    Some((x, y))
}

fn float<B: Backend>(args: Operands<B>, of_float: OfOne<FloatTensor<B>>) -> Option<OpTensor<B>> {
    Some(OpTensor::Float(of_float(one(args)?.float().ok()?)))
}

fn number<B: Backend>(
    args: Operands<B>,
    of_float: OfOne<FloatTensor<B>>,
    of_int: OfOne<IntTensor<B>>,
) -> Option<OpTensor<B>> {
    match one(args)? {
        OpTensor::Float(x) => Some(OpTensor::Float(of_float(x))),
        OpTensor::Int(x) => Some(OpTensor::Int(of_int(x))),
        OpTensor::Bool(_) => None,
    }
}

fn floats<B: Backend>(args: Operands<B>, of_floats: OfTwo<FloatTensor<B>>) -> Option<OpTensor<B>> {
    let (x, y) = two(args)?;
    Some(OpTensor::Float(of_floats(x.float().ok()?, y.float().ok()?)))
}

fn ints<B: Backend>(args: Operands<B>, of_ints: OfTwo<IntTensor<B>>) -> Option<OpTensor<B>> {
    let (x, y) = two(args)?;
    Some(OpTensor::Int(of_ints(x.int().ok()?, y.int().ok()?)))
}

fn numbers<B: Backend>(
    args: Operands<B>,
    of_floats: OfTwo<FloatTensor<B>>,
    of_ints: OfTwo<IntTensor<B>>,
) -> Option<OpTensor<B>> {
    match two(args)? {
        (OpTensor::Float(x), y) => Some(OpTensor::Float(of_floats(x, y.float().ok()?))),
        (OpTensor::Int(x), y) => Some(OpTensor::Int(of_ints(x, y.int().ok()?))),
        (OpTensor::Bool(_), _) => None,
    }
}

fn compare<B: Backend>(
    args: Operands<B>,
    of_floats: Compare<B, FloatTensor<B>>,
    of_ints: Compare<B, IntTensor<B>>,
) -> Option<OpTensor<B>> {
    let (x, y) = two(args)?;
    let bools = bools::<B>(&x.device());
    match x {
        OpTensor::Float(x) => Some(OpTensor::Bool(of_floats(x, y.float().ok()?, bools))),
        OpTensor::Int(x) => Some(OpTensor::Bool(of_ints(x, y.int().ok()?, bools))),
        OpTensor::Bool(_) => None,
    }
}

fn equal<B: Backend>(
    args: Operands<B>,
    of_floats: Compare<B, FloatTensor<B>>,
    of_ints: Compare<B, IntTensor<B>>,
    of_bools: OfTwo<BoolTensor<B>>,
) -> Option<OpTensor<B>> {
    match &args[..] {
        [OpTensor::Bool(_), ..] => logic::<B>(args, of_bools),
        [OpTensor::Float(_) | OpTensor::Int(_), ..] | [] => compare::<B>(args, of_floats, of_ints),
    }
}

fn logic<B: Backend>(args: Operands<B>, of_bools: OfTwo<BoolTensor<B>>) -> Option<OpTensor<B>> {
    let (x, y) = two(args)?;
    Some(OpTensor::Bool(of_bools(x.bool().ok()?, y.bool().ok()?)))
}

fn test<B: Backend>(
    args: Operands<B>,
    of_float: fn(FloatTensor<B>, BoolDType) -> BoolTensor<B>,
) -> Option<OpTensor<B>> {
    let x = one(args)?.float().ok()?;
    let bools = bools::<B>(&x.device());
    Some(OpTensor::Bool(of_float(x, bools)))
}

fn select<B: Backend>(args: Operands<B>) -> Option<OpTensor<B>> {
    let [cond, yes, no] = <[OpTensor<B>; 3]>::try_from(args).ok()?;
    let cond = cond.bool().ok()?;
    match yes {
        OpTensor::Float(yes) => Some(OpTensor::Float(B::float_mask_where(no.float().ok()?, cond, yes))),
        OpTensor::Int(yes) => Some(OpTensor::Int(B::int_mask_where(no.int().ok()?, cond, yes))),
        OpTensor::Bool(yes) => Some(OpTensor::Bool(B::bool_mask_where(no.bool().ok()?, cond, yes))),
    }
}

/// Near 0 `exp(x) - 1` cancels, so `2t / (1 - t)` with `t = tanh(x / 2)` is used there. It is exact.
fn expm1<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let t = B::float_tanh(B::float_mul_scalar(x.clone(), constant(0.5)));
    let near = B::float_div(B::float_mul_scalar(t.clone(), constant(2.0)), one_minus::<B>(t));
    let is_far = B::float_greater_elem(B::float_abs(x.clone()), constant(0.5), bools::<B>(&x.device()));
    let far = B::float_sub_scalar(B::float_exp(x), constant(1.0));
    B::float_mask_where(near, is_far, far)
}

pub(super) fn one_minus<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_add_scalar(B::float_neg(x), constant(1.0))
}

/// The remainder with the sign of the dividend. Burn's remainder has the sign of the divisor.
fn float_rest<B: Backend>(x: FloatTensor<B>, y: FloatTensor<B>) -> FloatTensor<B> {
    let whole = B::float_trunc(B::float_div(x.clone(), y.clone()));
    B::float_sub(x, B::float_mul(whole, y))
}

fn int_rest<B: Backend>(x: IntTensor<B>, y: IntTensor<B>) -> IntTensor<B> {
    let is_zero = B::int_equal_elem(y.clone(), scalar(Scalar::Int(0)), bools::<B>(&y.device()));
    let rest = B::int_sub(x.clone(), B::int_mul(quotient::<B>(x, y.clone()), y));
    B::int_mask_fill(rest, is_zero, scalar(Scalar::Int(0)))
}

/// The truncated quotient; 0 if the divisor is 0.
fn quotient<B: Backend>(x: IntTensor<B>, y: IntTensor<B>) -> IntTensor<B> {
    let is_zero = B::int_equal_elem(y.clone(), scalar(Scalar::Int(0)), bools::<B>(&y.device()));
    let y = B::int_mask_fill(y, is_zero.clone(), scalar(Scalar::Int(1)));
    B::int_mask_fill(B::int_div(x, y), is_zero, scalar(Scalar::Int(0)))
}

/// Bits moved up. Burn takes a shift modulo the number of bits, so one that moves all bits out is made here.
fn shl<B: Backend>(x: IntTensor<B>, by: IntTensor<B>) -> IntTensor<B> {
    let (is_long, _) = long_shift::<B>(&x, &by);
    let by = B::int_mask_fill(by, is_long.clone(), scalar(Scalar::Int(0)));
    B::int_mask_fill(B::bitwise_left_shift(x, by), is_long, scalar(Scalar::Int(0)))
}

/// Bits moved down; the sign if all others are moved out.
fn shr<B: Backend>(x: IntTensor<B>, by: IntTensor<B>) -> IntTensor<B> {
    let (is_long, last) = long_shift::<B>(&x, &by);
    B::bitwise_right_shift(x, B::int_mask_fill(by, is_long, scalar(Scalar::Int(last))))
}

/// Where a shift moves all bits out, and the place of the last bit.
fn long_shift<B: Backend>(x: &IntTensor<B>, by: &IntTensor<B>) -> (BoolTensor<B>, i64) {
    let (last, bools) = (8 * x.dtype().size() as i64 - 1, bools::<B>(&x.device()));
    let is_negative = B::int_lower_elem(by.clone(), scalar(Scalar::Int(0)), bools);
    let is_large = B::int_greater_elem(by.clone(), scalar(Scalar::Int(last)), bools);
    (B::bool_or(is_negative, is_large), last)
}

fn float_maximum<B: Backend>(x: FloatTensor<B>, y: FloatTensor<B>) -> FloatTensor<B> {
    better::<B>(x, y, B::float_greater)
}

fn float_minimum<B: Backend>(x: FloatTensor<B>, y: FloatTensor<B>) -> FloatTensor<B> {
    better::<B>(x, y, B::float_lower)
}

/// `y` where it is better than `x` or is NaN, and `x` elsewhere.
fn better<B: Backend>(
    x: FloatTensor<B>,
    y: FloatTensor<B>,
    is_better: Compare<B, FloatTensor<B>>,
) -> FloatTensor<B> {
    let bools = bools::<B>(&x.device());
    let better = is_better(y.clone(), x.clone(), bools);
    let taken = B::bool_or(better, B::float_is_nan(y.clone(), bools));
    B::float_mask_where(x, taken, y)
}

fn int_maximum<B: Backend>(x: IntTensor<B>, y: IntTensor<B>) -> IntTensor<B> {
    let taken = B::int_greater(y.clone(), x.clone(), bools::<B>(&x.device()));
    B::int_mask_where(x, taken, y)
}

fn int_minimum<B: Backend>(x: IntTensor<B>, y: IntTensor<B>) -> IntTensor<B> {
    let taken = B::int_lower(y.clone(), x.clone(), bools::<B>(&x.device()));
    B::int_mask_where(x, taken, y)
}

pub(super) fn constant(value: f64) -> burn::backend::Scalar {
    scalar(Scalar::Float(value))
}
