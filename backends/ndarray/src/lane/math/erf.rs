//! The error function and its complement.
//!
//! Below 1, erf is x plus x times a polynomial in x^2. Its complement is exp(-x^2) times a slowly varying
//! function, which is a polynomial in (x - 4) / (x + 4) over the whole half-line (Shepherd and Laframboise
//! 1981).

use super::exp::exp;
use super::real::{fma, polynomial, two_product};
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
    let a = x.abs();
    let a = if a > 4.0 { 4.0 } else { a };
    let log = polynomial!(I, a;
        0.00032013806, -1.130_233_4, -0.631_826_04, -0.110080086, 0.026_421_135, -0.004_759_596, 0.00059680565,
        -4.605_804e-5, 1.6371514e-06);
    let far = (1.0 - exp::<I, f32>(log)).copysign(x);
    if a < 1.0 { near_zero32::<I>(x) } else { far }
}

/// 1 - erf(x), as [`erfc64`] with fewer terms: of (x - 2) / (x + 2) from 1/2 to 10.3.
#[inline(always)]
pub(in crate::lane) fn erfc32<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    // From here on it is 0.
    let a = if a > 10.3 { 10.3 } else { a };
    let t = (a - 2.0) / (a + 2.0);
    let ratio = polynomial!(I, t;
        1.276_978_4, -0.092_763_78, -0.166_030_94, 0.164_049_36, -0.054_209_59, -0.008_011_387, 0.008_651_485,
        0.001_166_669_4, -0.001_254_621_9, -0.000_249_697_45);
    let (square, error) = square32::<I>(a);
    let y = exp::<I, f32>(-square) * (ratio / (1.0 + 2.0 * a));
    let y = fma::<I, f32>(-y, error, y);
    let far = if x < 0.0 { 2.0 - y } else { y };
    if a < 0.5 { 1.0 - near_zero32::<I>(x) } else { far }
}

/// erf for |x| below 1.
#[inline(always)]
fn near_zero32<I: Isa>(x: f32) -> f32 {
    let z = x * x;
    let tail = polynomial!(I, z;
        0.128_379_17, -0.37612626, 0.112_835_94, -0.026_854_211, 0.005_189_087_2, -0.00080168643, 7.875_875e-5);
    fma::<I, f32>(x, tail, x)
}

/// The square, and what rounding it lost: in f64 it is exact.
#[inline(always)]
fn square32<I: Isa>(a: f32) -> (f32, f32) {
    let square = a * a;
    if I::FMA {
        return (square, a.mul_add(a, -square));
    }
    let exact = f64::from(a) * f64::from(a);
    (square, (exact - f64::from(square)) as f32)
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
    let (square, error) = two_product::<I>(a, a);
    let y = exp::<I, f64>(-square) * (ratio / (1.0 + 2.0 * a));
    fma::<I, f64>(-y, error, y)
}
