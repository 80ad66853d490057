//! What a generated body computes with: one element now, or several at once when a skeleton chooses so.
//!
//! A body is generic over [`Lane`] and holds only straight-line code, so the loop around it (in [`block`](crate::block))
//! is compiled once per instruction set and vectorised there; `FMA` says whether a fused multiply-add is one instruction.

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Arithmetic of a generated body. Functions follow IEEE 754 and, at special values, PyTorch.
#[allow(missing_docs, reason = "each method is the primitive of its name")]
pub trait Lane:
    Copy + Debug + Send + Sync + 'static
    + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Truth values.
    type Mask: Copy + Debug + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// Integers; operators wrap around.
    type Int: Copy + Debug + Add<Output = Self::Int> + Sub<Output = Self::Int> + Mul<Output = Self::Int> + Neg<Output = Self::Int>;
    /// The storage element that one lane is computed in: f32 or f64.
    type Element: Copy + Debug + Send + Sync + 'static;

    /// A constant.
    fn float(value: f64) -> Self;
    /// A constant.
    fn int(value: i64) -> Self::Int;
    /// A constant.
    fn mask(value: bool) -> Self::Mask;
}
