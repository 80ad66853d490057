//! Inverse trigonometric functions, of f64. Those of f32 are these, rounded once more.

use super::real::{FRAC_PI_2_LOW, fma, polynomial};
use crate::lane::isa::Isa;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// The tangents of an eighth and of three eighths of pi.
const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
const TAN_3_PI_8: f64 = 2.414_213_562_373_095;

/// The angle whose tangent is `x`: a polynomial up to pi/8, and what is larger is turned by pi/4 or pi/2
/// first, with `atan(a) - pi/4 = atan((a - 1) / (a + 1))` and `atan(a) - pi/2 = atan(-1 / a)`.
#[inline(always)]
pub(in crate::lane) fn atan<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let (low, high) = (a < TAN_PI_8, a > TAN_3_PI_8);
    let over = if low { a } else { a - 1.0 };
    let under = if low { 1.0 } else { a + 1.0 };
    let t = if high { -1.0 } else { over } / if high { a } else { under };
    let turn = if low { 0.0 } else { FRAC_PI_4 };
    let turn = if high { FRAC_PI_2 } else { turn };
    let lost = turn * (FRAC_PI_2_LOW / FRAC_PI_2);
    let z = t * t;
    let tail = polynomial!(I, z;
        -0.3333333333333333, 0.1999999999999552, -0.14285714284666542, 0.11111111015256361,
        -0.09090904578123903, 0.07692183190826087, -0.06664511447381948, 0.0585814891280221,
        -0.0508544973794026, 0.03923165829558719, -0.01917688711906226);
    (turn + (t + fma::<I, f64>(t * z, tail, lost))).copysign(x)
}

/// The angle of the point (`x`, `y`), from that of the nearer axis.
#[inline(always)]
pub(in crate::lane) fn atan2<I: Isa>(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let is_steep = a > b;
    let (over, under) = if is_steep { (b, a) } else { (a, b) };
    // At the origin, and where both are infinite, as IEEE 754 has it.
    let slope = if over == under { 1.0 } else { over / under };
    let slope = if under == 0.0 { over } else { slope };
    let angle = atan::<I>(slope);
    let is_left = x.is_sign_negative();
    let turn = if is_left { PI } else { 0.0 };
    let turn = if is_steep { FRAC_PI_2 } else { turn };
    let angle = if is_steep == is_left { angle } else { -angle };
    (turn + (angle + turn * (FRAC_PI_2_LOW / FRAC_PI_2))).copysign(y)
}

/// The angle whose sine is `x`; NaN outside of [-1, 1].
#[inline(always)]
pub(in crate::lane) fn asin<I: Isa>(x: f64) -> f64 {
    let (is_near, s, rest) = halved::<I>(x);
    let far = (FRAC_PI_2 - 2.0 * s) - (2.0 * rest - FRAC_PI_2_LOW);
    if is_near { s + rest } else { far }.copysign(x)
}

/// The angle whose cosine is `x`; NaN outside of [-1, 1].
#[inline(always)]
pub(in crate::lane) fn acos<I: Isa>(x: f64) -> f64 {
    let (is_near, s, rest) = halved::<I>(x);
    let near = FRAC_PI_2 - (s.copysign(x) - (FRAC_PI_2_LOW - rest.copysign(x)));
    let right = 2.0 * (s + rest);
    let left = (PI - 2.0 * s) - (2.0 * rest - 2.0 * FRAC_PI_2_LOW);
    let far = if x < 0.0 { left } else { right };
    if is_near { near } else { far }
}

/// Whether |x| is at most 1/2, and asin as a sum of two: that of |x| there, and elsewhere that of
/// `sqrt((1 - |x|) / 2)`, of which twice is missing to a right angle. The polynomial is for z from 0 to 1/4.
#[inline(always)]
fn halved<I: Isa>(x: f64) -> (bool, f64, f64) {
    let a = x.abs();
    let is_near = a <= 0.5;
    let z = if is_near { a * a } else { 0.5 * (1.0 - a) };
    let s = if is_near { a } else { z.sqrt() };
    let tail = polynomial!(I, z;
        0.16666666666666669, 0.07499999999998433, 0.04464285714635543, 0.030381944138531247,
        0.02237217294214989, 0.017352392720869973, 0.013971212973552933, 0.011479177415184906,
        0.01032281435018578, 0.005457506718640358, 0.01740087944269402, -0.014851887071247204,
        0.028757851367421566);
    (is_near, s, s * z * tail)
}
