//! Exponentials, logarithms and hyperbolic functions with all digits near the points where they vanish; error functions in f32.

use super::{all, is_double, polynomial, with_sign};
use cubecl::prelude::*;
use std::f64::consts::LN_2;

/// Taylor's series near 0.
#[cube]
pub(super) fn expm1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        double_expm1::<A, N>(x)
    } else {
        let terms = comptime!(vec![
            1.0,
            1.0 / 2.0,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40320.0
        ]);
        let near = x * polynomial::<A, N>(x, terms);
        let is_near = Vector::abs(x).less_than(&all::<A, N>(0.5));
        select_many(is_near, near, Vector::exp(x) - all::<A, N>(1.0))
    }
}

/// By [`log1p_near`] from 1/2 to 2, where drivers have few digits.
#[cube]
pub(super) fn ln<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::ln(x)
    } else {
        let from_one = x - all::<A, N>(1.0);
        select_many(is_near::<A, N>(from_one), log1p_near::<A, N>(from_one), Vector::ln(x))
    }
}

#[cube]
pub(super) fn log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        double_log1p::<A, N>(x)
    } else {
        let far = Vector::ln(x + all::<A, N>(1.0));
        select_many(is_near::<A, N>(x), log1p_near::<A, N>(x), far)
    }
}

/// Whether [`log1p_near`] is for `x`.
#[cube]
fn is_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    x.greater_than(&all::<A, N>(-0.5)).vec_and(x.less_than(&all::<A, N>(1.0)))
}

/// log1p from -1/2 to 1: `2 artanh(s)` with `s = x / (2 + x)`, at most 1/3, by its series. Its first term is `x - s x`, whose first is
/// exact (fdlibm, `s_log1p.c`).
#[cube]
fn log1p_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let s = x / (x + all::<A, N>(2.0));
    let square = s * s;
    let terms = comptime!(vec![2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0, 2.0 / 11.0, 2.0 / 13.0]);
    x - s * (x - square * polynomial::<A, N>(square, terms))
}

/// Kahan: what `exp` has rounded away, the logarithm of its result has too. Higham, "Accuracy and Stability of Numerical Algorithms",
/// section 1.14.1.
#[cube]
fn double_expm1<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let e = Vector::exp(x);
    let less = e - one;
    let value = less * (x / Vector::ln(e));
    let value = select_many(e.equal(&one), x, value);
    let ends = Vector::is_inf(e).or(less.equal(&all::<A, N>(-1.0)));
    select_many(ends, less, value)
}

/// The same for the logarithm.
#[cube]
fn double_log1p<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let more = one + x;
    let value = Vector::ln(more) * (x / (more - one));
    let value = select_many(more.equal(&one), x, value);
    select_many(Vector::is_inf(x).or(more.equal(&all::<A, N>(0.0))), Vector::ln(more), value)
}

#[cube]
pub(super) fn sinh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    // Near 0 through expm1; far from it in two factors, which overflow where the value does.
    let size = Vector::abs(x);
    let e = expm1::<A, N>(size);
    let near = (e + e / (e + all::<A, N>(1.0))) * all::<A, N>(0.5);
    let half = Vector::exp(size * all::<A, N>(0.5));
    let far = half * all::<A, N>(0.5) * half;
    with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(20.0)), near, far), x)
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
    let far = Vector::ln(size) + all::<A, N>(LN_2);
    with_sign::<A, N>(select_many(size.less_than(&all::<A, N>(1e8)), near, far), x)
}

#[cube]
pub(super) fn acosh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let t = x - all::<A, N>(1.0);
    let near = log1p::<A, N>(t + Vector::sqrt(t * (t + all::<A, N>(2.0))));
    let far = Vector::ln(x) + all::<A, N>(LN_2);
    select_many(x.less_than(&all::<A, N>(1e8)), near, far)
}

#[cube]
pub(super) fn atanh<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let value = log1p::<A, N>((size + size) / (all::<A, N>(1.0) - size)) * all::<A, N>(0.5);
    with_sign::<A, N>(value, x)
}

/// After Cephes, `ndtrf.c`.
#[cube]
pub(super) fn erf<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let is_near = Vector::abs(x).less_than(&all::<A, N>(1.0));
    select_many(is_near, erf_near::<A, N>(x), all::<A, N>(1.0) - erfc_far::<A, N>(x))
}

#[cube]
pub(super) fn erfc<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let is_near = Vector::abs(x).less_than(&all::<A, N>(1.0));
    select_many(is_near, all::<A, N>(1.0) - erf_near::<A, N>(x), erfc_far::<A, N>(x))
}

/// erf where |x| < 1.
#[cube]
pub(super) fn erf_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms = comptime!(vec![
        1.12837916572671E+0,
        -3.7612625824233E-1,
        1.128358514861418E-1,
        -2.685381193529856E-2,
        5.188327685732524E-3,
        -8.010193625184903E-4,
        7.853861353153693E-5,
    ]);
    x * polynomial::<A, N>(x * x, terms)
}

/// erfc where |x| >= 1.
#[cube]
pub(super) fn erfc_far<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let middle = comptime!(vec![
        5.638259427386472E-1,
        -2.741127028184656E-1,
        3.404879937665872E-1,
        -4.944515323274145E-1,
        6.210004621745983E-1,
        -5.824733027278666E-1,
        3.687424674597105E-1,
        -1.387039388740657E-1,
        2.326819970068386E-2,
    ]);
    let far = comptime!(vec![
        5.641895067754075E-1,
        -2.820767439740514E-1,
        4.218463358204948E-1,
        -1.0152652792027E+0,
        2.921019019210786E+0,
        -7.495518717768503E+0,
        1.297719955372516E+1,
        -1.047766399936249E+1,
    ]);
    let size = Vector::abs(x);
    let q = all::<A, N>(1.0) / size;
    let is_middle = size.less_than(&all::<A, N>(2.0));
    let p = select_many(is_middle, polynomial::<A, N>(q * q, middle), polynomial::<A, N>(q * q, far));
    let tail = Vector::exp(-(size * size)) * q * p;
    // Below the smallest number; the polynomial may have overflowed there.
    let tail = select_many(size.greater_than(&all::<A, N>(10.5)), all::<A, N>(0.0), tail);
    let both = select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(2.0) - tail, tail);
    select_many(Vector::is_nan(x), x, both)
}
