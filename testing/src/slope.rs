//! Slopes by differences. Each has a bound for two errors: the rounding at both ends, and the curvature that
//! remains in the quotient.
//!
//! Central differences at two steps are extrapolated to step zero (Richardson; Romberg's first column). The
//! size of this correction bounds the error that is left. The reason: the next kink or singular point is at
//! least two steps away, so each term of the error series is at most a quarter of the one before, and the
//! correction is the largest of them. Steps are halved until the rounding, which grows as they shrink, is
//! larger than the correction (Press et al., Numerical Recipes, 5.7). No step and no tolerance is chosen by
//! hand.

use crate::bound::Moved;
use tensor_op_core::{Element, Evaluated, Result, TensorData};

/// A slope, and how far it may be from the derivative. The bound is infinite if differences say nothing.
#[derive(Clone, Copy, Debug)]
pub struct Slope {
    /// The extrapolated difference.
    pub value: f64,
    /// The bound.
    pub error: f64,
}

/// The first step at a number, a power of two, so that the number is moved exactly. The rounding error is of
/// the order of eps / h, and the error by curvature of the order of h^2. They are equal at the cube root of
/// eps, times the scale on which the function curves. We take the size of the argument for that scale, and 1
/// near zero (Dennis & Schnabel, Numerical Methods for Unconstrained Optimization, 5.4; Nocedal & Wright,
/// Numerical Optimization, 8.1).
pub fn step(x: f64) -> f64 {
    (f64::EPSILON.cbrt() * x.abs().max(1.0)).log2().floor().exp2()
}

/// The least distance of a number from kinks and singular points: twice the first step, so that the terms of
/// the error series get smaller.
pub(crate) fn reach(x: f64) -> f64 {
    2.0 * step(x)
}

/// After this many halvings, nothing is left of a step.
const HALVINGS: u32 = f64::MANTISSA_DIGITS;

impl Slope {
    const UNKNOWN: Slope = Slope { value: f64::NAN, error: f64::INFINITY };

    /// The slope of the weighted sum of results. `at` gives the results when arguments are moved by an
    /// offset. `first` is the largest step.
    ///
    /// # Errors
    ///
    /// Those of `at`, and for weights that are not f64.
    pub fn of(
        first: f64,
        weights: &[Option<TensorData>],
        at: impl Fn(f64) -> Result<Vec<Evaluated<Moved>>>,
    ) -> Result<Slope> {
        let central = |step: f64| Slope::central(step, weights, &at(step)?, &at(-step)?);
        let mut step = first;
        let mut wide = central(step)?;
        let mut found = Slope::UNKNOWN;
        for _ in 0..HALVINGS {
            step /= 2.0;
            let near = central(step)?;
            let correction = (near.value - wide.value) / 3.0;
            let rounding = (4.0 * near.error + wide.error) / 3.0;
            found = Slope { value: near.value + correction, error: correction.abs() + rounding };
            // The correction is NaN if there is no bound. We stop at the first good step and do not search
            // for the least bound of all: steps over many periods would agree that the slope is zero.
            if correction.is_nan() || correction.abs() <= rounding {
                break;
            }
            wide = near;
        }
        Ok(if found.error.is_finite() { found } else { Slope::UNKNOWN })
    }

    /// The central difference for a step, with a bound of its rounding.
    fn central(
        step: f64,
        weights: &[Option<TensorData>],
        above: &[Evaluated<Moved>],
        below: &[Evaluated<Moved>],
    ) -> Result<Slope> {
        let (mut sum, mut error, mut magnitudes, mut count) = (0.0, 0.0, 0.0, 0.0);
        for ((above, below), weight) in above.iter().zip(below).zip(weights) {
            let Some(weight) = weight else { continue };
            for ((a, b), w) in above.values.iter().zip(&below.values).zip(weight.as_slice::<f64>()?) {
                if !a.moves && !b.moves {
                    continue;
                }
                let difference = w * (f64::from_scalar(a.bounded.value) - f64::from_scalar(b.bounded.value));
                sum += difference;
                magnitudes += difference.abs();
                count += 1.0;
                error += w.abs() * (a.bounded.error + b.bounded.error);
            }
        }
        // Each term rounds once in the product, the difference and the sum.
        error += (count + 2.0) * f64::EPSILON * magnitudes;
        let width = 2.0 * step;
        let is_known = f64::is_finite(sum) && f64::is_finite(error);
        Ok(if is_known { Slope { value: sum / width, error: error / width } } else { Slope::UNKNOWN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::{Bounded, Format};
    use tensor_op_core::Shape;
    use tensor_op_spec::ir::{Kind, Scalar};

    /// The slope of a function whose rounding error is a unit in the last place of its largest term.
    fn slope(x: f64, term: f64, function: impl Fn(f64) -> f64) -> Slope {
        let weight = [Some(TensorData::scalar(1.0))];
        let found = Slope::of(step(x), &weight, |offset| {
            let value = function(x + offset);
            let bounded =
                Bounded { value: Scalar::Float(value), error: Format::F64.ulp(value.abs().max(term)) };
            let values = vec![Moved { bounded, moves: true }];
            Ok(vec![Evaluated { shape: Shape::scalar(), kind: Kind::Float, values }])
        });
        found.unwrap()
    }

    #[test]
    fn the_derivative_is_within_the_bound_and_the_bound_is_small() {
        let check = |found: Slope, derivative: f64, most: f64| {
            let off = (found.value - derivative).abs();
            assert!(
                off <= found.error && found.error <= most * derivative.abs(),
                "{found:?}, not {derivative}"
            );
        };
        check(slope(0.3, 0.0, f64::exp), 0.3f64.exp(), 1e-9);
        check(slope(0.3, 0.0, |x| x + 1e8), 1.0, 0.02);
        check(slope(0.3, 0.0, |x| (20.0 * x).exp()), 20.0 * 6f64.exp(), 1e-8);
        // The first step is half a radian; the argument of the sine is rounded too.
        check(slope(0.3, 3e4, |x| (1e5 * x).sin()), 1e5 * 3e4f64.cos(), 1e-2);
        // Here the first step is thousands of periods.
        check(slope(1e5 + 0.3, 1e10, |x| (1e5 * x).sin()), 1e5 * (1e5 * (1e5 + 0.3f64)).cos(), 1e-1);
        check(slope(1e6, 0.0, |x| x * x), 2e6, 1e-9);
    }

    #[test]
    fn what_is_lost_in_rounding_has_a_bound_beyond_its_size() {
        let found = slope(0.3, 0.0, |x| x + 1e14);
        assert!(found.error > 1.0 && (found.value - 1.0).abs() <= found.error, "{found:?}");
        assert_eq!(slope(0.3, 0.0, |_| f64::INFINITY).error, f64::INFINITY);
    }
}
