//! Sines, cosines and tangents of f32, in f64 and rounded once. An angle of any size is turned back by whole
//! turns first, then by quarters, each time by a product in two parts, so that its digits are kept.
//! Polynomials are for |rest| up to pi/4.

use super::real::{FRAC_PI_2_LOW, Real, polynomial, two_product};
use crate::lane::isa::Isa;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Below it, x is its sine and its tangent to far less than a unit in the last place of f32.
const TINY: f64 = 1e-7;

/// An angle from `from` on is a multiple of `1 / part`, since a float has 24 bits, and `1 / part` is `high +
/// low` more than some whole turns.
struct Turns {
    from: f64,
    part: f64,
    high: f64,
    low: f64,
}

/// Each range has 20 powers of two, so that there are at most 2^43 parts.
const TURNS: [Turns; 5] = [
    turns(45, 22, 1.3473041101248473, 8.79909131076527e-17),
    turns(65, 42, 1.6710001706720203, -3.073001941088177e-17),
    turns(85, 62, -2.362094665379322, -1.1081206002360199e-16),
    turns(105, 82, 2.1554307123394554, -7.005787350142952e-17),
    turns(125, 102, 2.0445911804589567, 1.9389571731319223e-16),
];

/// From `2^from` on, in parts of `2^-part`.
const fn turns(from: u64, part: u64, high: f64, low: f64) -> Turns {
    Turns { from: f64::from_bits((1023 + from) << 52), part: f64::from_bits((1023 - part) << 52), high, low }
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

/// An angle is some quarters of a turn and a rest of at most an eighth: how many, and the sine and the cosine
/// of the rest. NaN for an infinite angle.
#[inline(always)]
fn quarter<I: Isa>(x: f64) -> (u64, f64, f64) {
    let a = x.abs();
    let (mut part, mut high, mut low) = (1.0, 1.0, 0.0);
    for turns in &TURNS {
        part = if a >= turns.from { turns.part } else { part };
        high = if a >= turns.from { turns.high } else { high };
        low = if a >= turns.from { turns.low } else { low };
    }
    let parts = x * part;
    let (angle, lost) = two_product::<I>(parts, high);
    let lost = lost + parts * low;
    let rounded = angle * FRAC_2_PI + f64::ROUND;
    let count = rounded - f64::ROUND;
    let (whole, over) = two_product::<I>(count, FRAC_PI_2);
    let rest = (angle - whole) + ((lost - over) - count * FRAC_PI_2_LOW);
    let z = rest * rest;
    let sine = polynomial!(I, z; -0.16666666663853044, 0.008333331873837089, -0.00019840086263755443,
        2.7249864655139585e-06);
    let cosine = polynomial!(I, z; 1.0, -0.49999999969094655, 0.04166665063493084, -0.0013887588637815805,
        2.4463721163611998e-05);
    (rounded.to_bits(), rest + rest * z * sine, cosine)
}
