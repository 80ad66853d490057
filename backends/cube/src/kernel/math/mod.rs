//! Primitives on vectors inside a kernel.
//!
//! Conventions at special values are those of the language. Where shading languages promise few digits of a
//! function, as of `log(x)` near 1 or `sin(x)` far from 0, it is written out for f32, and for f64 from the
//! device's own functions.

mod angles;
mod bools;
mod convert;
mod errors;
mod exponents;
mod hyperbolic;
mod ints;
mod powers;
mod remainder;
mod sines;
mod words;

use super::program::float;
use angles::{acos, asin, atan, atan2};
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use errors::{erf, erfc};
use exponents::{expm1, ln, log1p};
use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
use powers::pow;
use remainder::rem;
use sines::{cos, sin, tan};
use std::f64::consts::{LN_2, LOG2_E};
use tensor_op_spec::prim::Prim;

pub(crate) use bools::{compare, logic, logic_select, not, test};
pub(crate) use convert::{float_to_bool, int_to_bool, to_int};
pub(crate) use ints::{int_binary, int_unary};

/// A primitive of one float.
#[cube]
pub(crate) fn unary<A: Float, N: Size>(x: Vector<A, N>, #[comptime] prim: Prim) -> Vector<A, N> {
    match prim {
        Prim::Neg => -x,
        Prim::Exp => Vector::exp(x),
        Prim::Exp2 => Vector::exp(x * all::<A, N>(LN_2)),
        Prim::Expm1 => expm1::<A, N>(x),
        Prim::Ln => ln::<A, N>(x),
        Prim::Log2 => ln::<A, N>(x) * all::<A, N>(LOG2_E),
        Prim::Log1p => log1p::<A, N>(x),
        Prim::Sqrt => Vector::sqrt(x),
        Prim::Rsqrt => all::<A, N>(1.0) / Vector::sqrt(x),
        Prim::Recip => all::<A, N>(1.0) / x,
        Prim::Sin => sin::<A, N>(x),
        Prim::Cos => cos::<A, N>(x),
        Prim::Tan => tan::<A, N>(x),
        Prim::Asin => asin::<A, N>(x),
        Prim::Acos => acos::<A, N>(x),
        Prim::Atan => atan::<A, N>(x),
        Prim::Sinh => sinh::<A, N>(x),
        Prim::Cosh => cosh::<A, N>(x),
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

/// The same, as a value of which an optimizer knows nothing: Mesa's (NIR) takes common factors out of sums
/// and puts constants together, and so makes `x - n * a - n * b` of exact terms `x - n * (a + b)`, and `(x +
/// 1) - 1` `x`. Of numbers below 1e30.
#[cube]
fn held<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    min(x, all::<A, N>(1e30))
}

/// Whether any lane is set.
#[cube]
fn any<N: Size>(lanes: Vector<bool, N>) -> bool {
    let found = RuntimeCell::<bool>::new(false);
    #[unroll]
    for lane in 0..lanes.vector_size() {
        found.store(found.read() || lanes.extract(lane));
    }
    found.read()
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
