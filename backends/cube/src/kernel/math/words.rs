//! Floats of 32 bits as words, and words in all lanes.

use cubecl::prelude::*;

#[cube]
pub(super) fn to_bits<A: Float, N: Size>(x: Vector<A, N>) -> Vector<u32, N> {
    Vector::<u32, N>::reinterpret(Vector::<f32, N>::cast_from(x))
}

#[cube]
pub(super) fn from_bits<A: Float, N: Size>(bits: Vector<u32, N>) -> Vector<A, N> {
    Vector::<A, N>::cast_from(Vector::<f32, N>::reinterpret(bits))
}

#[cube]
pub(super) fn has_bit<N: Size>(words: Vector<u32, N>, #[comptime] bit: u32) -> Vector<bool, N> {
    (words & word::<N>(bit)).not_equal(&word::<N>(0u32))
}

/// A word in all lanes.
#[cube]
pub(super) fn word<N: Size>(#[comptime] value: u32) -> Vector<u32, N> {
    Vector::<u32, N>::new(value)
}
