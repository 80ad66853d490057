//! Exponentials: x = n ln 2 + r with |r| up to ln(2)/2 in two parts (Cody and Waite), a polynomial in r, and
//! 2^n from its bit pattern.

use super::real::{Real, fma};
use crate::lane::isa::Isa;

/// e to the power x.
#[inline(always)]
pub(in crate::lane) fn exp<I: Isa, T: Real>(x: T) -> T {
    let (n, r) = reduce::<I, T>(clamp(x, T::EXP_MIN, T::EXP_MAX));
    scale::<I, T>(T::of(1.0) + exp_minus_1::<I, T>(r), n)
}

/// Half of e to the power x, which is finite for somewhat larger x.
#[inline(always)]
pub(super) fn half_exp<I: Isa, T: Real>(x: T) -> T {
    let one = T::of(1.0);
    let (n, r) = reduce::<I, T>(clamp(x, T::EXP_MIN, T::EXP_MAX + one));
    scale::<I, T>(one + exp_minus_1::<I, T>(r), n - one)
}

/// 2 to the power x.
#[inline(always)]
pub(in crate::lane) fn exp2<I: Isa, T: Real>(x: T) -> T {
    let x = clamp(x, T::EXP2_MIN, T::EXP2_MAX);
    let n = (x + T::ROUND) - T::ROUND;
    let r = (x - n) * T::of(std::f64::consts::LN_2);
    scale::<I, T>(T::of(1.0) + exp_minus_1::<I, T>(r), n)
}

/// e to the power x, less 1: 2^n (e^r - 1) + (2^n - 1), halved so that 2^n does not overflow.
#[inline(always)]
pub(in crate::lane) fn expm1<I: Isa, T: Real>(x: T) -> T {
    let (n, r) = reduce::<I, T>(clamp(x, T::EXPM1_MIN, T::EXP_MAX));
    let half = T::two_to((n - T::of(1.0)) + T::ROUND);
    let y = fma::<I, T>(exp_minus_1::<I, T>(r), half, half - T::of(0.5));
    if x.magnitude() < T::TINY { x } else { y + y }
}

/// The hyperbolic tangent: t / (t + 2) with t = expm1(2 |x|).
#[inline(always)]
pub(in crate::lane) fn tanh<I: Isa, T: Real>(x: T) -> T {
    let a = x.magnitude();
    let a = if a > T::TANH_MAX { T::TANH_MAX } else { a };
    let t = expm1::<I, T>(a + a);
    (t / (t + T::of(2.0))).with_sign(x)
}

/// NaN stays.
#[inline(always)]
fn clamp<T: Real>(x: T, low: T, high: T) -> T {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

/// n and r.
#[inline(always)]
fn reduce<I: Isa, T: Real>(x: T) -> (T, T) {
    let n = fma::<I, T>(x, T::of(std::f64::consts::LOG2_E), T::ROUND) - T::ROUND;
    let r = fma::<I, T>(-n, T::LN2_HI, x);
    (n, fma::<I, T>(-n, T::LN2_LO, r))
}

/// e^r - 1 for |r| up to ln(2)/2.
#[inline(always)]
fn exp_minus_1<I: Isa, T: Real>(r: T) -> T {
    fma::<I, T>(r * r, T::exp_tail::<I>(r), r)
}

/// `y` times 2^n, in two steps that are both in range, so that a subnormal result is rounded once.
#[inline(always)]
fn scale<I: Isa, T: Real>(y: T, n: T) -> T {
    let rounded_half = fma::<I, T>(n, T::of(0.5), T::ROUND);
    let rest = n - (rounded_half - T::ROUND);
    y * T::two_to(rounded_half) * T::two_to(rest + T::ROUND)
}
