//! From one kind to another.

use super::parts::all;
use cubecl::prelude::*;

/// Truncates and saturates; NaN gives 0.
#[cube]
pub(crate) fn to_int<A: Float, I: Int, N: Size>(x: Vector<A, N>) -> Vector<I, N> {
    let bits = I::size_bits().comptime();
    let bound = comptime!(2f64.powi(bits as i32 - 1));
    let largest = comptime!(if bits == 64 { i64::MAX } else { (1i64 << (bits - 1)) - 1 });
    let smallest = comptime!(-largest - 1);
    let zero = all::<A, N>(0.0);
    let above = x.greater_equal(&all::<A, N>(bound));
    let below = x.less_than(&all::<A, N>(-bound));
    let outside = above.or(below).or(Vector::is_nan(x));
    let inside = Vector::<I, N>::cast_from(Vector::trunc(select_many(outside, zero, x)));
    let high = Vector::<I, N>::new(I::new(largest));
    let low = Vector::<I, N>::new(I::new(smallest));
    select_many(above, high, select_many(below, low, inside))
}

/// `x != 0`, which NaN is.
#[cube]
pub(crate) fn float_to_bool<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    !x.equal(&all::<A, N>(0.0))
}

#[cube]
pub(crate) fn int_to_bool<I: Int, N: Size>(x: Vector<I, N>) -> Vector<bool, N> {
    !x.equal(&Vector::<I, N>::new(I::new(0)))
}
