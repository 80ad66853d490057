//! Functions that are as exact as halves need, and take fewer instructions than those that are as exact as
//! f32.

use super::parts::{all, polynomial};
use cubecl::prelude::*;

/// `2^64`: what is smaller than it and larger than its reciprocal has a normal reciprocal.
const SCALE: f64 = 18_446_744_073_709_551_616.0;

/// `a / b` as a product with `1 / b`, which is computed once if `b` is the same for many `a`. It is off by
/// less than two units in the last place. `b` is scaled so that its reciprocal is a normal number.
#[cube]
pub(crate) fn quotient<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    let (one, up, down) = (all::<A, N>(1.0), all::<A, N>(SCALE), all::<A, N>(comptime!(1.0 / SCALE)));
    let size = Vector::abs(b);
    let scale = select_many(size.greater_than(&up), down, select_many(size.less_than(&down), up, one));
    a * scale * (one / (b * scale))
}

/// `tanh(x)`, off by less than `1e-6` of it: Taylor's series near 0, and elsewhere `(1 - e) / (1 + e)` with
/// `e = exp(-2 |x|)`.
#[cube]
pub(crate) fn tanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (one, size, square) = (all::<A, N>(1.0), Vector::abs(x), x * x);
    let terms = comptime!(vec![-1.0 / 3.0, 2.0 / 15.0, -17.0 / 315.0]);
    let near = x + x * square * polynomial::<A, N>(square, terms);
    let e = Vector::exp(size * all::<A, N>(-2.0));
    let far = (one - e) * (one / (one + e));
    let far = select_many(x.less_than(&all::<A, N>(0.0)), -far, far);
    select_many(size.less_than(&all::<A, N>(0.25)), near, far)
}
