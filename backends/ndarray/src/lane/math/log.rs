//! Logarithms as in fdlibm: x = 2^k (1 + f), s = f / (2 + f), and a polynomial in s^2.

use super::real::{Real, fma};
use crate::lane::isa::Isa;

/// The natural logarithm.
#[inline(always)]
pub(in crate::lane) fn ln<I: Isa, T: Real>(x: T) -> T {
    let (k, f) = T::split(x);
    at_edges(x, sum::<I, T>(k, f, T::of(0.0)))
}

/// The logarithm of 1 + x: that of u, which is 1 + x rounded, corrected by (1 + x - u) / u.
#[inline(always)]
pub(in crate::lane) fn log1p<I: Isa, T: Real>(x: T) -> T {
    let one = T::of(1.0);
    let u = one + x;
    let (k, f) = T::split(u);
    let lost = if x > one { one - (u - x) } else { x - (u - one) };
    let near = k == T::of(0.0);
    let f = if near { x } else { f };
    let correction = if near { T::of(0.0) } else { lost / u };
    let y = at_edges(u, sum::<I, T>(k, f, correction));
    if x.magnitude() < T::TINY { x } else { y }
}

/// The logarithm to base 2, with the product by log2 e in two parts.
#[inline(always)]
pub(in crate::lane) fn log2<I: Isa, T: Real>(x: T) -> T {
    let (k, f) = T::split(x);
    let (half_square, tail) = parts::<I, T>(f);
    let high = (f - half_square).upper_half();
    let low = (f - high) - half_square + tail;
    let leading = high * T::LOG2E_HI;
    let rest = fma::<I, T>(low + high, T::LOG2E_LO, low * T::LOG2E_HI);
    let whole = k + leading;
    at_edges(x, rest + ((k - whole) + leading) + whole)
}

/// ln(1 + f) = f - half_square + tail.
#[inline(always)]
fn parts<I: Isa, T: Real>(f: T) -> (T, T) {
    let half_square = T::of(0.5) * f * f;
    let s = f / (T::of(2.0) + f);
    (half_square, s * (half_square + T::log_tail::<I>(s * s)))
}

/// k ln 2 + ln(1 + f) + correction, small terms first.
#[inline(always)]
fn sum<I: Isa, T: Real>(k: T, f: T, correction: T) -> T {
    let (half_square, tail) = parts::<I, T>(f);
    let small = tail + fma::<I, T>(k, T::LN2_LO, correction);
    fma::<I, T>(k, T::LN2_HI, small - half_square + f)
}

/// A logarithm of x where x is positive and finite, and what belongs elsewhere.
#[inline(always)]
fn at_edges<T: Real>(x: T, y: T) -> T {
    let infinity = T::of(f64::INFINITY);
    let zero = T::of(0.0);
    let y = if x < infinity { y } else { x };
    let y = if x == zero { -infinity } else { y };
    if x < zero { T::of(f64::NAN) } else { y }
}
