//! Sine, cosine and tangent.
//!
//! Angles up to 800 are reduced with three parts of π. The products with the first two are exact, as those
//! of f32's, and the third has the rest: together they are off by `4e-14`. No f32 is nearer than `4e-9` to a
//! zero, and the error there is at most `4e-6` of the result. Larger angles are reduced as f32's are.

use super::super::parts::{all, any, held, polynomial};
use super::super::sines::{far_sin, far_tan};
use super::super::words::{from_bits, has_bit, to_bits, word};
use super::{copysign, inverse};
use cubecl::prelude::*;
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2};

/// π/2 in parts, the first two of so few bits that their multiples up to 512 are exact.
const START: f64 = 1.57073974609375;
const NEXT: f64 = 5.657970905303955E-5;
const REST: f64 = FRAC_PI_2 - START - NEXT;

/// The nearest whole number, which is 0 for -0: so the difference keeps -0.
#[cube]
fn nearest<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    Vector::floor(x + all::<A, N>(0.5))
}

/// What is left of `x` after `count` times `part` of π/2.
#[cube]
fn reduced<A: Float, N: Size>(x: Vector<A, N>, count: Vector<A, N>, #[comptime] part: f64) -> Vector<A, N> {
    let rest = held::<A, N>(x - count * all::<A, N>(comptime!(START * part)));
    let rest = held::<A, N>(rest - count * all::<A, N>(comptime!(NEXT * part)));
    rest - count * all::<A, N>(comptime!(REST * part))
}

/// The lowest bit of a whole number.
#[cube]
fn parity<A: Float, N: Size>(count: Vector<A, N>) -> Vector<u32, N> {
    Vector::<u32, N>::reinterpret(Vector::<i32, N>::cast_from(count)) & word::<N>(1u32)
}

/// The sine of -π/2 to π/2, off by `1.2e-6` of it, times `sign`, and negative after an odd number of
/// half turns.
#[cube]
fn sin_after<A: Float, N: Size>(
    rest: Vector<A, N>,
    half_turns: Vector<A, N>,
    #[comptime] sign: f64,
) -> Vector<A, N> {
    let terms = comptime!([1.0, -0.1666585275, 0.008314267024, -0.0001854196392]);
    let terms = comptime!(terms.map(|term| term * sign).to_vec());
    let value = rest * polynomial::<A, N>(rest * rest, terms);
    from_bits::<A, N>(to_bits::<A, N>(value) ^ (parity::<A, N>(half_turns) << word::<N>(31u32)))
}

#[cube]
pub(crate) fn sin<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let half_turns = nearest::<A, N>(x * all::<A, N>(FRAC_1_PI));
    let near = sin_after::<A, N>(reduced::<A, N>(x, half_turns, 2.0f64), half_turns, 1.0f64);
    or_far_sin::<A, N>(x, near, 0u32)
}

/// Its zeros are odd multiples of π/2. Just these are subtracted, so that it keeps its digits near them.
#[cube]
pub(crate) fn cos<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let half_turns = Vector::floor(x * all::<A, N>(FRAC_1_PI));
    let rest = reduced::<A, N>(x, half_turns + all::<A, N>(0.5), 2.0f64);
    or_far_sin::<A, N>(x, sin_after::<A, N>(rest, half_turns, -1.0f64), 1u32)
}

#[cube]
fn is_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    Vector::abs(x).less_than(&all::<A, N>(800.0))
}

/// `near`, and the sine of larger angles, so many quarter turns further.
#[cube]
fn or_far_sin<A: Float, N: Size>(
    x: Vector<A, N>,
    near: Vector<A, N>,
    #[comptime] quarters: u32,
) -> Vector<A, N> {
    let is_near = is_near::<A, N>(x);
    let value = RuntimeCell::<Vector<A, N>>::new(near);
    if any::<N>(!is_near) {
        value.store(select_many(is_near, near, far_sin::<A, N>(x, quarters)));
    }
    value.read()
}

/// The polynomial, from -π/4 to π/4, is off by `3.6e-6` of it.
#[cube]
pub(crate) fn tan<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let quarters = nearest::<A, N>(x * all::<A, N>(FRAC_2_PI));
    let rest = reduced::<A, N>(x, quarters, 1.0f64);
    let terms = comptime!(vec![1.0, 0.3331541621, 0.1360671067, 0.0413918123, 0.04309534736]);
    let of_rest = rest * polynomial::<A, N>(rest * rest, terms);
    let across = -copysign::<A, N>(inverse::<A, N>(Vector::abs(of_rest)), of_rest);
    let near = select_many(has_bit::<N>(parity::<A, N>(quarters), 1u32), across, of_rest);
    let is_near = is_near::<A, N>(x);
    let value = RuntimeCell::<Vector<A, N>>::new(near);
    if any::<N>(!is_near) {
        value.store(select_many(is_near, near, far_tan::<A, N>(x)));
    }
    value.read()
}
