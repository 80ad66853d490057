//! Hyperbolic functions and their inverses, from exponentials and logarithms: of f64 as in fdlibm. Those of
//! f32 are computed in f64 and rounded once, where a difference may lose bits that f32 lacks.

use super::exp::{expm1, half_exp};
use super::log::{ln, log1p};
use crate::lane::isa::Isa;
use std::f64::consts::LN_2;

/// From here on `exp(-x)` is nothing beside `exp(x)`.
const FAR: f64 = 22.0;
/// From here on `1 + x^2` is `x^2`, and the square is far from infinite.
const LARGE: f64 = 1e18;

/// Below it, the functions of f32 are series: their differences would lose more.
const NEAR: f64 = 1.0 / 1024.0;

/// The hyperbolic sine.
#[inline(always)]
pub(in crate::lane) fn sinh64<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let t = expm1::<I, f64>(a);
    let near = 0.5 * (t + t / (t + 1.0));
    if a < FAR { near } else { half_exp::<I, f64>(a) }.copysign(x)
}

/// The hyperbolic sine.
#[inline(always)]
pub(in crate::lane) fn sinh32<I: Isa>(x: f32) -> f32 {
    let x = f64::from(x);
    let half = half_exp::<I, f64>(x.abs());
    let far = (half - 0.25 / half).copysign(x);
    (if x.abs() < NEAR { x + x * x * x * (1.0 / 6.0) } else { far }) as f32
}

/// The hyperbolic cosine.
#[inline(always)]
pub(in crate::lane) fn cosh<I: Isa>(x: f64) -> f64 {
    let half = half_exp::<I, f64>(x.abs());
    half + 0.25 / half
}

/// The inverse of the hyperbolic sine.
#[inline(always)]
pub(in crate::lane) fn asinh64<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let square = a * a;
    let near = a + square / (1.0 + (1.0 + square).sqrt());
    log_of_sum::<I>(a, near).copysign(x)
}

/// The inverse of the hyperbolic sine.
#[inline(always)]
pub(in crate::lane) fn asinh32<I: Isa>(x: f32) -> f32 {
    let x = f64::from(x);
    let a = x.abs();
    let far = ln::<I, f64>(a + (a * a + 1.0).sqrt());
    if a < NEAR { a - a * a * a * (1.0 / 6.0) } else { far }.copysign(x) as f32
}

/// The inverse of the hyperbolic cosine; NaN below 1.
#[inline(always)]
pub(in crate::lane) fn acosh64<I: Isa>(x: f64) -> f64 {
    let t = x - 1.0;
    let y = log_of_sum::<I>(x, t + (t * (t + 2.0)).sqrt());
    if x < 1.0 { f64::NAN } else { y }
}

/// The inverse of the hyperbolic cosine; NaN below 1.
#[inline(always)]
pub(in crate::lane) fn acosh32<I: Isa>(x: f32) -> f32 {
    let x = f64::from(x);
    let y = ln::<I, f64>(x + ((x - 1.0) * (x + 1.0)).sqrt());
    (if x < 1.0 { f64::NAN } else { y }) as f32
}

/// The inverse of the hyperbolic tangent; NaN outside of [-1, 1].
#[inline(always)]
pub(in crate::lane) fn atanh64<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let double = a + a;
    let sum = if a < 0.5 { double + double * a / (1.0 - a) } else { double / (1.0 - a) };
    (0.5 * log1p::<I, f64>(sum)).copysign(x)
}

/// The inverse of the hyperbolic tangent; NaN outside of [-1, 1].
#[inline(always)]
pub(in crate::lane) fn atanh32<I: Isa>(x: f32) -> f32 {
    let x = f64::from(x);
    let far = 0.5 * ln::<I, f64>((1.0 + x) / (1.0 - x));
    (if x.abs() < NEAR { x + x * x * x * (1.0 / 3.0) } else { far }) as f32
}

/// The logarithm of `1 + near`, which is `2 a` where `a` is large.
#[inline(always)]
fn log_of_sum<I: Isa>(a: f64, near: f64) -> f64 {
    let is_large = a > LARGE;
    log1p::<I, f64>(if is_large { a } else { near }) + if is_large { LN_2 } else { 0.0 }
}
