//! The logarithm of the gamma function and its derivatives in f32: by the formulas of the language's
//! reference (`tensor_op_spec::prim::gamma`), with fewer terms.

use super::exponents::ln;
use super::parts::{all, held, polynomial};
use cubecl::prelude::*;
use std::f64::consts::PI;
use tensor_op_spec::prim::gamma::ROOT;

/// From here on the series have all digits of an f32, and so many steps lead there from 0.
const FAR: f64 = 4.0;
const STEPS: u32 = 4;
const LN_TWO_PI: f64 = 1.8378770664093453;

/// That of a positive number, or of the reflected one left of 0. A small result is a product with `y - 1` and
/// `y - 2`, which are exact.
#[cube]
pub(super) fn lgamma<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
    let (is_left, is_small) = (x.less_than(&zero), x.less_than(&one));
    let size = Vector::abs(x);
    // Less than 1 is taken one step further.
    let from_1 = select_many(is_small, size, x - one);
    let value = lgamma_from_1::<A, N>(from_1, select_many(is_small, size - one, x - all::<A, N>(2.0)));
    let rest = Vector::abs(x - Vector::round(x));
    let sine = rest * sin_ratio::<A, N>(rest);
    let step = ln::<A, N>(select_many(is_left, sine, size));
    let right = select_many(is_small, value - step, value);
    let value = select_many(is_left, -(value + step), right);
    // At the poles, where the parts may be infinities with both signs.
    let is_pole = Vector::is_inf(x).or(is_left.vec_and(rest.equal(&zero)));
    select_many(is_pole, all::<A, N>(f64::INFINITY), value)
}

/// Of a number from 1 on, which is given less 1 and less 2.
#[cube]
fn lgamma_from_1<A: Float, N: Size>(from_1: Vector<A, N>, from_2: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let y = from_1 + one;
    let is_far = from_2.greater_equal(&all::<A, N>(6.0));
    let (mut a, mut b, mut product) = (from_1, from_2, one);
    // From 8 to between 2 and 3.
    #[unroll]
    for _ in 0..5 {
        let is_more = b.greater_equal(&one);
        product = select_many(is_more, product * a, product);
        a = select_many(is_more, a - one, a);
        b = select_many(is_more, b - one, b);
    }
    let logarithm = ln::<A, N>(select_many(is_far, y, product));
    let near = logarithm + a * b * lgamma_ratio::<A, N>(b);
    let inverse = one / y;
    // Stirling's series.
    let terms = comptime!(vec![1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0]);
    let series = inverse * polynomial::<A, N>(inverse * inverse, terms);
    let constant = all::<A, N>(LN_TWO_PI / 2.0 - 0.5);
    let far = (y - all::<A, N>(0.5)) * (logarithm - one) + (constant + series);
    select_many(is_far, far, near)
}

/// `lgamma(2 + x) / (x (1 + x))` from -1 to 1, a polynomial at Chebyshev's points.
#[cube]
fn lgamma_ratio<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![
        0.42278433562134904,
        -0.10031730192234674,
        0.032964949496677484,
        -0.012384167946309749,
        0.004999449511718471,
        -0.0021085141886259956,
        0.0009106399604133094,
        -0.00040346119798873476,
        0.00019553960620774955,
        -8.925200875215261e-05,
        2.0481894971659786e-05,
        -9.279912816033739e-06,
        1.9230823684436325e-05,
        -9.05981298473926e-06,
    ]);
    polynomial::<A, N>(x, terms)
}

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
