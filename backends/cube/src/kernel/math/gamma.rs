//! Derivatives of the logarithm of the gamma function in f32, by the formulas of the language's reference
//! with fewer terms.

use super::exponents::ln;
use super::{all, held, polynomial};
use cubecl::prelude::*;
use std::f64::consts::PI;
use tensor_op_spec::prim::gamma::ROOT;

/// From here on the series have all digits of an f32, and so many steps lead there from 0.
const FAR: f64 = 4.0;
const STEPS: u32 = 4;

#[cube]
pub(super) fn digamma<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
    let (is_left, is_small) = (x.less_than(&zero), x.less_than(&one));
    let y = select_many(is_left, one - x, select_many(is_small, x + one, x));
    let value = digamma_from_1::<A, N>(y);
    let rest = x - Vector::round(x);
    let left = value - pi_over_tangent::<A, N>(rest);
    let left = select_many(rest.equal(&zero), all::<A, N>(f64::NAN), left);
    select_many(is_left, left, select_many(is_small, value - one / x, value))
}

#[cube]
fn digamma_from_1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let inverse = all::<A, N>(1.0) / x;
    let z = inverse * inverse;
    let terms = comptime!(vec![1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0]);
    let series = inverse * all::<A, N>(0.5) + z * polynomial::<A, N>(z, terms);
    let far = ln::<A, N>(x) - series;
    let (mut y, mut sum) = (x, all::<A, N>(0.0));
    // From 4 to between 1 and 2.
    #[unroll]
    for _ in 0..2 {
        let is_more = y.greater_equal(&all::<A, N>(2.0));
        let next = y - all::<A, N>(1.0);
        sum = select_many(is_more, sum + all::<A, N>(1.0) / next, sum);
        y = select_many(is_more, next, y);
    }
    select_many(x.less_than(&all::<A, N>(FAR)), sum + digamma_near::<A, N>(y), far)
}

/// Between 1 and 2: the distance to the zero, in two parts, times a polynomial at Chebyshev's points.
#[cube]
fn digamma_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![
        0.9510558760318328,
        -0.42362749747529066,
        0.24054253501497624,
        -0.1483988613883281,
        0.09498468507487738,
        -0.062055980386091954,
        0.040850026740824504,
        -0.025786883631264544,
        0.01711498899971067,
        -0.016373620255320655,
        0.010902588672572695,
    ]);
    let distance = held::<A, N>(x - all::<A, N>(ROOT[0])) - all::<A, N>(ROOT[1]);
    distance * polynomial::<A, N>(x - all::<A, N>(1.5), terms)
}

/// `π / tan(πx)` up to 1/2, by the sines of both angles of the triangle.
#[cube]
fn pi_over_tangent<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let left = all::<A, N>(0.5) - Vector::abs(x);
    let cosine = left * sin_ratio::<A, N>(left);
    cosine / (x * sin_ratio::<A, N>(x)) * all::<A, N>(PI)
}

#[cube]
pub(super) fn trigamma<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
    let is_left = x.less_than(&zero);
    let mut y = select_many(is_left, one - x, x);
    let mut sum = zero;
    #[unroll]
    for _ in 0..STEPS {
        let is_near = y.less_than(&all::<A, N>(FAR));
        let inverse = one / y;
        sum = select_many(is_near, sum + inverse * inverse, sum);
        y = select_many(is_near, y + one, y);
    }
    let inverse = one / y;
    let z = inverse * inverse;
    let terms = comptime!(vec![1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0]);
    let series = inverse * all::<A, N>(0.5) + z * polynomial::<A, N>(z, terms);
    let value = sum + inverse * (one + series);
    let rest = x - Vector::round(x);
    let secant = one / (rest * sin_ratio::<A, N>(rest));
    select_many(is_left, secant * secant - value, value)
}

/// `sin(πx) / πx` up to 1/2, a polynomial in x² at Chebyshev's points.
#[cube]
fn sin_ratio<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![
        0.999999995698809,
        -1.6449332063351194,
        0.8117148426658763,
        -0.19044175272048114,
        0.02471864459807641,
    ]);
    polynomial::<A, N>(x * x, terms)
}
