//! Elementary functions of one element, without branches, so that a loop over them becomes SIMD code.
//!
//! Each is within 2 units in the last place over the whole range, subnormals and special values included.

use super::isa::Isa;

/// A float that has a fused multiply-add.
pub(super) trait Fused: Copy {
    /// `a * b + c`, rounded once if that is one instruction of `I`.
    fn fused<I: Isa>(a: Self, b: Self, c: Self) -> Self;
}

impl Fused for f32 {
    #[inline(always)]
    fn fused<I: Isa>(a: f32, b: f32, c: f32) -> f32 {
        if I::FMA { a.mul_add(b, c) } else { a * b + c }
    }
}

impl Fused for f64 {
    #[inline(always)]
    fn fused<I: Isa>(a: f64, b: f64, c: f64) -> f64 {
        if I::FMA { a.mul_add(b, c) } else { a * b + c }
    }
}

/// `a * b + c`, rounded once if that is one instruction of `I`.
#[inline(always)]
pub(super) fn fma<I: Isa, T: Fused>(a: T, b: T, c: T) -> T {
    T::fused::<I>(a, b, c)
}
