//! Exponentials and logarithms in f32 with all digits near the points where they vanish.

use super::parts::{all, held, is_double, polynomial};
use super::words::{from_bits, to_bits, word};
use cubecl::prelude::*;
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// The first digits of the natural logarithm of 2, so few that multiples by exponents are exact; and the
/// rest.
const LN_2_START: f64 = 0.693145751953125;
const LN_2_REST: f64 = LN_2 - LN_2_START;
/// The least number with all digits, and the largest number.
pub(super) const LEAST: f64 = f32::MIN_POSITIVE as f64;
pub(super) const MOST: f64 = f32::MAX as f64;
/// A unit of an exponent, as it stands in the bits of a number.
pub(super) const EXPONENT: f64 = 8_388_608.0;

/// `2^k e^r - 1` where `x = k ln 2 + r`, after fdlibm, `s_expm1.c`.
#[cube]
pub(super) fn expm1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        double_expm1::<A, N>(x)
    } else {
        let (zero, half) = (all::<A, N>(0.0), all::<A, N>(0.5));
        // Beyond, the result is -1 or infinite.
        let (low, high) = (all::<A, N>(-30.0), all::<A, N>(89.0));
        let within = select_many(x.less_than(&low), low, select_many(x.greater_than(&high), high, x));
        let count = Vector::round(within * all::<A, N>(LOG2_E));
        let count = select_many(Vector::abs(within).less_than(&half), zero, count);
        let rest = held::<A, N>(within - count * all::<A, N>(LN_2_START)) - count * all::<A, N>(LN_2_REST);
        let near = expm1_near::<A, N>(rest);
        // Half of `2^k`, which exists for the largest k too.
        let exponent = Vector::<u32, N>::cast_from(count + all::<A, N>(126.0));
        let scale = from_bits::<A, N>(exponent << word::<N>(23u32));
        let value = (near * scale + (scale - half)) * all::<A, N>(2.0);
        // Keeps -0 and NaN.
        select_many(x.equal(&zero).or(Vector::is_nan(x)), x, value)
    }
}

/// Taylor's series, up to 1/2.
#[cube]
fn expm1_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40320.0,
    ]);
    x + x * x * polynomial::<A, N>(x, terms)
}

/// `(ln(1 + f) - f + f^2 / 2) / f^3` from √½ - 1 to √2 - 1, so that the logarithm is off by `6e-9` of it: the
/// polynomial of this degree by Remez's algorithm.
const LOGARITHM: [f64; 8] = [
    0.3333333171,
    -0.2500082103,
    0.2000122687,
    -0.1662335735,
    0.1420175815,
    -0.1316018256,
    0.127615763,
    -0.07634495144,
];

/// A positive normal number as `2^k (1 + f)`, where `1 + f` is from √½ to √2.
#[derive(CubeType)]
pub(super) struct Split<A: Float, N: Size> {
    /// `2^23 k`.
    pub(super) exponent: Vector<A, N>,
    pub(super) f: Vector<A, N>,
    /// The bits of `2^23 k` as an int.
    pub(super) bits: Vector<u32, N>,
}

#[cube]
pub(super) fn split<A: Float, N: Size>(x: Vector<A, N>) -> Split<A, N> {
    let bits = to_bits::<A, N>(x);
    // Counted from √½, so that the exponent changes there.
    let start = word::<N>(comptime!((SQRT_2 as f32 / 2.0).to_bits()));
    let exponent = (bits - start) & word::<N>(0xff80_0000u32);
    Split::<A, N> {
        exponent: Vector::<A, N>::cast_from(Vector::<i32, N>::reinterpret(exponent)),
        f: from_bits::<A, N>(bits - exponent) - all::<A, N>(1.0),
        bits: exponent,
    }
}

/// `value` where `x` is positive, and what logarithms are elsewhere.
#[cube]
pub(super) fn or_edges<A: Float, N: Size>(x: Vector<A, N>, value: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    let least = select_many(x.equal(&zero), all::<A, N>(f64::NEG_INFINITY), all::<A, N>(f64::NAN));
    let value = select_many(x.less_equal(&all::<A, N>(MOST)), value, x);
    select_many(x.greater_than(&zero), value, least)
}

/// `k ln 2 + ln(1 + f)` where `x = 2^k (1 + f)`.
#[cube]
pub(super) fn ln<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::ln(x)
    } else {
        let is_subnormal = x.less_than(&all::<A, N>(LEAST));
        let scaled = select_many(is_subnormal, x * all::<A, N>(comptime!(2f64.powi(24))), x);
        let Split { exponent, f, .. } = split::<A, N>(scaled);
        let moved = select_many(is_subnormal, all::<A, N>(comptime!(-24.0 * EXPONENT)), all::<A, N>(0.0));
        or_edges::<A, N>(x, of_split::<A, N>(exponent + moved, f))
    }
}

/// `k ln 2 + ln(1 + f)`, where `exponent` is `2^23 k`. Multiples of the first digits of ln 2 are exact.
#[cube]
fn of_split<A: Float, N: Size>(exponent: Vector<A, N>, f: Vector<A, N>) -> Vector<A, N> {
    let square = f * f;
    let rest = square * (f * polynomial::<A, N>(f, comptime!(LOGARITHM.to_vec())));
    let near = f - (all::<A, N>(0.5) * square - rest);
    let low = held::<A, N>(exponent * all::<A, N>(comptime!(LN_2_REST / EXPONENT)) + near);
    exponent * all::<A, N>(comptime!(LN_2_START / EXPONENT)) + low
}

/// `k ln 2 + ln(1 + f)` where `1 + x = 2^k (1 + f)`: the exponent is that of the rounded sum, and
/// `f = 2^-k x + (2^-k - 1)` is rounded once up to k = 24; after that its digits count for nothing.
#[cube]
pub(super) fn log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        double_log1p::<A, N>(x)
    } else {
        let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
        let sum = x + one;
        let Split { exponent, f, bits } = split::<A, N>(sum);
        let scale = from_bits::<A, N>(word::<N>(0x3f80_0000u32) - bits);
        // The scale of a large number has no digits, but there the sum is the number.
        let is_large = x.greater_than(&all::<A, N>(comptime!(2f64.powi(60))));
        let f = select_many(is_large, f, held::<A, N>(x * scale) + (scale - one));
        // Keeps -0.
        select_many(x.equal(&zero), x, or_edges::<A, N>(sum, of_split::<A, N>(exponent, f)))
    }
}

/// Kahan: what `exp` has rounded away, the logarithm of its result has too. Higham, "Accuracy and Stability
/// of Numerical Algorithms", section 1.14.1.
#[cube]
fn double_expm1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let e = Vector::exp(x);
    let less = e - one;
    let value = less * (x / Vector::ln(e));
    let value = select_many(e.equal(&one), x, value);
    let ends = Vector::is_inf(e).or(less.equal(&all::<A, N>(-1.0)));
    select_many(ends, less, value)
}

/// The same for the logarithm.
#[cube]
fn double_log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let more = one + x;
    let value = Vector::ln(more) * (x / (more - one));
    let value = select_many(more.equal(&one), x, value);
    select_many(Vector::is_inf(x).or(more.equal(&all::<A, N>(0.0))), Vector::ln(more), value)
}
