//! Functions that are as exact as halves need, and take fewer instructions than those that are as exact as
//! f32. Arithmetic is in f32.
//!
//! Polynomials are fitted to the least largest relative error (Lawson's algorithm), with a first term that
//! keeps zeros and small numbers as they are. What they are off by is beside them. CUDA divides in ten
//! instructions and a jump. So quotients are products with the reciprocal of a square root, which devices
//! have as an instruction: it is off by at most two units in the last place (WGSL, "Accuracy of Expressions";
//! CUDA, "Mathematical Functions"). For the same reason signs are moved as bits.

mod angles;
mod exponents;
mod hyperbolic;
mod sines;

use super::parts::{all, polynomial};
use super::words::{from_bits, to_bits, word};
pub(super) use angles::{acos, asin, atan, atan2};
use cubecl::prelude::*;
pub(super) use exponents::{expm1, ln, log1p, log2, pow};
pub(super) use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub(super) use sines::{cos, sin, tan};

/// `2^64`: what is smaller than it and larger than its reciprocal has a normal reciprocal.
const SCALE: f64 = 18_446_744_073_709_551_616.0;

/// `a / b` as a product with `1 / b`, which is computed once if `b` is the same for many `a`. It is off by
/// less than two units in the last place. `b` is scaled so that its reciprocal is a normal number.
#[cube]
pub(crate) fn quotient<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    let (one, up, down) = (all::<A, N>(1.0), all::<A, N>(SCALE), all::<A, N>(comptime!(1.0 / SCALE)));
    let size = Vector::abs(b);
    let scale = select_many(size.greater_than(&up), down, select_many(size.less_than(&down), up, one));
    a * scale * (one / (b * scale))
}

/// `1 / x` of a positive number.
#[cube]
fn inverse<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let root = Vector::inverse_sqrt(x);
    root * root
}

/// `a / b` for a positive `b`. No product on the way is larger or smaller than both `a` and the quotient.
#[cube]
fn over<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    let root = Vector::inverse_sqrt(b);
    a * root * root
}

/// The square root of 0 and of what is larger than `1e-20`; NaN of negative ones.
#[cube]
fn root<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    x * Vector::inverse_sqrt(x + all::<A, N>(1e-30))
}

/// The sign bit of `x` on a value that has none.
#[cube]
fn copysign<A: Float, N: Size>(size: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    from_bits::<A, N>(to_bits::<A, N>(size) | (to_bits::<A, N>(x) & word::<N>(0x8000_0000u32)))
}

/// `erf(x)`, off by less than `3e-7` of it: an odd polynomial near 0, and elsewhere `1 - exp(-t q(t))` with
/// `t = |x|`.
#[cube]
pub(crate) fn erf<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let near = comptime!(vec![1.128379017, -3.761073406e-1, 1.124562921e-1, -2.438930966e-2]);
    let near = x * polynomial::<A, N>(x * x, near);
    let far = comptime!(vec![
        1.128477829,
        6.359069861e-1,
        1.049042810e-1,
        -2.257416099e-2,
        3.083822848e-3,
        -1.933892779e-4,
    ]);
    // From 4 on the result is 1 in f32.
    let four = all::<A, N>(4.0);
    let t = select_many(size.greater_than(&four), four, size);
    let far = all::<A, N>(1.0) - Vector::exp(-(t * polynomial::<A, N>(t, far)));
    let far = select_many(x.less_than(&all::<A, N>(0.0)), -far, far);
    select_many(size.less_than(&all::<A, N>(0.5)), near, far)
}

/// `erfc(x)`, off by less than `6e-5` of it, which is an eighth of the rounding of f16: `exp(-t q(t))` with
/// `t = |x|`, and 2 minus this left of 0. The polynomial is fitted as all are.
#[cube]
pub(crate) fn erfc<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let t = Vector::abs(x);
    let terms = comptime!(vec![
        1.128148887,
        6.366018822e-1,
        1.049998020e-1,
        -2.354613205e-2,
        3.841067643e-3,
        -4.325527790e-4,
        3.153264476e-5,
        -1.330651857e-6,
        2.458452126e-8,
    ]);
    let tail = Vector::exp(-(t * polynomial::<A, N>(t, terms)));
    select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(2.0) - tail, tail)
}
