//! The error function and its complement.
//!
//! Below 1, erf is x plus x times a polynomial in x^2. Its complement is exp(-x^2) times a slowly varying
//! function, which is a polynomial in (x - 4) / (x + 4) over the whole half-line (Shepherd and Laframboise
//! 1981).

use super::exp::exp;
use super::real::{fma, polynomial};
use crate::lane::isa::Isa;

/// The error function.
#[inline(always)]
pub(in crate::lane) fn erf64<I: Isa>(x: f64) -> f64 {
    let far = (1.0 - complement::<I>(x.abs())).copysign(x);
    if x.abs() < 1.0 { near_zero::<I>(x) } else { far }
}

/// 1 - erf(x), accurate where it is small.
#[inline(always)]
pub(in crate::lane) fn erfc64<I: Isa>(x: f64) -> f64 {
    let y = complement::<I>(x.abs());
    let far = if x < 0.0 { 2.0 - y } else { y };
    if x.abs() < 0.75 { 1.0 - near_zero::<I>(x) } else { far }
}

/// erf for |x| below 1.
#[inline(always)]
fn near_zero<I: Isa>(x: f64) -> f64 {
    let z = x * x;
    let tail = polynomial!(I, z;
        0.12837916709551256, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777, 0.0052239776071164225,
        -0.0008548325975389692, 0.00012055294904839707, -1.492473690741966e-05, 1.6447424703317362e-06,
        -1.6208483801871705e-07, 1.3720064546777686e-08, -7.795898827002142e-10);
    fma::<I, f64>(x, tail, x)
}

/// The error function; from 1 to 4, its complement is exp of a polynomial.
#[inline(always)]
pub(in crate::lane) fn erf32<I: Isa>(x: f32) -> f32 {
    let z = x * x;
    let tail = polynomial!(I, z;
        0.128_379_17, -0.37612626, 0.112_835_94, -0.026_854_211, 0.005_189_087_2, -0.00080168643, 7.875_875e-5);
    let a = x.abs();
    let a = if a > 4.0 { 4.0 } else { a };
    let log = polynomial!(I, a;
        0.00032013806, -1.130_233_4, -0.631_826_04, -0.110080086, 0.026_421_135, -0.004_759_596, 0.00059680565,
        -4.605_804e-5, 1.6371514e-06);
    let far = (1.0 - exp::<I, f32>(log)).copysign(x);
    if a < 1.0 { fma::<I, f32>(x, tail, x) } else { far }
}

/// 1 - erf(x), through f64.
#[inline(always)]
pub(in crate::lane) fn erfc32<I: Isa>(x: f32) -> f32 {
    erfc64::<I>(f64::from(x)) as f32
}

/// erfc of a number that is not negative.
#[inline(always)]
fn complement<I: Isa>(x: f64) -> f64 {
    let a = if x > 28.0 { 28.0 } else { x };
    let t = (a - 4.0) / (a + 4.0);
    let ratio = polynomial!(I, t;
        1.2329951186255526, -0.13962111684056266, 0.015379652102606604, 0.06809705425471449, -0.1010390660356004,
        0.09373283499761037, -0.06633036582703292, 0.037167515547607895, -0.016197733896764707, 0.005031969913248749,
        -0.0007577743151013204, -0.00019925652396391021, 0.00015062576331303587, -2.4399062228211182e-05,
        -1.123245041907427e-05, 5.707503149095396e-06, 3.1069099723587845e-07, -8.192379625773451e-07,
        5.8048265766627736e-08, 1.0182310939611469e-07, -9.122432641818368e-09, -8.791338540915347e-09);
    let (square, error) = square::<I>(a);
    let y = exp::<I, f64>(-square) * (ratio / (1.0 + 2.0 * a));
    fma::<I, f64>(-y, error, y)
}

/// The square, and what rounding it lost (Dekker 1971 where there is no fused multiply-add).
#[inline(always)]
fn square<I: Isa>(a: f64) -> (f64, f64) {
    let square = a * a;
    if I::FMA {
        return (square, a.mul_add(a, -square));
    }
    let high = f64::from_bits(a.to_bits() & 0xffff_ffff_f800_0000);
    let low = a - high;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}
