//! Hyperbolic functions and their inverses: a polynomial near 0, and elsewhere an exponential or a logarithm.

use super::super::exponents::MOST;
use super::super::parts::{all, polynomial};
use super::exponents::{ln_beside_one, ln_upper};
use super::{copysign, inverse, over, root};
use cubecl::prelude::*;
use std::f64::consts::LN_2;

/// Where the exponentials and logarithms take over.
const NEAR: f64 = 0.5;
/// From here on 1 is nothing beside a square.
const HUGE: f64 = 1e9;

/// The polynomial is off by `1.2e-7` of it. Elsewhere half of an exponential overflows where sinh does. The
/// argument of that is rounded: up to 90 by `4e-6`.
#[cube]
pub(crate) fn sinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let near = x * polynomial::<A, N>(x * x, comptime!(vec![1.0, 0.16666134, 0.008402457517]));
    let half = Vector::exp(size - all::<A, N>(LN_2));
    let far = copysign::<A, N>(half - inverse::<A, N>(half) * all::<A, N>(0.25), x);
    select_many(size.less_than(&all::<A, N>(NEAR)), near, far)
}

#[cube]
pub(crate) fn cosh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let half = Vector::exp(Vector::abs(x) - all::<A, N>(LN_2));
    half + inverse::<A, N>(half) * all::<A, N>(0.25)
}

/// Off by less than `1e-6` of it: Taylor's series near 0, and elsewhere `(1 - e) / (1 + e)` with
/// `e = exp(-2 |x|)`.
#[cube]
pub(crate) fn tanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (one, size) = (all::<A, N>(1.0), Vector::abs(x));
    let terms = comptime!(vec![1.0, -1.0 / 3.0, 2.0 / 15.0, -17.0 / 315.0]);
    let near = x * polynomial::<A, N>(x * x, terms);
    let e = Vector::exp(size * all::<A, N>(-2.0));
    let far = copysign::<A, N>((one - e) * inverse::<A, N>(one + e), x);
    select_many(size.less_than(&all::<A, N>(0.25)), near, far)
}

/// The polynomial is off by `7.4e-7` of it. Elsewhere it is the logarithm of half of the sum, which does not
/// overflow, and that of 2.
#[cube]
pub(crate) fn asinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (half, size, square) = (all::<A, N>(0.5), Vector::abs(x), x * x);
    let terms = comptime!(vec![1.0, -0.1666058688, 0.073455954, -0.03306135784]);
    let near = x * polynomial::<A, N>(square, terms);
    let sum = (size + root::<A, N>(square + all::<A, N>(1.0))) * half;
    let sum = select_many(size.greater_than(&all::<A, N>(HUGE)), size, sum);
    let far = copysign::<A, N>(ln_upper::<A, N>(sum) + all::<A, N>(LN_2), x);
    select_many(size.less_than(&all::<A, N>(NEAR)), near, far)
}

#[cube]
pub(crate) fn acosh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
    let t = x - one;
    let more = t + root::<A, N>(t * (t + all::<A, N>(2.0)));
    let is_huge = x.greater_than(&all::<A, N>(HUGE));
    let value = ln_beside_one::<A, N>(select_many(is_huge, x, more + one), more);
    let value = value + select_many(is_huge, all::<A, N>(LN_2), zero);
    let value = select_many(x.less_equal(&all::<A, N>(MOST)), value, x);
    select_many(x.less_than(&one), all::<A, N>(f64::NAN), value)
}

/// The polynomial is off by `3.8e-7` of it.
#[cube]
pub(crate) fn atanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (one, size) = (all::<A, N>(1.0), Vector::abs(x));
    let terms = comptime!(vec![1.0, 0.3332873472, 0.2017176517, 0.1233618993, 0.1933203092]);
    let near = x * polynomial::<A, N>(x * x, terms);
    let ratio = over::<A, N>(one + size, one - size);
    let far = copysign::<A, N>(ln_upper::<A, N>(ratio) * all::<A, N>(0.5), x);
    select_many(size.less_than(&all::<A, N>(NEAR)), near, far)
}
