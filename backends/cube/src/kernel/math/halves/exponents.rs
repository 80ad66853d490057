//! Logarithms, `expm1` and powers.

use super::super::exponents::{EXPONENT, LEAST, MOST, Split, or_edges, split};
use super::super::parts::{all, polynomial};
use super::super::words::{has_bit, to_bits, word};
use cubecl::prelude::*;
use std::f64::consts::{LN_2, LOG2_E};

/// `ln(1 + f) / f` from √½ - 1 to √2 - 1, off by `1.4e-6` of it.
const LOGARITHM: [f64; 7] =
    [1.0, -0.5000084858, 0.333192213, -0.2491906224, 0.204491194, -0.1858760771, 0.1194944342];
/// The same for powers, off by `1.8e-7` of it.
const LOGARITHM_OF_POWER: [f64; 8] = [
    1.0,
    -0.5000032344,
    0.3333471491,
    -0.2497122851,
    0.1990688314,
    -0.1724322462,
    0.1618050134,
    -0.1008237897,
];

/// The logarithm of a positive number, to a base whose own natural logarithm is `1 / unit`. Other arguments
/// give anything.
#[cube]
fn of_positive<A: Float, N: Size>(
    x: Vector<A, N>,
    #[comptime] terms: Vec<f64>,
    #[comptime] unit: f64,
) -> Vector<A, N> {
    let is_subnormal = x.less_than(&all::<A, N>(LEAST));
    let Split { exponent, f, .. } =
        split::<A, N>(select_many(is_subnormal, x * all::<A, N>(comptime!(2f64.powi(24))), x));
    let moved = select_many(is_subnormal, all::<A, N>(comptime!(-24.0 * LN_2 * unit)), all::<A, N>(0.0));
    let terms = comptime!(terms.iter().map(|term| term * unit).collect::<Vec<f64>>());
    exponent * all::<A, N>(comptime!(LN_2 * unit / EXPONENT)) + (moved + f * polynomial::<A, N>(f, terms))
}

/// `ln(x)` of a normal number of at least √½, of infinity and NaN.
#[cube]
pub(super) fn ln_upper<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let Split { exponent, f, .. } = split::<A, N>(x);
    let near = f * polynomial::<A, N>(f, comptime!(LOGARITHM.to_vec()));
    let value = exponent * all::<A, N>(comptime!(LN_2 / EXPONENT)) + near;
    select_many(x.less_equal(&all::<A, N>(MOST)), value, x)
}

#[cube]
pub(crate) fn ln<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    or_edges::<A, N>(x, of_positive::<A, N>(x, comptime!(LOGARITHM.to_vec()), 1.0f64))
}

/// A power of two has its exponent exactly.
#[cube]
pub(crate) fn log2<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    or_edges::<A, N>(x, of_positive::<A, N>(x, comptime!(LOGARITHM.to_vec()), LOG2_E))
}

#[cube]
pub(crate) fn log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let sum = x + all::<A, N>(1.0);
    or_edges::<A, N>(sum, ln_beside_one::<A, N>(sum, x))
}

/// `ln(sum)` of a positive number, where `x` is `sum - 1` with all its digits. It keeps -0.
#[cube]
pub(super) fn ln_beside_one<A: Float, N: Size>(sum: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    let Split { exponent, f, bits } = split::<A, N>(sum);
    let is_near = bits.equal(&word::<N>(0u32));
    let f = select_many(is_near, x, f);
    let near = f * polynomial::<A, N>(f, comptime!(LOGARITHM.to_vec()));
    select_many(is_near, near, exponent * all::<A, N>(comptime!(LN_2 / EXPONENT)) + near)
}

/// The polynomial is off by `2.9e-6` of it.
#[cube]
pub(crate) fn expm1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![1.0, 0.4999747474, 0.166673965, 0.04209271303, 0.00834228691]);
    let near = x * polynomial::<A, N>(x, terms);
    let far = Vector::exp(x) - all::<A, N>(1.0);
    select_many(Vector::abs(x).less_than(&all::<A, N>(0.5)), near, far)
}

/// `exp(p ln(x))`, off by less than `5e-5` of it: `p ln(x)` is at most 89, off by `3e-7` of it, and `exp` may
/// be off by 181 units in the last place. Special values are those of f32's.
#[cube]
pub(crate) fn pow<A: Float, N: Size>(x: Vector<A, N>, p: Vector<A, N>) -> Vector<A, N> {
    let (zero, one, most) = (all::<A, N>(0.0), all::<A, N>(1.0), all::<A, N>(MOST));
    let size = Vector::abs(x);
    let is_finite = size.less_equal(&most);
    let logarithm = of_positive::<A, N>(size, comptime!(LOGARITHM_OF_POWER.to_vec()), 1.0f64);
    let logarithm = select_many(is_finite, logarithm, size);
    let logarithm = select_many(size.equal(&zero), all::<A, N>(f64::NEG_INFINITY), logarithm);
    let power = Vector::exp(p * logarithm);
    let whole = Vector::floor(p).equal(&p);
    let half = p * all::<A, N>(0.5);
    let odd = whole.vec_and(Vector::floor(half).not_equal(&half));
    let is_negative = has_bit::<N>(to_bits::<A, N>(x), 0x8000_0000u32);
    let signed = select_many(is_negative.vec_and(odd), -power, power);
    // Of a negative base only whole powers exist.
    let is_none = x.less_than(&zero).vec_and(is_finite).vec_and(!whole);
    let value = select_many(is_none, all::<A, N>(f64::NAN), signed);
    let of_one = x.equal(&one).or(size.equal(&one).vec_and(Vector::abs(p).greater_than(&most)));
    select_many(of_one.or(p.equal(&zero)), one, value)
}
