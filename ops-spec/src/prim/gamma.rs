//! Derivatives of the logarithm of the gamma function, in f64.
//!
//! A large argument has an asymptotic series in Bernoulli's numbers, and smaller ones come there by
//! recurrence. The reflection formula gives what is left of 0 (Abramowitz and Stegun, "Handbook of
//! Mathematical Functions", sections 6.3 and 6.4).

use std::f64::consts::PI;

/// From here on the series have all digits.
const FAR: f64 = 10.0;

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

/// Bernoulli's numbers.
const TRIGAMMA_FAR: [f64; 9] = [
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
