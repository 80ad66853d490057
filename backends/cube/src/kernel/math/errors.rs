//! Error functions in f32.

use super::parts::{all, polynomial};
use cubecl::prelude::*;

/// `ln(erfc(x))` from 1 to 4, so that `1 - erfc(x)` is off by `1.6e-8`: the polynomial of this degree by
/// Remez's algorithm. From 4 on `erf` is 1 in f32.
const LN_ERFC: [f64; 6] =
    [-0.002671888436, -1.117437802, -0.6544899254, -0.08863348338, 0.01477788076, -0.001150389639];

#[cube]
pub(super) fn erf<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let (one, most, size) = (all::<A, N>(1.0), all::<A, N>(4.0), Vector::abs(x));
    let within = select_many(size.greater_than(&most), most, size);
    let far = one - Vector::exp(polynomial::<A, N>(within, comptime!(LN_ERFC.to_vec())));
    let far = select_many(x.less_than(&all::<A, N>(0.0)), -far, far);
    let value = select_many(size.less_than(&one), erf_near::<A, N>(x), far);
    select_many(Vector::is_nan(x), x, value)
}

/// After Cephes, `ndtrf.c`.
#[cube]
pub(super) fn erfc<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let is_near = Vector::abs(x).less_than(&all::<A, N>(1.0));
    select_many(is_near, all::<A, N>(1.0) - erf_near::<A, N>(x), erfc_far::<A, N>(x))
}

/// erf where |x| < 1, after Cephes too.
#[cube]
fn erf_near<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
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
fn erfc_far<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
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
