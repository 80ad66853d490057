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
        Int(quotient_and_rest(self.0, other.0).0)
    }
}

impl Rem for Int {
    type Output = Int;
    #[inline(always)]
    fn rem(self, other: Int) -> Int {
        Int(quotient_and_rest(self.0, other.0).1)
    }
}

/// The quotient, rounded to zero, and the rest, which has the sign of `a`; both are 0 if `b` is 0.
///
/// Processors have no division of whole vectors of ints, so this one multiplies floats. The first product is
/// right to about 51 bits, so that the rest is at most a few thousand times as large as `b`; the second
/// product is right up to 1. What is larger than an i64 on the way wraps around, and the rest does not.
#[inline(always)]
fn quotient_and_rest(a: i64, b: i64) -> (i64, i64) {
    let inverse = 1.0 / b as f64;
    let first = (a as f64 * inverse) as i64;
    let rest = a.wrapping_sub(first.wrapping_mul(b));
    let second = (rest as f64 * inverse) as i64;
    let rest = rest.wrapping_sub(second.wrapping_mul(b));
    // One step of |b| towards the sign of `a`, or away from it.
    let (sign, size) = (a >> 63 | 1, b.unsigned_abs());
    let steps =
        i64::from((rest ^ a) < 0 && rest != 0) - i64::from((rest ^ a) >= 0 && rest.unsigned_abs() >= size);
    let rest = rest.wrapping_add((steps * sign).wrapping_mul(size as i64));
    let quotient = first.wrapping_add(second).wrapping_sub((steps * sign).wrapping_mul(b >> 63 | 1));
    if b == 0 { (0, 0) } else { (quotient, rest) }
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
