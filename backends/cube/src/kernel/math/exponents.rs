//! Exponentials and logarithms in f32 with all digits near the points where they vanish.

use super::parts::{all, held, is_double, polynomial};
use super::words::{from_bits, to_bits, word};
use cubecl::prelude::*;
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// The first digits of the natural logarithm of 2, so few that multiples by exponents are exact; and the
/// rest.
const LN_2_START: f64 = 0.693145751953125;
const LN_2_REST: f64 = LN_2 - LN_2_START;
/// The least number with all digits.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

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

/// `k ln 2 + ln(m)` where `x = 2^k m`, and m is from √½ to √2.
#[cube]
pub(super) fn ln<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::ln(x)
    } else {
        let (zero, digits) = (all::<A, N>(0.0), word::<N>(0x007f_ffffu32));
        let is_subnormal = x.less_than(&all::<A, N>(LEAST));
        let scaled = select_many(is_subnormal, x * all::<A, N>(comptime!(2f64.powi(24))), x);
        // Counted from √½, whose bits these are, so that the exponent changes there.
        let start = word::<N>(comptime!((SQRT_2 as f32 / 2.0).to_bits()));
        let from_start = to_bits::<A, N>(scaled) + (word::<N>(0x3f80_0000u32) - start);
        let exponent = Vector::<A, N>::cast_from(from_start >> word::<N>(23u32));
        let one = select_many(is_subnormal, all::<A, N>(127.0 + 24.0), all::<A, N>(127.0));
        let count = exponent - one;
        let near = ln_near::<A, N>(from_bits::<A, N>((from_start & digits) + start));
        let value = count * all::<A, N>(LN_2_START) + held::<A, N>(count * all::<A, N>(LN_2_REST) + near);
        let value = select_many(x.equal(&zero), all::<A, N>(f64::NEG_INFINITY), value);
        let exists = x.greater_equal(&zero).vec_and(!Vector::is_inf(x));
        let other = select_many(x.less_than(&zero), all::<A, N>(f64::NAN), x);
        select_many(exists, value, other)
    }
}

/// The logarithm from √½ to √2: `2 artanh(s)` with `s = f / (2 + f)` and `f = x - 1`, by its series. Its
/// first term is `f - s f`, whose first is exact (fdlibm, `e_log.c`).
#[cube]
fn ln_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let f = x - all::<A, N>(1.0);
    let s = f / (f + all::<A, N>(2.0));
    let square = s * s;
    let terms = comptime!(vec![2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0, 2.0 / 11.0]);
    f - s * (f - square * polynomial::<A, N>(square, terms))
}

/// The logarithm of a sum, and what the sum has rounded away.
#[cube]
pub(super) fn log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        double_log1p::<A, N>(x)
    } else {
        let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
        let sum = held::<A, N>(x + one);
        let has_rest = sum.greater_than(&zero).vec_and(x.less_than(&all::<A, N>(1e9)));
        let rest = select_many(has_rest, (x - (sum - one)) / sum, zero);
        // Keeps -0. The sum may be larger than what is held.
        select_many(x.equal(&zero), x, ln::<A, N>(x + one) + rest)
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
