//! Sines, cosines and tangents of f32, in f64 and rounded once. An angle of any size becomes quarters of a
//! turn by a product in two parts, so that its digits are kept. Polynomials are for half a quarter, and a
//! hundredth more.

use super::real::{Real, fma, polynomial, two_product};
use crate::lane::isa::Isa;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Below it, x is its sine and its tangent to far less than a unit in the last place of f32.
const TINY: f64 = 1e-7;

/// Below `2^46`, an angle is its product with `high + low` in quarters of a turn.
const QUARTERS: (f64, f64) = (FRAC_2_PI, -3.935735335036497e-17);

/// From `from` on, it is its product with this `high + low`, but for whole turns.
struct Turns {
    from: f64,
    high: f64,
    low: f64,
}

/// Each range has 21 powers of two, so that an angle is less than 2^45 quarters. Then an f64 is within 1/256
/// of a quarter of it, and the rest is at most so much more than half a quarter.
const TURNS: [Turns; 4] = [
    turns(46, 1.7154408717951741, 5.0952627203288616e-17),
    turns(67, 0.25516699311764457, -9.36186138372574e-18),
    turns(88, -0.030049345475696994, 9.291320188254355e-20),
    turns(109, 1.955036951098204, -1.020559697975095e-16),
];

/// From `2^from` on, an angle is a multiple of `2^(from - 23)`, since a float has 24 bits. That power is
/// `high + low` quarters, but for whole turns. Both are divided by the power here, so that the angle itself
/// is multiplied with them.
const fn turns(from: i64, high: f64, low: f64) -> Turns {
    let part = power(23 - from);
    Turns { from: power(from), high: high * part, low: low * part }
}

/// 2 to an exponent.
const fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The sine of an angle.
#[inline(always)]
pub(in crate::lane) fn sin<I: Isa>(x: f32) -> f32 {
    let x = f64::from(x);
    let (quarters, sine, cosine) = quarter::<I>(x);
    let y = if quarters & 1 == 0 { sine } else { cosine };
    let y = if quarters & 2 == 0 { y } else { -y };
    (if x.abs() < TINY { x } else { y }) as f32
}

/// The cosine of an angle.
#[inline(always)]
pub(in crate::lane) fn cos<I: Isa>(x: f32) -> f32 {
    let (quarters, sine, cosine) = quarter::<I>(f64::from(x));
    let y = if quarters & 1 == 0 { cosine } else { sine };
    (if (quarters + 1) & 2 == 0 { y } else { -y }) as f32
}

/// The tangent of an angle.
#[inline(always)]
pub(in crate::lane) fn tan<I: Isa>(x: f32) -> f32 {
    let x = f64::from(x);
    let (quarters, sine, cosine) = quarter::<I>(x);
    let is_even = quarters & 1 == 0;
    let y = if is_even { sine } else { -cosine } / if is_even { cosine } else { sine };
    (if x.abs() < TINY { x } else { y }) as f32
}

/// An angle is some quarters of a turn and a rest of about half a quarter at most: how many, and the sine and
/// the cosine of the rest. NaN for an infinite angle.
#[inline(always)]
fn quarter<I: Isa>(x: f64) -> (u64, f64, f64) {
    let a = x.abs();
    let (mut high, mut low) = QUARTERS;
    for turns in &TURNS {
        high = if a >= turns.from { turns.high } else { high };
        low = if a >= turns.from { turns.low } else { low };
    }
    let (angle, lost) = two_product::<I>(x, high);
    let rounded = angle + f64::ROUND;
    let rest = (angle - (rounded - f64::ROUND)) + fma::<I, f64>(x, low, lost);
    let z = rest * rest;
    let sine = polynomial!(I, z; FRAC_PI_2, -0.6459640973971963, 0.0796926122888364, -0.004681474857884994,
        0.0001586511567046916);
    let cosine = polynomial!(I, z; 1.0, -1.233700549373611, 0.25366941029874707, -0.0208615275643989,
        0.0009067374102712288);
    (rounded.to_bits(), rest * sine, cosine)
}
