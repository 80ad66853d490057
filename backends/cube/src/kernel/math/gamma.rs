//! Derivatives of the logarithm of the gamma function in f32, by the formulas of the language's reference
//! with fewer terms.

use super::{all, polynomial};
use cubecl::prelude::*;

/// From here on the series have all digits of an f32, and so many steps lead there from 0.
const FAR: f64 = 4.0;
const STEPS: u32 = 4;

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
