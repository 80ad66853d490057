//! The integers of a generated body: i64 with every operation defined.

use super::IntLane;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Rem, Shl, Shr, Sub};

/// An i64 whose operators wrap around and whose division and remainder by 0 are 0. A shift by too much moves
/// all bits out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Int(pub i64);

impl Add for Int {
    type Output = Int;
    #[inline(always)]
    fn add(self, other: Int) -> Int {
        Int(self.0.wrapping_add(other.0))
    }
}

impl Sub for Int {
    type Output = Int;
    #[inline(always)]
    fn sub(self, other: Int) -> Int {
        Int(self.0.wrapping_sub(other.0))
    }
}

impl Mul for Int {
    type Output = Int;
    #[inline(always)]
    fn mul(self, other: Int) -> Int {
        Int(self.0.wrapping_mul(other.0))
    }
}

impl Div for Int {
    type Output = Int;
    #[inline(always)]
    fn div(self, other: Int) -> Int {
        Int(if other.0 == 0 { 0 } else { self.0.wrapping_div(other.0) })
    }
}

impl Rem for Int {
    type Output = Int;
    #[inline(always)]
    fn rem(self, other: Int) -> Int {
        Int(if other.0 == 0 { 0 } else { self.0.wrapping_rem(other.0) })
    }
}

impl Neg for Int {
    type Output = Int;
    #[inline(always)]
    fn neg(self) -> Int {
        Int(self.0.wrapping_neg())
    }
}

impl BitAnd for Int {
    type Output = Int;
    #[inline(always)]
    fn bitand(self, other: Int) -> Int {
        Int(self.0 & other.0)
    }
}

impl BitOr for Int {
    type Output = Int;
    #[inline(always)]
    fn bitor(self, other: Int) -> Int {
        Int(self.0 | other.0)
    }
}

impl BitXor for Int {
    type Output = Int;
    #[inline(always)]
    fn bitxor(self, other: Int) -> Int {
        Int(self.0 ^ other.0)
    }
}

impl Shl for Int {
    type Output = Int;
    #[inline(always)]
    fn shl(self, by: Int) -> Int {
        // As unsigned, a negative number is large too.
        Int(if by.0 as u64 >= 64 { 0 } else { self.0 << by.0 })
    }
}

impl Shr for Int {
    type Output = Int;
    #[inline(always)]
    fn shr(self, by: Int) -> Int {
        Int(self.0 >> (by.0 as u64).min(63))
    }
}

impl IntLane for Int {
    type Mask = bool;

    #[inline(always)]
    fn store(self) -> i64 {
        self.0
    }
    #[inline(always)]
    fn abs(self) -> Int {
        Int(self.0.wrapping_abs())
    }
    #[inline(always)]
    fn sign(self) -> Int {
        Int(self.0.signum())
    }
    #[inline(always)]
    fn maximum(self, other: Int) -> Int {
        Int(self.0.max(other.0))
    }
    #[inline(always)]
    fn minimum(self, other: Int) -> Int {
        Int(self.0.min(other.0))
    }
    #[inline(always)]
    fn lt(self, other: Int) -> bool {
        self.0 < other.0
    }
    #[inline(always)]
    fn le(self, other: Int) -> bool {
        self.0 <= other.0
    }
    #[inline(always)]
    fn gt(self, other: Int) -> bool {
        self.0 > other.0
    }
    #[inline(always)]
    fn ge(self, other: Int) -> bool {
        self.0 >= other.0
    }
    #[inline(always)]
    fn equal(self, other: Int) -> bool {
        self.0 == other.0
    }
    #[inline(always)]
    fn not_equal(self, other: Int) -> bool {
        self.0 != other.0
    }
    #[inline(always)]
    fn to_mask(self) -> bool {
        self.0 != 0
    }
}
