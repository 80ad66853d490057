//! Whole numbers near a float.
//!
//! In f64 they come from `floor`: Mesa's processor driver loses the sign of zero in `trunc` and `round`, on a
//! processor without AVX.

use super::parts::{all, is_double, with_sign};
use cubecl::prelude::*;

/// The whole number next to `x` on the side of zero.
#[cube]
pub(super) fn trunc<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let is_double = is_double::<A>();
    if comptime!(is_double) { with_sign::<A, N>(Vector::floor(Vector::abs(x)), x) } else { Vector::trunc(x) }
}

/// The nearest whole number; of two, the even one.
#[cube]
pub(super) fn round<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    let is_double = is_double::<A>();
    if comptime!(is_double) {
        let below = Vector::floor(Vector::abs(x));
        let (rest, half) = (Vector::abs(x) - below, all::<A, N>(0.5));
        let is_odd = Vector::floor(below * half).not_equal(&(below * half));
        let is_up = rest.greater_than(&half).or(rest.equal(&half).vec_and(is_odd));
        with_sign::<A, N>(select_many(is_up, below + all::<A, N>(1.0), below), x)
    } else {
        Vector::round(x)
    }
}
