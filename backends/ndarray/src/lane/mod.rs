//! What a generated body computes with: one element of a block, in the arithmetic of one instruction set.
//!
//! A body is generic over [`Lane`] and holds only straight-line code, so the loop around it (in
//! [`block`](crate::block)) is compiled once per instruction set and vectorised there; the lane's type says
//! which set, and so whether a fused multiply-add is one instruction.

mod int;
mod isa;
mod math;
mod scalar;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

pub use int::Int;
pub use isa::{Isa, Level};
pub(crate) use isa::{OfRows, Routine, dispatch, dispatch_body};
pub use scalar::Scalar;

/// Arithmetic of a generated body on floats. Functions follow IEEE 754 and, at special values, PyTorch.
///
/// `%` is Rust's: the result has the sign of the dividend.
#[allow(missing_docs, reason = "each method without a comment is the primitive of its name")]
#[rustfmt::skip]
pub trait Lane:
    Copy + Debug + Send + Sync + 'static
    + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Rem<Output = Self> + Neg<Output = Self>
{
    /// Truth values.
    type Mask: MaskLane;
    /// Integers.
    type Int: IntLane<Mask = Self::Mask>;
    /// The storage element that one lane is computed in: f32 or f64.
    type Element: Copy + Debug + Default + Send + Sync + 'static;

    /// Whether a block has elements of many rows.
    const OF_ROWS: bool;

    /// A constant.
    fn float(value: f64) -> Self;
    /// A constant.
    fn int(value: i64) -> Self::Int;
    /// A constant.
    fn mask(value: bool) -> Self::Mask;
    /// From storage.
    fn load(element: Self::Element) -> Self;
    /// To storage.
    fn store(self) -> Self::Element;

    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn expm1(self) -> Self;
    fn ln(self) -> Self;
    fn log2(self) -> Self;
    fn log1p(self) -> Self;
    fn sqrt(self) -> Self;
    fn rsqrt(self) -> Self;
    fn recip(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
    fn erf(self) -> Self;
    fn erfc(self) -> Self;
    fn lgamma(self) -> Self;
    fn digamma(self) -> Self;
    fn trigamma(self) -> Self;
    fn abs(self) -> Self;
    /// -1, 0 or 1; 0 for NaN.
    fn sign(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    /// Halves go to the even neighbour.
    fn round(self) -> Self;
    /// NaN if either is.
    fn maximum(self, other: Self) -> Self;
    /// NaN if either is.
    fn minimum(self, other: Self) -> Self;
    fn pow(self, exponent: Self) -> Self;
    /// The angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;
    /// `self * factor + term`, rounded once where that is one instruction.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    fn lt(self, other: Self) -> Self::Mask;
    fn le(self, other: Self) -> Self::Mask;
    fn gt(self, other: Self) -> Self::Mask;
    fn ge(self, other: Self) -> Self::Mask;
    fn equal(self, other: Self) -> Self::Mask;
    fn not_equal(self, other: Self) -> Self::Mask;
    fn is_nan(self) -> Self::Mask;
    fn is_finite(self) -> Self::Mask;

    /// `a` where the mask holds, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `a` where the mask holds, else `b`.
    fn select_int(mask: Self::Mask, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `a` where the mask holds, else `b`.
    fn select_mask(mask: Self::Mask, a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// A random number in [0, 1) for a seed, a stream and a position.
    fn random(seed: Self::Int, stream: Self::Int, position: Self::Int) -> Self;

    /// Rounded to nearest.
    fn from_int(value: Self::Int) -> Self;
    /// 0 or 1.
    fn from_mask(value: Self::Mask) -> Self;
    /// 0 or 1.
    fn int_from_mask(value: Self::Mask) -> Self::Int;
    /// Truncates and saturates; NaN gives 0.
    fn to_int(self) -> Self::Int;
    /// Whether it is not 0.
    fn to_mask(self) -> Self::Mask;
}

/// Arithmetic on integers, all of it total: it wraps around, and division or remainder by 0 is 0.
///
/// `/` truncates; `%` has the sign of the dividend. A shift by a negative number, or by 64 and more, moves
/// all bits out.
#[allow(missing_docs, reason = "each method without a comment is the primitive of its name")]
#[rustfmt::skip]
pub trait IntLane:
    Copy + Debug + Send + Sync + 'static
    + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Rem<Output = Self> + Neg<Output = Self>
    + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Shl<Output = Self> + Shr<Output = Self>
{
    /// Truth values.
    type Mask: MaskLane;

    /// To storage.
    fn store(self) -> i64;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn maximum(self, other: Self) -> Self;
    fn minimum(self, other: Self) -> Self;
    fn lt(self, other: Self) -> Self::Mask;
    fn le(self, other: Self) -> Self::Mask;
    fn gt(self, other: Self) -> Self::Mask;
    fn ge(self, other: Self) -> Self::Mask;
    fn equal(self, other: Self) -> Self::Mask;
    fn not_equal(self, other: Self) -> Self::Mask;
    /// Whether it is not 0.
    fn to_mask(self) -> Self::Mask;
}

/// Truth values: `&`, `|`, `^`, `!` and equality.
#[allow(missing_docs, reason = "each method without a comment is the primitive of its name")]
#[rustfmt::skip]
pub trait MaskLane:
    Copy + Debug + Send + Sync + 'static
    + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// To storage.
    fn store(self) -> bool;
    fn equal(self, other: Self) -> Self;
    fn not_equal(self, other: Self) -> Self;
}

impl MaskLane for bool {
    #[inline(always)]
    fn store(self) -> bool {
        self
    }
    #[inline(always)]
    fn equal(self, other: bool) -> bool {
        self == other
    }
    #[inline(always)]
    fn not_equal(self, other: bool) -> bool {
        self != other
    }
}
