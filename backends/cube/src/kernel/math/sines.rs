//! Sine, cosine and tangent in f32: shading languages promise an absolute error, and only up to π.

use super::parts::{all, any, held, is_double, polynomial};
use super::words::{has_bit, to_bits, word};
use cubecl::prelude::*;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// An angle as quarter turns and the rest, from -π/4 to π/4.
#[derive(CubeType)]
struct Turns<A: Float, N: Size> {
    rest: Vector<A, N>,
    /// Modulo 4.
    quarters: Vector<u32, N>,
}

#[cube]
pub(super) fn sin<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::sin(x)
    } else {
        let Turns { rest, quarters } = turns::<A, N>(x);
        // Keeps -0.
        select_many(x.equal(&all::<A, N>(0.0)), x, sin_after::<A, N>(rest, quarters))
    }
}

#[cube]
pub(super) fn cos<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::cos(x)
    } else {
        let Turns { rest, quarters } = turns::<A, N>(x);
        sin_after::<A, N>(rest, quarters + word::<N>(1u32))
    }
}

#[cube]
pub(super) fn tan<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::tan(x)
    } else {
        let Turns { rest, quarters } = turns::<A, N>(x);
        select_many(x.equal(&all::<A, N>(0.0)), x, tan_after::<A, N>(rest, quarters))
    }
}

/// The tangent of an angle.
#[cube]
fn tan_after<A: Float, N: Size>(rest: Vector<A, N>, quarters: Vector<u32, N>) -> Vector<A, N> {
    let (s, c) = (sin_near::<A, N>(rest), cos_near::<A, N>(rest));
    let is_odd = has_bit::<N>(quarters, 1u32);
    select_many(is_odd, -c, s) / select_many(is_odd, s, c)
}

/// The sine from one on, so many quarter turns further.
#[cube]
pub(super) fn far_sin<A: Float, N: Size>(x: Vector<A, N>, #[comptime] quarters: u32) -> Vector<A, N> {
    let far = far_turns::<A, N>(x);
    sin_after::<A, N>(far.rest, far.quarters + word::<N>(quarters))
}

/// The tangent from one on.
#[cube]
pub(super) fn far_tan<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let far = far_turns::<A, N>(x);
    tan_after::<A, N>(far.rest, far.quarters)
}

/// The sine of an angle.
#[cube]
fn sin_after<A: Float, N: Size>(rest: Vector<A, N>, quarters: Vector<u32, N>) -> Vector<A, N> {
    let is_odd = has_bit::<N>(quarters, 1u32);
    let value = select_many(is_odd, cos_near::<A, N>(rest), sin_near::<A, N>(rest));
    select_many(has_bit::<N>(quarters, 2u32), -value, value)
}

/// After Cephes, `sinf.c`, from -π/4 to π/4.
#[cube]
fn sin_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let z = x * x;
    let terms = comptime!(vec![-1.6666654611E-1, 8.3321608736E-3, -1.9515295891E-4]);
    x + x * z * polynomial::<A, N>(z, terms)
}

/// After Cephes, `sinf.c`, from -π/4 to π/4.
#[cube]
fn cos_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let z = x * x;
    let terms = comptime!(vec![4.166664568298827E-2, -1.388731625493765E-3, 2.443315711809948E-5]);
    all::<A, N>(1.0) - (z * all::<A, N>(0.5) - z * z * polynomial::<A, N>(z, terms))
}

/// NaN for what is no number or infinite.
#[cube]
fn turns<A: Float, N: Size>(x: Vector<A, N>) -> Turns<A, N> {
    let is_near = Vector::abs(x).less_than(&all::<A, N>(800.0));
    let near = near_turns::<A, N>(select_many(is_near, x, all::<A, N>(0.0)));
    let rest = RuntimeCell::<Vector<A, N>>::new(near.rest);
    let quarters = RuntimeCell::<Vector<u32, N>>::new(near.quarters);
    if any::<N>(!is_near) {
        let far = far_turns::<A, N>(x);
        rest.store(select_many(is_near, near.rest, far.rest));
        quarters.store(select_many(is_near, near.quarters, far.quarters));
    }
    Turns::<A, N> { rest: rest.read(), quarters: quarters.read() }
}

/// Up to 512 quarter turns, by Cody and Waite (Software Manual for the Elementary Functions, 1980): π/2 in
/// parts of so few bits that their multiples, and all differences that come near 0, are exact.
#[cube]
fn near_turns<A: Float, N: Size>(x: Vector<A, N>) -> Turns<A, N> {
    let count = Vector::round(x * all::<A, N>(FRAC_2_PI));
    let parts =
        comptime!([1.57073974609375, 5.657970905303955E-5, 9.920313459588215E-10, 6.223371969669989E-14]);
    let mut rest = x;
    #[unroll]
    for part in 0..parts.len() {
        rest = held::<A, N>(rest - count * all::<A, N>(comptime!(parts[part])));
    }
    // A multiple of 4 more, which makes it positive.
    let quarters = Vector::<u32, N>::cast_from(count + all::<A, N>(1024.0));
    Turns::<A, N> { rest, quarters }
}

/// From one to the largest number, by Payne and Hanek (Radian reduction for trigonometric functions, 1983):
/// of the product with 2/π only the digits around the point are computed, from those of 2/π that matter to
/// them.
#[cube]
fn far_turns<A: Float, N: Size>(x: Vector<A, N>) -> Turns<A, N> {
    let bits = to_bits::<A, N>(x) & word::<N>(0x7fff_ffffu32);
    // x is 0.1.. in base 2 times this power of two, and 1.. in the digits.
    let exponent = (bits >> word::<N>(23u32)) - word::<N>(126u32);
    let digits = (bits << word::<N>(8u32)) | word::<N>(0x8000_0000u32);
    let (first, shift) = (exponent >> word::<N>(5u32), exponent & word::<N>(31u32));
    let (w0, w1) = (two_over_pi::<N>(first, 0usize), two_over_pi::<N>(first, 1usize));
    let (w2, w3) = (two_over_pi::<N>(first, 2usize), two_over_pi::<N>(first, 3usize));
    let high = shifted::<N>(w0, w1, shift);
    let middle = shifted::<N>(w1, w2, shift);
    let low = shifted::<N>(w2, w3, shift);
    // Two digits before the point, which are the quarters, and 62 behind it, in two words.
    let product = digits * middle;
    let behind = product + Vector::mul_hi(digits, low);
    let carry = Vector::<u32, N>::cast_from(behind.less_than(&product));
    let front = digits * high + Vector::mul_hi(digits, middle) + carry;
    let fraction = (front << word::<N>(2u32)) | (behind >> word::<N>(30u32));
    let rest = behind << word::<N>(2u32);
    // To the nearest quarter: a half and more is less than none.
    let is_below = has_bit::<N>(fraction, 0x8000_0000u32);
    let quarters = (front >> word::<N>(30u32)) + Vector::<u32, N>::cast_from(is_below);
    // The complement is off by the last of 64 digits.
    let size = Vector::<A, N>::cast_from(select_many(is_below, !fraction, fraction))
        + Vector::<A, N>::cast_from(select_many(is_below, !rest, rest))
            * all::<A, N>(comptime!(2f64.powi(-32)));
    let size = size * all::<A, N>(comptime!(FRAC_PI_2 * 2f64.powi(-32)));
    let exists = !Vector::is_nan(x).or(Vector::is_inf(x));
    let size = select_many(exists, size, all::<A, N>(f64::NAN));
    let rest = select_many(is_below, -size, size);
    let is_negative = x.less_than(&all::<A, N>(0.0));
    Turns::<A, N> {
        rest: select_many(is_negative, -rest, rest),
        quarters: select_many(is_negative, word::<N>(4u32) - quarters, quarters),
    }
}

/// A word of 2/π, two binary digits behind its place, of those from `first`, which is 0 to 4.
#[cube]
fn two_over_pi<N: Size>(first: Vector<u32, N>, #[comptime] next: usize) -> Vector<u32, N> {
    let words =
        comptime!([0u32, 0x28be_60db, 0x9391_054a, 0x7f09_d5f4, 0x7d4d_3770, 0x36d8_a566, 0x4f10_e410, 0]);
    let mut found = word::<N>(comptime!(words[next]));
    #[unroll]
    for skipped in 1..5 {
        let is_it = first.equal(&word::<N>(comptime!(skipped as u32)));
        found = select_many(is_it, word::<N>(comptime!(words[next + skipped])), found);
    }
    found
}

/// A word that starts some bits further, with those of the next.
#[cube]
fn shifted<N: Size>(own: Vector<u32, N>, next: Vector<u32, N>, by: Vector<u32, N>) -> Vector<u32, N> {
    (own << by) | ((next >> word::<N>(1u32)) >> (word::<N>(31u32) - by))
}
