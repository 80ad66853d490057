//! f32 and f64 as one: constants, bit patterns and the polynomials that differ in degree.

use crate::lane::isa::Isa;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A polynomial in Horner's form, constant first.
macro_rules! polynomial {
    ($isa:ident, $x:expr; $last:expr) => { $last };
    ($isa:ident, $x:expr; $first:expr, $($rest:expr),+ $(,)?) => {
        $crate::lane::math::real::fma::<$isa, _>(polynomial!($isa, $x; $($rest),+), $x, $first)
    };
}
pub(super) use polynomial;

/// A float that elementary functions are written for.
#[rustfmt::skip]
pub(in crate::lane) trait Real:
    Copy + Debug + PartialOrd
    + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// 1.5 times the number from which on all floats are integers: adding it rounds, and leaves the integer
    /// in the low bits.
    const ROUND: Self;
    /// Where exp is infinite.
    const EXP_MAX: Self;
    /// Where exp is zero.
    const EXP_MIN: Self;
    /// Where expm1 is -1.
    const EXPM1_MIN: Self;
    /// Where 2 to the power is infinite.
    const EXP2_MAX: Self;
    /// Where 2 to the power is zero.
    const EXP2_MIN: Self;
    /// Where tanh is 1.
    const TANH_MAX: Self;
    /// Below it, x is expm1(x) and log1p(x) to half a unit in the last place.
    const TINY: Self;
    /// Leading bits of ln 2; its products with exponents are exact.
    const LN2_HI: Self;
    /// The rest of ln 2.
    const LN2_LO: Self;
    /// Leading bits of log2 e.
    const LOG2E_HI: Self;
    /// The rest of log2 e.
    const LOG2E_LO: Self;

    /// A constant.
    fn of(value: f64) -> Self;
    /// `a * b + c`, rounded once if that is one instruction of `I`.
    fn fused<I: Isa>(a: Self, b: Self, c: Self) -> Self;
    /// Without its sign.
    fn magnitude(self) -> Self;
    /// With the sign of another.
    fn with_sign(self, of: Self) -> Self;
    /// With so many low bits of the mantissa cleared that the product with [`Real::LOG2E_HI`] is exact.
    fn upper_half(self) -> Self;
    /// 2 to the integer in the low bits of `rounded`, a sum with [`Real::ROUND`].
    fn two_to(rounded: Self) -> Self;
    /// `(exp(r) - 1 - r) / r^2` for |r| up to ln(2)/2.
    fn exp_tail<I: Isa>(r: Self) -> Self;
    /// Exponent k and m - 1 of a positive x = 2^k m with m from sqrt(1/2) to sqrt(2).
    fn split(x: Self) -> (Self, Self);
    /// `(ln(1 + s) - ln(1 - s) - 2 s) / s` from z = s^2.
    fn log_tail<I: Isa>(z: Self) -> Self;
}

/// `a * b + c`, rounded once if that is one instruction of `I`.
#[inline(always)]
pub(in crate::lane) fn fma<I: Isa, T: Real>(a: T, b: T, c: T) -> T {
    T::fused::<I>(a, b, c)
}

/// What [`FRAC_PI_2`](std::f64::consts::FRAC_PI_2) lacks.
pub(super) const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;

/// A product, and what rounding it lost (Dekker 1971 where there is no fused multiply-add).
#[inline(always)]
pub(super) fn two_product<I: Isa>(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    if I::FMA {
        return (product, a.mul_add(b, -product));
    }
    let high = |x: f64| f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000);
    let (a_high, b_high) = (high(a), high(b));
    let (a_low, b_low) = (a - a_high, b - b_high);
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// What has one spelling for both types.
macro_rules! shared {
    ($t:ident) => {
        #[inline(always)]
        fn of(value: f64) -> $t {
            value as $t
        }
        #[inline(always)]
        fn fused<I: Isa>(a: $t, b: $t, c: $t) -> $t {
            if I::FMA { a.mul_add(b, c) } else { a * b + c }
        }
        #[inline(always)]
        fn magnitude(self) -> $t {
            self.abs()
        }
        #[inline(always)]
        fn with_sign(self, of: $t) -> $t {
            self.copysign(of)
        }
    };
}

impl Real for f32 {
    const ROUND: f32 = 12582912.0;
    const EXP_MAX: f32 = 89.0;
    const EXP_MIN: f32 = -104.0;
    const EXPM1_MIN: f32 = -20.0;
    const EXP2_MAX: f32 = 129.0;
    const EXP2_MIN: f32 = -151.0;
    const TANH_MAX: f32 = 10.0;
    const TINY: f32 = f32::EPSILON / 4.0;
    const LN2_HI: f32 = 6.931_457_5e-1;
    const LN2_LO: f32 = 1.428_606_8e-6;
    const LOG2E_HI: f32 = 1.442_871_1;
    const LOG2E_LO: f32 = -1.760_528_5e-4;

    shared!(f32);

    #[inline(always)]
    fn upper_half(self) -> f32 {
        f32::from_bits(self.to_bits() & 0xffff_f000)
    }
    #[inline(always)]
    fn two_to(rounded: f32) -> f32 {
        f32::from_bits((rounded.to_bits() << 23).wrapping_add(1f32.to_bits()))
    }
    #[inline(always)]
    fn exp_tail<I: Isa>(r: f32) -> f32 {
        polynomial!(I, r; 0.5, 0.166_666_67, 0.041666463, 0.008_333_310_5, 0.001_393_365_6, 0.000_198_909_97)
    }
    #[inline(always)]
    fn split(x: f32) -> (f32, f32) {
        let normal = x >= f32::MIN_POSITIVE;
        let scaled = if normal { x } else { x * 33554432.0 };
        let bits = scaled.to_bits().wrapping_add(0x3f80_0000 - 0x3f35_04f3);
        let exponent = (bits >> 23) as i32 - if normal { 127 } else { 127 + 25 };
        (exponent as f32, f32::from_bits((bits & 0x007f_ffff) + 0x3f35_04f3) - 1.0)
    }
    /// Coefficients of musl's logf.
    #[inline(always)]
    fn log_tail<I: Isa>(z: f32) -> f32 {
        z * polynomial!(I, z; 0.666_666_6, 0.400_009_72, 0.284_987_87, 0.242_790_79)
    }
}

impl Real for f64 {
    const ROUND: f64 = 6755399441055744.0;
    const EXP_MAX: f64 = 710.0;
    const EXP_MIN: f64 = -746.0;
    const EXPM1_MIN: f64 = -40.0;
    const EXP2_MAX: f64 = 1025.0;
    const EXP2_MIN: f64 = -1076.0;
    const TANH_MAX: f64 = 22.0;
    const TINY: f64 = f64::EPSILON / 4.0;
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    const LOG2E_HI: f64 = 1.442_695_040_721_446_3;
    const LOG2E_LO: f64 = 1.675_171_316_488_651_2e-10;

    shared!(f64);

    #[inline(always)]
    fn upper_half(self) -> f64 {
        f64::from_bits(self.to_bits() & 0xffff_ffff_0000_0000)
    }
    #[inline(always)]
    fn two_to(rounded: f64) -> f64 {
        f64::from_bits((rounded.to_bits() << 52).wrapping_add(1f64.to_bits()))
    }
    #[inline(always)]
    fn exp_tail<I: Isa>(r: f64) -> f64 {
        polynomial!(I, r;
            0.5000000000000001, 0.16666666666666669, 0.04166666666662411, 0.00833333333333006,
            0.001388888891722439, 0.00019841269863061825, 2.4801521279371626e-05, 2.755726844724471e-06,
            2.7620096332624374e-07, 2.5100391560863576e-08)
    }
    /// The exponent becomes a float through the bits of 2^52: not every instruction set converts 64-bit
    /// integers.
    #[inline(always)]
    fn split(x: f64) -> (f64, f64) {
        let normal = x >= f64::MIN_POSITIVE;
        let scaled = if normal { x } else { x * 18014398509481984.0 };
        let bits = scaled.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd);
        let exponent = f64::from_bits((bits >> 52) | 4503599627370496f64.to_bits());
        let bias = 4503599627370496.0 + if normal { 1023.0 } else { 1023.0 + 54.0 };
        (exponent - bias, f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + 0x3fe6_a09e_667f_3bcd) - 1.0)
    }
    /// Coefficients of fdlibm's log.
    #[inline(always)]
    fn log_tail<I: Isa>(z: f64) -> f64 {
        z * polynomial!(I, z;
            6.666_666_666_666_735e-1, 3.999_999_999_940_942e-1, 2.857_142_874_366_239e-1, 2.222_219_843_214_978_4e-1,
            1.818_357_216_161_805e-1, 1.531_383_769_920_937_3e-1, 1.479_819_860_511_658_6e-1)
    }
}
