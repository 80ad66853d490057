//! Primitives on vectors inside a kernel.
//!
//! Conventions at special values are those of the language. Where a shading language computes a function with few digits near a point
//! (`log(1 + x)` near 0), the function is written out for f32; f64 takes the device's own.

mod angles;
mod functions;
mod powers;

use super::program::float;
use angles::{acos, asin, atan, atan2};
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use functions::{acosh, asinh, atanh, erf, erfc, expm1, log1p, sinh, tanh};
use powers::{pow, rem};
use std::f64::consts::{LN_2, LOG2_E};
use tensor_op_spec::prim::Prim;

/// A primitive of one float.
#[cube]
pub(crate) fn unary<A: Float, N: Size>(x: Vector<A, N>, #[comptime] prim: Prim) -> Vector<A, N> {
    match prim {
        Prim::Neg => -x,
        Prim::Exp => Vector::exp(x),
        Prim::Exp2 => Vector::exp(x * all::<A, N>(LN_2)),
        Prim::Expm1 => expm1::<A, N>(x),
        Prim::Ln => Vector::ln(x),
        Prim::Log2 => Vector::ln(x) * all::<A, N>(LOG2_E),
        Prim::Log1p => log1p::<A, N>(x),
        Prim::Sqrt => Vector::sqrt(x),
        Prim::Rsqrt => all::<A, N>(1.0) / Vector::sqrt(x),
        Prim::Recip => all::<A, N>(1.0) / x,
        Prim::Sin => Vector::sin(x),
        Prim::Cos => Vector::cos(x),
        Prim::Tan => Vector::tan(x),
        Prim::Asin => asin::<A, N>(x),
        Prim::Acos => acos::<A, N>(x),
        Prim::Atan => atan::<A, N>(x),
        Prim::Sinh => sinh::<A, N>(x),
        Prim::Cosh => Vector::cosh(x),
        Prim::Tanh => tanh::<A, N>(x),
        Prim::Asinh => asinh::<A, N>(x),
        Prim::Acosh => acosh::<A, N>(x),
        Prim::Atanh => atanh::<A, N>(x),
        Prim::Erf => erf::<A, N>(x),
        Prim::Erfc => erfc::<A, N>(x),
        Prim::Abs => Vector::abs(x),
        Prim::Sign => sign::<A, N>(x),
        Prim::Floor => Vector::floor(x),
        Prim::Ceil => Vector::ceil(x),
        Prim::Round => Vector::round(x),
        Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take one float to a float")),
    }
}

/// A primitive of two floats.
#[cube]
pub(crate) fn binary<A: Float, N: Size>(
    a: Vector<A, N>,
    b: Vector<A, N>,
    #[comptime] prim: Prim,
) -> Vector<A, N> {
    match prim {
        Prim::Add => a + b,
        Prim::Sub => a - b,
        Prim::Mul => a * b,
        Prim::Div => a / b,
        Prim::Rem => rem::<A, N>(a, b),
        Prim::Maximum => max_nan(a, b),
        Prim::Minimum => min_nan(a, b),
        Prim::Pow => pow::<A, N>(a, b),
        Prim::Atan2 => atan2::<A, N>(a, b),
        Prim::Neg
        | Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Abs
        | Prim::Sign
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take two floats to a float")),
    }
}

/// A primitive of one int.
#[cube]
pub(crate) fn int_unary<I: Int, N: Size>(x: Vector<I, N>, #[comptime] prim: Prim) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    match prim {
        Prim::Neg => zero - x,
        Prim::Abs => select_many(x.less_than(&zero), zero - x, x),
        Prim::Sign => {
            let one = Vector::<I, N>::new(I::new(1));
            select_many(x.less_than(&zero), zero - one, select_many(x.equal(&zero), zero, one))
        }
        Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take one int to an int")),
    }
}

/// A primitive of two ints. Division by zero gives 0.
#[cube]
pub(crate) fn int_binary<I: Int, N: Size>(
    a: Vector<I, N>,
    b: Vector<I, N>,
    #[comptime] prim: Prim,
) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    let one = Vector::<I, N>::new(I::new(1));
    match prim {
        Prim::Add => a + b,
        Prim::Sub => a - b,
        Prim::Mul => a * b,
        Prim::Div => {
            // The smallest int by -1 wraps; it is no division that hardware defines.
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            select_many(b.equal(&zero), zero, select_many(minus, zero - a, a / safe))
        }
        Prim::Rem => {
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            a - (a / safe) * safe
        }
        Prim::Maximum => select_many(a.less_than(&b), b, a),
        Prim::Minimum => select_many(b.less_than(&a), b, a),
        Prim::Neg
        | Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Abs
        | Prim::Sign
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take two ints to an int")),
    }
}

/// A comparison.
#[cube]
pub(crate) fn compare<E: Numeric, N: Size>(
    a: Vector<E, N>,
    b: Vector<E, N>,
    #[comptime] prim: Prim,
) -> Vector<bool, N> {
    match prim {
        Prim::Lt => a.less_than(&b),
        Prim::Le => a.less_equal(&b),
        Prim::Gt => a.greater_than(&b),
        Prim::Ge => a.greater_equal(&b),
        Prim::Eq => a.equal(&b),
        // Not `not_equal`, which is ordered in some shading languages: false for NaN.
        Prim::Ne => !a.equal(&b),
        Prim::Neg
        | Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Abs
        | Prim::Sign
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} is no comparison")),
    }
}

/// A test of one float.
#[cube]
pub(crate) fn test<A: Float, N: Size>(x: Vector<A, N>, #[comptime] prim: Prim) -> Vector<bool, N> {
    match prim {
        Prim::IsNan => Vector::is_nan(x),
        Prim::IsFinite => !(Vector::is_nan(x).or(Vector::is_inf(x))),
        Prim::Neg
        | Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Abs
        | Prim::Sign
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::Select => comptime!(unreachable!("{prim:?} is no test of a float")),
    }
}

#[cube]
pub(crate) fn not<N: Size>(x: Vector<bool, N>) -> Vector<bool, N> {
    !x
}

/// A primitive of two bools.
#[cube]
pub(crate) fn logic<N: Size>(
    a: Vector<bool, N>,
    b: Vector<bool, N>,
    #[comptime] prim: Prim,
) -> Vector<bool, N> {
    match prim {
        Prim::And => a.vec_and(b),
        Prim::Or => a.or(b),
        Prim::Eq => (a.vec_and(b)).or((!a).vec_and(!b)),
        Prim::Ne => (a.vec_and(!b)).or((!a).vec_and(b)),
        Prim::Neg
        | Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Abs
        | Prim::Sign
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take two bools")),
    }
}

#[cube]
pub(crate) fn logic_select<N: Size>(
    cond: Vector<bool, N>,
    a: Vector<bool, N>,
    b: Vector<bool, N>,
) -> Vector<bool, N> {
    (cond.vec_and(a)).or((!cond).vec_and(b))
}

/// Truncates and saturates; NaN gives 0.
#[cube]
pub(crate) fn to_int<A: Float, I: Int, N: Size>(x: Vector<A, N>) -> Vector<I, N> {
    let bits = I::size_bits().comptime();
    let bound = comptime!(2f64.powi(bits as i32 - 1));
    let largest = comptime!(if bits == 64 { i64::MAX } else { (1i64 << (bits - 1)) - 1 });
    let smallest = comptime!(-largest - 1);
    let zero = all::<A, N>(0.0);
    let above = x.greater_equal(&all::<A, N>(bound));
    let below = x.less_than(&all::<A, N>(-bound));
    let outside = above.or(below).or(Vector::is_nan(x));
    let inside = Vector::<I, N>::cast_from(Vector::trunc(select_many(outside, zero, x)));
    let high = Vector::<I, N>::new(I::new(largest));
    let low = Vector::<I, N>::new(I::new(smallest));
    select_many(above, high, select_many(below, low, inside))
}

/// `x != 0`, which NaN is.
#[cube]
pub(crate) fn float_to_bool<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    !x.equal(&all::<A, N>(0.0))
}

#[cube]
pub(crate) fn int_to_bool<I: Int, N: Size>(x: Vector<I, N>) -> Vector<bool, N> {
    !x.equal(&Vector::<I, N>::new(I::new(0)))
}

/// A constant in all lanes.
#[cube]
pub(crate) fn all<A: Float, N: Size>(#[comptime] value: f64) -> Vector<A, N> {
    Vector::<A, N>::new(float::<A>(value))
}

/// Whether arithmetic is in f64, where the device's functions are taken.
#[cube]
#[allow(clippy::extra_unused_type_parameters, reason = "the question is about the type")]
fn is_double<A: Float>() -> comptime_type!(bool) {
    intrinsic!(|scope| A::elem_type(scope) == ElemType::Float(FloatKind::F64))
}

/// `c[0] + x * (c[1] + x * (..))`.
#[cube]
fn polynomial<A: Float, N: Size>(x: Vector<A, N>, #[comptime] c: Vec<f64>) -> Vector<A, N> {
    let last = comptime!(c.len() - 1);
    let mut value = all::<A, N>(comptime!(c[last]));
    #[unroll]
    for i in 0..last {
        value = value * x + all::<A, N>(comptime!(c[last - 1 - i]));
    }
    value
}

/// The sign of `x` on a value of at least 0; keeps -0 and NaN.
#[cube]
fn with_sign<A: Float, N: Size>(magnitude: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    select_many(x.equal(&zero), x, select_many(x.less_than(&zero), -magnitude, magnitude))
}

#[cube]
fn sign<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    // A difference: drivers make -0 of a choice between -1 and 0.
    Vector::<A, N>::cast_from(x.greater_than(&zero)) - Vector::<A, N>::cast_from(x.less_than(&zero))
}
