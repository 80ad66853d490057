//! Inverse trigonometry.

use super::super::parts::{all, polynomial};
use super::super::words::{has_bit, to_bits};
use super::{copysign, inverse, over, root};
use cubecl::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

/// The arc tangent of 0 to 1, off by `5e-6` of it.
#[cube]
fn atan_unit<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let terms =
        comptime!(vec![1.0, -0.3330889999, 0.1961830895, -0.1225149992, 0.05877023832, -0.01395509411]);
    x * polynomial::<A, N>(x * x, terms)
}

#[cube]
pub(crate) fn atan<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let is_beyond = size.greater_than(&all::<A, N>(1.0));
    let angle = atan_unit::<A, N>(select_many(is_beyond, inverse::<A, N>(size), size));
    copysign::<A, N>(select_many(is_beyond, all::<A, N>(FRAC_PI_2) - angle, angle), x)
}

#[cube]
pub(crate) fn atan2<A: Float, N: Size>(y: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    let (zero, one) = (all::<A, N>(0.0), all::<A, N>(1.0));
    let (rise, run) = (Vector::abs(y), Vector::abs(x));
    let steep = rise.greater_than(&run);
    let (low, high) = (select_many(steep, run, rise), select_many(steep, rise, run));
    // Equal ones, infinities and zeros included, have a ratio of 1 or, at the origin, of 0.
    let of_equal = select_many(low.equal(&zero), zero, one);
    let ratio = select_many(low.equal(&high), of_equal, over::<A, N>(low, high));
    let angle = atan_unit::<A, N>(ratio);
    let angle = select_many(steep, all::<A, N>(FRAC_PI_2) - angle, angle);
    let is_left = has_bit::<N>(to_bits::<A, N>(x), 0x8000_0000u32);
    copysign::<A, N>(select_many(is_left, all::<A, N>(PI) - angle, angle), y)
}

/// `asin(|x|)` below 1/2, and half of `acos(|x|)` from there, off by `1.8e-6` of it.
#[cube]
fn asin_parts<A: Float, N: Size>(size: Vector<A, N>, is_near: Vector<bool, N>) -> Vector<A, N> {
    let half = all::<A, N>(0.5);
    let square = select_many(is_near, size * size, half - size * half);
    let s = select_many(is_near, size, root::<A, N>(square));
    let terms = comptime!(vec![1.0, 0.1668012594, 0.07189979688, 0.06410730897]);
    s * polynomial::<A, N>(square, terms)
}

#[cube]
pub(crate) fn asin<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let is_near = size.less_than(&all::<A, N>(0.5));
    let part = asin_parts::<A, N>(size, is_near);
    let far = all::<A, N>(FRAC_PI_2) - part * all::<A, N>(2.0);
    copysign::<A, N>(select_many(is_near, part, far), x)
}

#[cube]
pub(crate) fn acos<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let size = Vector::abs(x);
    let is_near = size.less_than(&all::<A, N>(0.5));
    let part = copysign::<A, N>(asin_parts::<A, N>(size, is_near), x);
    let start = select_many(x.less_than(&all::<A, N>(0.0)), all::<A, N>(PI), all::<A, N>(0.0));
    let far = part * all::<A, N>(2.0) + start;
    select_many(is_near, all::<A, N>(FRAC_PI_2) - part, far)
}
