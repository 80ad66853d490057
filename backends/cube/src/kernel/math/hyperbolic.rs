//! Hyperbolic functions and their inverses, from exponentials and logarithms with all digits near the points
//! where they vanish.

use super::exponents::{expm1, ln, log1p};
use super::parts::{all, with_sign};
use cubecl::prelude::*;
use std::f64::consts::LN_2;

/// Near 0 through expm1.
#[cube]
pub(super) fn sinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let e = expm1::<A, N>(size);
    let near = (e + e / (e + all::<A, N>(1.0))) * all::<A, N>(0.5);
    let value = select_many(size.less_than(&all::<A, N>(20.0)), near, half_exp::<A, N>(size));
    with_sign::<A, N>(value, x)
}

#[cube]
pub(super) fn cosh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let e = Vector::exp(size);
    let near = (e + all::<A, N>(1.0) / e) * all::<A, N>(0.5);
    select_many(size.less_than(&all::<A, N>(20.0)), near, half_exp::<A, N>(size))
}

/// Half of an exponential, in two factors: it overflows where its own value does.
#[cube]
fn half_exp<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let half = Vector::exp(x * all::<A, N>(0.5));
    half * all::<A, N>(0.5) * half
}

#[cube]
pub(super) fn tanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let e = expm1::<A, N>(size * all::<A, N>(2.0));
    let near = e / (e + all::<A, N>(2.0));
    let far = select_many(Vector::is_nan(x), x, all::<A, N>(1.0));
    with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(20.0)), near, far), x)
}

#[cube]
pub(super) fn asinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let size = Vector::abs(x);
    let square = size * size;
    let near = log1p::<A, N>(size + square / (one + Vector::sqrt(square + one)));
    let far = ln::<A, N>(size) + all::<A, N>(LN_2);
    with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(1e8)), near, far), x)
}

#[cube]
pub(super) fn acosh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let t = x - one;
    let near = log1p::<A, N>(t + Vector::sqrt(t * (t + all::<A, N>(2.0))));
    let far = ln::<A, N>(x) + all::<A, N>(LN_2);
    let value = select_many(x.less_than(&all::<A, N>(1e8)), near, far);
    select_many(x.less_than(&one), all::<A, N>(f64::NAN), value)
}

#[cube]
pub(super) fn atanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let value = log1p::<A, N>((size + size) / (all::<A, N>(1.0) - size)) * all::<A, N>(0.5);
    with_sign::<A, N>(value, x)
}
