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

/// `erf(x)`, off by less than `3e-7` of it: an odd polynomial near 0, and elsewhere `1 - exp(-t q(t))` with
/// `t = |x|`. The polynomials are fitted to the least largest error (Lawson's algorithm).
#[cube]
pub(crate) fn erf<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let near = comptime!(vec![1.128379017, -3.761073406e-1, 1.124562921e-1, -2.438930966e-2]);
    let near = x * polynomial::<A, N>(x * x, near);
    let far = comptime!(vec![
        1.128477829,
        6.359069861e-1,
        1.049042810e-1,
        -2.257416099e-2,
        3.083822848e-3,
        -1.933892779e-4,
    ]);
    // From 4 on the result is 1 in f32.
    let four = all::<A, N>(4.0);
    let t = select_many(size.greater_than(&four), four, size);
    let far = all::<A, N>(1.0) - Vector::exp(-(t * polynomial::<A, N>(t, far)));
    let far = select_many(x.less_than(&all::<A, N>(0.0)), -far, far);
    select_many(size.less_than(&all::<A, N>(0.5)), near, far)
}

/// `erfc(x)`, off by less than `6e-5` of it, which is an eighth of the rounding of f16: `exp(-t q(t))` with
/// `t = |x|`, and 2 minus this left of 0. The polynomial is fitted as that of [`erf`].
#[cube]
pub(crate) fn erfc<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let t = Vector::abs(x);
    let terms = comptime!(vec![
        1.128148887,
        6.366018822e-1,
        1.049998020e-1,
        -2.354613205e-2,
        3.841067643e-3,
        -4.325527790e-4,
        3.153264476e-5,
        -1.330651857e-6,
        2.458452126e-8,
    ]);
    let tail = Vector::exp(-(t * polynomial::<A, N>(t, terms)));
    select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(2.0) - tail, tail)
}
