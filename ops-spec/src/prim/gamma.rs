//! Derivatives of the logarithm of the gamma function, in f64.
//!
//! A large argument has an asymptotic series in Bernoulli's numbers, and smaller ones come there by
//! recurrence. The reflection formula gives what is left of 0 (Abramowitz and Stegun, "Handbook of
//! Mathematical Functions", sections 6.3 and 6.4).

use std::f64::consts::PI;

/// From here on [`DIGAMMA_FAR`] and [`TRIGAMMA_FAR`] have all digits.
pub const FAR: f64 = 10.0;

/// The derivative of the logarithm of the gamma function. It is infinite at 0, with the sign of the side, and
/// NaN at all whole numbers below.
pub fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        f64::INFINITY.copysign(-x)
    } else if x < 0.0 {
        let rest = x - x.round();
        if rest == 0.0 { f64::NAN } else { digamma_from_1(1.0 - x) - pi_over_tangent(rest) }
    } else if x < 1.0 {
        digamma_from_1(x + 1.0) - 1.0 / x
    } else {
        digamma_from_1(x)
    }
}

/// Below 10 all terms of the recurrence are positive, and the start has the sign of the result.
fn digamma_from_1(x: f64) -> f64 {
    if x >= FAR {
        let z = 1.0 / x / x;
        return libm::log(x) - (0.5 / x + z * polynomial(z, &DIGAMMA_FAR));
    }
    // Differences of a number below 10 and whole numbers are exact.
    let steps = (x - 1.0).floor().max(0.0);
    let start = x - steps;
    let distance = ROOT.iter().fold(start, |x, part| x - part);
    let near = distance * polynomial(start - 1.5, &DIGAMMA_NEAR);
    // Small terms first.
    (1..=steps as u32).map(|step| 1.0 / (x - f64::from(step))).sum::<f64>() + near
}

/// `π / tan(πx)` up to 1/2, where the tangent of what is left to there has all digits.
fn pi_over_tangent(x: f64) -> f64 {
    let left = 0.5 - x.abs();
    if left > 0.25 { PI / libm::tan(PI * x) } else { (PI * libm::tan(PI * left)).copysign(x) }
}

/// The zero of [`digamma`] right of 0, as a sum. The first two parts are floats of 32 bits: in this
/// arithmetic too, their differences from a number next to the zero are exact.
pub const ROOT: [f64; 3] = [1.4616321325302124, 1.243815006546356e-08, -1.2654465062537432e-16];

/// `digamma(x) / (x - root)` from 1 to 2, a polynomial in `x - 1.5` at Chebyshev's points.
pub const DIGAMMA_NEAR: [f64; 22] = [
    0.951055876031833,
    -0.4236274212814605,
    0.2405424842407742,
    -0.14840492305390884,
    0.09498872445494122,
    -0.061922133273064534,
    0.04076083381242074,
    -0.02697579675613825,
    0.0179072524394512,
    -0.011908218001568644,
    0.007926944646403797,
    -0.005279964873257405,
    0.003519006401502276,
    -0.002345267632540769,
    0.0015566317474486838,
    -0.0010376374098418604,
    0.0007233266279287554,
    -0.0004821990530566789,
    0.0002272331660987376,
    -0.00015148586836773365,
    0.00025968482126430747,
    -0.00017312261802727394,
];

/// Bernoulli's numbers by their indices: `digamma(x)` is `ln(x) - 1 / 2x`, less this polynomial in `x^-2`
/// times `x^-2`.
pub const DIGAMMA_FAR: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// The derivative of [`digamma`]. It is infinite at 0 and at all whole numbers below.
pub fn trigamma(x: f64) -> f64 {
    if x < 0.0 {
        let rest = x - x.round();
        let secant = PI / libm::sin(PI * rest);
        return secant * secant - trigamma(1.0 - x);
    }
    let steps = (FAR - x).ceil().max(0.0);
    let inverse = 1.0 / (x + steps);
    let z = inverse * inverse;
    let far = inverse * (1.0 + (inverse * 0.5 + z * polynomial(z, &TRIGAMMA_FAR)));
    // Small terms first. The square of an inverse is finite where the inverse of a square may not be.
    (0..steps as u32)
        .rev()
        .map(|step| 1.0 / (x + f64::from(step)))
        .fold(far, |sum, inverse| sum + inverse * inverse)
}

/// Bernoulli's numbers: `x trigamma(x)` is `1 + 1 / 2x`, and this polynomial in `x^-2` times `x^-2`.
pub const TRIGAMMA_FAR: [f64; 9] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
];

/// Constant first.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of mpmath, rounded from 60 digits, within so many units in the last place.
    fn check(function: fn(f64) -> f64, most: u64, values: &[(f64, f64)]) {
        for (x, wanted) in values {
            let found = function(*x);
            let off = found.to_bits().abs_diff(wanted.to_bits());
            assert!(off <= most, "of {x:?}: {found:?}, not {wanted:?}, {off} units");
        }
    }

    #[test]
    fn digamma_has_all_digits() {
        check(
            digamma,
            3,
            &[
                (1e-300, -9.999999999999999e+299),
                (1e-09, -1000000000.5772156),
                (0.3, -3.502524222200133),
                (0.83, -0.8979511566119328),
                (0.999999999, -0.5772156665464668),
                (1.0, -0.5772156649015329),
                (1.3, -0.16919088886679962),
                (1.4616, -3.110625123034165e-05),
                (1.4616321449683622, -9.241265521729427e-17),
                (1.461632144968377, 1.408876983964672e-14),
                (1.462, 0.00035590320380104274),
                (1.9999999, 0.4227842706050584),
                (2.0, 0.42278433509846713),
                (2.0413504949682952, 0.4491129029239484),
                (4.7, 1.4374238096317817),
                (7.002336253507958, 1.8731429913587911),
                (9.99, 2.250700372831201),
                (10.0, 2.251752589066721),
                (55.0, 3.9982147288427368),
                (1000000.0, 13.815510057964191),
                (1e+300, 690.7755278982137),
                (-1e-09, 999999999.4227843),
                (-0.17, 4.984401784564538),
                (-0.5, 0.03648997397857652),
                (-1.0000001, 10000000.4169454),
                (-2.9, -8.441500453619376),
                (-10.25, 5.516858419886273),
            ],
        );
        // Near the zero left of 0 the unit is that of the terms.
        assert!((digamma(-6.678571845135028) - -0.0020929332030256193).abs() < 1e-15);
        assert_eq!([0.0, -0.0, 1e-310].map(digamma), [f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY]);
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
        assert!([-1.0, -7.0, -1e300, f64::NEG_INFINITY, f64::NAN].iter().all(|x| digamma(*x).is_nan()));
    }

    #[test]
    fn trigamma_has_all_digits() {
        check(
            trigamma,
            4,
            &[
                (1e-150, 1e300),
                (1e-9, 9.999999999999999e17),
                (0.047, 454.23223263468475),
                (0.3, 12.245364546107732),
                (0.6, 3.6362096709023577),
                (1.0, 1.6449340668482264),
                (1.4616321449683622, 0.9676722454476212),
                (2.0, 0.6449340668482264),
                (4.98, 0.22230305478067797),
                (9.99, 0.10527695014824179),
                (10.0, 0.10516633568168575),
                (37.5, 0.027025382266785015),
                (1e6, 1.0000005000001667e-6),
                (1e200, 1e-200),
                (-1e-9, 9.999999999999999e17),
                (-0.17, 36.77524245769311),
                (-0.5, 8.934802200544679),
                (-1.0000001, 99999999883229.2),
                (-2.9, 103.06378142648573),
                (-10.25, 19.646252424622652),
                (-50.2, 28.547128116392777),
                (-12345.678, 13.735213862761746),
            ],
        );
        assert_eq!([0.0, -0.0, -1.0, -7.0, -1e300].map(trigamma), [f64::INFINITY; 5]);
        assert_eq!(trigamma(f64::INFINITY), 0.0);
        assert!(trigamma(f64::NEG_INFINITY).is_nan() && trigamma(f64::NAN).is_nan());
    }
}
