//! Inverse trigonometry in f32: shading languages promise few digits of it.

use super::parts::{all, is_double, is_negative, polynomial, with_sign};
use cubecl::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// After Cephes, `asinf.c`: `asin(s)` where `z = s²` is at most 1/4.
#[cube]
pub(super) fn asin_near<A: Float, N: Size>(s: Vector<A, N>, z: Vector<A, N>) -> Vector<A, N> {
    let terms =
        comptime!(vec![1.6666752422E-1, 7.4953002686E-2, 4.5470025998E-2, 2.4181311049E-2, 4.2163199048E-2,]);
    s + s * z * polynomial::<A, N>(z, terms)
}

#[cube]
pub(super) fn asin<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::asin(x)
    } else {
        let (half, size) = (all::<A, N>(0.5), Vector::abs(x));
        let z = (all::<A, N>(1.0) - size) * half;
        let far = all::<A, N>(FRAC_PI_2) - asin_near::<A, N>(Vector::sqrt(z), z) * all::<A, N>(2.0);
        with_sign::<A, N>(select_many(size.less_than(&half), asin_near::<A, N>(size, size * size), far), x)
    }
}

#[cube]
pub(super) fn acos<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::acos(x)
    } else {
        let (half, size) = (all::<A, N>(0.5), Vector::abs(x));
        let z = (all::<A, N>(1.0) - size) * half;
        let far = asin_near::<A, N>(Vector::sqrt(z), z) * all::<A, N>(2.0);
        let far = select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(PI) - far, far);
        let near = all::<A, N>(FRAC_PI_2) - asin_near::<A, N>(x, x * x);
        select_many(size.less_than(&half), near, far)
    }
}

/// After Cephes, `atanf.c`.
#[cube]
pub(super) fn atan<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::atan(x)
    } else {
        let (one, size) = (all::<A, N>(1.0), Vector::abs(x));
        let beyond = size.greater_than(&one);
        let angle = atan_unit::<A, N>(select_many(beyond, one / size, size));
        with_sign::<A, N>(select_many(beyond, all::<A, N>(FRAC_PI_2) - angle, angle), x)
    }
}

/// The arc tangent of 0 to 1.
#[cube]
pub(super) fn atan_unit<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let one = all::<A, N>(1.0);
    let upper = x.greater_than(&all::<A, N>(0.414_213_562_373_095));
    let s = select_many(upper, (x - one) / (x + one), x);
    let terms = comptime!(vec![-3.33329491539E-1, 1.99777106478E-1, -1.38776856032E-1, 8.05374449538E-2]);
    let angle = s + s * (s * s) * polynomial::<A, N>(s * s, terms);
    select_many(upper, angle + all::<A, N>(FRAC_PI_4), angle)
}

#[cube]
pub(super) fn atan2<A: Float, N: Size>(y: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        Vector::atan2(y, x)
    } else {
        let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
        let (rise, run) = (Vector::abs(y), Vector::abs(x));
        let steep = rise.greater_than(&run);
        let (low, high) = (select_many(steep, run, rise), select_many(steep, rise, run));
        // Equal ones, infinities and zeros included, have a ratio of 1 or, at the origin, of 0.
        let ratio = select_many(low.equal(&high), select_many(low.equal(&zero), zero, one), low / high);
        let angle = atan_unit::<A, N>(ratio);
        let angle = select_many(steep, all::<A, N>(FRAC_PI_2) - angle, angle);
        let angle = select_many(is_negative::<A, N>(x), all::<A, N>(PI) - angle, angle);
        let angle = select_many(is_negative::<A, N>(y), -angle, angle);
        select_many(Vector::is_nan(x).or(Vector::is_nan(y)), x + y, angle)
    }
}
