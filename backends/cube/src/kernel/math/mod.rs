//! Primitives on vectors inside a kernel.
//!
//! Conventions at special values are those of the language. Where shading languages promise few digits of a
//! function, as of `log(x)` near 1 or `sin(x)` far from 0, it is written out for f32, and for f64 from the
//! device's own functions. Ops on halves have shorter functions, of fewer digits ([`halves`]).
//!
//! [`parts`] and `words` are small pieces that the functions share. The other files have one family of
//! functions each. This file chooses the function of a primitive of floats.

mod angles;
pub(crate) mod bools;
pub(crate) mod convert;
mod errors;
mod exponents;
mod gamma;
pub(crate) mod halves;
mod hyperbolic;
pub(crate) mod ints;
pub(crate) mod parts;
mod powers;
pub(crate) mod random;
mod remainder;
mod sines;
mod whole;
mod words;

use angles::{acos, asin, atan, atan2};
use cubecl::prelude::*;
use errors::{erf, erfc};
use exponents::{expm1, ln, log1p};
use gamma::{digamma, lgamma, trigamma};
use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
use parts::all;
use powers::pow;
use remainder::rem;
use sines::{cos, sin, tan};
use std::f64::consts::{LN_2, LOG2_E};
use tensor_op_spec::prim::{Arithmetic, FloatBinary, Function, Rounding, Unary};
use whole::{round, trunc};

/// A function of a float.
#[cube]
pub(crate) fn function<A: Float, N: Size>(x: Vector<A, N>, #[comptime] function: Function) -> Vector<A, N> {
    match function {
        Function::Exp => Vector::exp(x),
        Function::Exp2 => Vector::exp(x * all::<A, N>(LN_2)),
        Function::Expm1 => expm1::<A, N>(x),
        Function::Ln => ln::<A, N>(x),
        Function::Log2 => ln::<A, N>(x) * all::<A, N>(LOG2_E),
        Function::Log1p => log1p::<A, N>(x),
        Function::Sqrt => Vector::sqrt(x),
        Function::Rsqrt => all::<A, N>(1.0) / Vector::sqrt(x),
        Function::Recip => all::<A, N>(1.0) / x,
        Function::Sin => sin::<A, N>(x),
        Function::Cos => cos::<A, N>(x),
        Function::Tan => tan::<A, N>(x),
        Function::Asin => asin::<A, N>(x),
        Function::Acos => acos::<A, N>(x),
        Function::Atan => atan::<A, N>(x),
        Function::Sinh => sinh::<A, N>(x),
        Function::Cosh => cosh::<A, N>(x),
        Function::Tanh => tanh::<A, N>(x),
        Function::Asinh => asinh::<A, N>(x),
        Function::Acosh => acosh::<A, N>(x),
        Function::Atanh => atanh::<A, N>(x),
        Function::Erf => erf::<A, N>(x),
        Function::Erfc => erfc::<A, N>(x),
        Function::Lgamma => lgamma::<A, N>(x),
        Function::Digamma => digamma::<A, N>(x),
        Function::Trigamma => trigamma::<A, N>(x),
    }
}

/// A function of a float for an op on halves: as exact as they need.
#[cube]
pub(crate) fn function_for_halves<A: Float, N: Size>(
    x: Vector<A, N>,
    #[comptime] of: Function,
) -> Vector<A, N> {
    match of {
        Function::Expm1 => halves::expm1::<A, N>(x),
        Function::Ln => halves::ln::<A, N>(x),
        Function::Log2 => halves::log2::<A, N>(x),
        Function::Log1p => halves::log1p::<A, N>(x),
        Function::Rsqrt => Vector::inverse_sqrt(x),
        Function::Sin => halves::sin::<A, N>(x),
        Function::Cos => halves::cos::<A, N>(x),
        Function::Tan => halves::tan::<A, N>(x),
        Function::Asin => halves::asin::<A, N>(x),
        Function::Acos => halves::acos::<A, N>(x),
        Function::Atan => halves::atan::<A, N>(x),
        Function::Sinh => halves::sinh::<A, N>(x),
        Function::Cosh => halves::cosh::<A, N>(x),
        Function::Tanh => halves::tanh::<A, N>(x),
        Function::Asinh => halves::asinh::<A, N>(x),
        Function::Acosh => halves::acosh::<A, N>(x),
        Function::Atanh => halves::atanh::<A, N>(x),
        Function::Erf => halves::erf::<A, N>(x),
        Function::Erfc => halves::erfc::<A, N>(x),
        Function::Exp | Function::Exp2 | Function::Sqrt | Function::Recip => function::<A, N>(x, of),
        Function::Lgamma | Function::Digamma | Function::Trigamma => function::<A, N>(x, of),
    }
}

/// A whole float near a float.
#[cube]
pub(crate) fn rounding<A: Float, N: Size>(x: Vector<A, N>, #[comptime] rounding: Rounding) -> Vector<A, N> {
    match rounding {
        Rounding::Floor => Vector::floor(x),
        Rounding::Ceil => Vector::ceil(x),
        Rounding::Round => round::<A, N>(x),
        Rounding::Trunc => trunc::<A, N>(x),
    }
}

/// A function of a number, of floats.
#[cube]
pub(crate) fn unary<A: Float, N: Size>(x: Vector<A, N>, #[comptime] unary: Unary) -> Vector<A, N> {
    match unary {
        Unary::Neg => -x,
        Unary::Abs => Vector::abs(x),
        Unary::Sign => sign::<A, N>(x),
    }
}

/// Arithmetic of floats.
#[cube]
pub(crate) fn arithmetic<A: Float, N: Size>(
    a: Vector<A, N>,
    b: Vector<A, N>,
    #[comptime] arithmetic: Arithmetic,
) -> Vector<A, N> {
    match arithmetic {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a / b,
        Arithmetic::Rem => rem::<A, N>(a, b),
        Arithmetic::Maximum => max_nan(a, b),
        Arithmetic::Minimum => min_nan(a, b),
    }
}

/// A function of two floats.
#[cube]
pub(crate) fn binary<A: Float, N: Size>(
    a: Vector<A, N>,
    b: Vector<A, N>,
    #[comptime] binary: FloatBinary,
) -> Vector<A, N> {
    match binary {
        FloatBinary::Pow => pow::<A, N>(a, b),
        FloatBinary::Atan2 => atan2::<A, N>(a, b),
    }
}

/// A function of two floats for an op on halves.
#[cube]
pub(crate) fn binary_for_halves<A: Float, N: Size>(
    a: Vector<A, N>,
    b: Vector<A, N>,
    #[comptime] binary: FloatBinary,
) -> Vector<A, N> {
    match binary {
        FloatBinary::Pow => halves::pow::<A, N>(a, b),
        FloatBinary::Atan2 => halves::atan2::<A, N>(a, b),
    }
}

#[cube]
fn sign<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    // A difference: drivers make -0 of a choice between -1 and 0.
    Vector::<A, N>::cast_from(x.greater_than(&zero)) - Vector::<A, N>::cast_from(x.less_than(&zero))
}
