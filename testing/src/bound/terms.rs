//! What the bound of a reduction is made of. It grows with each element, so that a scan has the bounds of
//! all its results in one walk.

use super::zero::LEAST;
use super::{Bounded, Rounding};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::Fold;

/// The elements of a sum, a product or an extreme so far.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    count: usize,
    /// Sums over the elements.
    errors: f64,
    magnitudes: f64,
    /// How far a partial product can go up and down: sums of logarithms.
    up: f64,
    down: f64,
    /// The product of magnitudes, and its error if the factors are multiplied one after the other.
    product: (f64, f64),
    /// The largest lower and upper end of the elements, and of their negatives.
    ends: [(f64, f64); 2],
    is_free: bool,
    is_exact: bool,
    has_nan: bool,
    is_finite: bool,
    /// Whether there is a positive zero, a negative zero, and another number.
    has: [bool; 3],
}

impl Terms {
    pub(super) fn none() -> Terms {
        Terms {
            count: 0,
            errors: 0.0,
            magnitudes: 0.0,
            up: 0.0,
            down: 0.0,
            product: (1.0, 0.0),
            ends: [(f64::NEG_INFINITY, f64::NEG_INFINITY); 2],
            is_free: false,
            is_exact: true,
            has_nan: false,
            is_finite: true,
            has: [false; 3],
        }
    }

    pub(super) fn push(&mut self, rounding: &Rounding, element: &Bounded) {
        let (value, error) = (element.value.as_f64(), element.error);
        let x = value.abs();
        self.count += 1;
        self.errors += error;
        self.magnitudes += x;
        self.up += x.ln().max(0.0);
        self.down += (-x.ln()).max(0.0);
        let spread = self.product.0 * error + x * self.product.1 + self.product.1 * error;
        let product = self.product.0 * x;
        self.product = (product, spread + rounding.unit() * (product + spread));
        for (end, sign) in self.ends.iter_mut().zip([1.0, -1.0]) {
            *end = (end.0.max(sign * value - error), end.1.max(sign * value + error));
        }
        self.is_free |= element.is_free();
        self.is_exact &= error == 0.0;
        self.has_nan |= value.is_nan();
        self.is_finite &= value.is_finite();
        let which = if value != 0.0 { 2 } else { usize::from(value.is_sign_negative()) };
        self.has[which] = true;
    }

    /// The bound of the reduction, whose value is this. It holds for any order of the elements. `None` for
    /// folds that give positions or bools.
    pub(super) fn bound(&self, rounding: &Rounding, fold: Fold, value: Scalar, kind: Kind) -> Option<f64> {
        let signed = |is_sum: bool, error: f64| {
            if rounding.rounds && !self.has_sure_sign(value, is_sum) { error.max(LEAST) } else { error }
        };
        Some(match fold {
            Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => return None,
            _ if self.is_free => f64::INFINITY,
            Fold::Sum if kind == Kind::Float => signed(true, self.sum(rounding, value)),
            Fold::Prod if kind == Kind::Float => self.product(rounding),
            Fold::Sum | Fold::Prod => 0.0,
            Fold::Max => signed(false, self.extreme(value, 0)),
            Fold::Min => signed(false, self.extreme(value, 1)),
        })
    }

    /// Whether a zero has a sure sign: if all zeros have the same sign. For a sum there must be nothing else,
    /// and it is the positive sign, which is that of an empty sum.
    fn has_sure_sign(&self, value: Scalar, is_sum: bool) -> bool {
        let Scalar::Float(0.0) = value else { return true };
        let is_positive = is_sum || value.as_f64().is_sign_positive();
        let [positive, negative, other] = self.has;
        let is_mixed = if is_positive { negative } else { positive };
        self.is_exact && !is_mixed && !(is_sum && other)
    }

    /// The sum makes n additions. Each is off by at most a unit of its partial sum, and a partial sum is at
    /// most the sum of magnitudes (Higham, Accuracy and Stability, 4.2).
    fn sum(&self, rounding: &Rounding, value: Scalar) -> f64 {
        if self.count < 2 {
            return self.errors;
        }
        if !self.is_finite {
            return if self.errors == 0.0 { 0.0 } else { f64::INFINITY };
        }
        let reach = self.magnitudes + self.errors;
        let error = self.errors + self.count as f64 * rounding.unit() * reach;
        let overflows = self.magnitudes + error > rounding.format.max || !value.as_f64().is_finite();
        if overflows { f64::INFINITY } else { error }
    }

    /// The factors are multiplied one after the other. If some order of the factors overflows or leaves the
    /// normal numbers, there is no bound.
    fn product(&self, rounding: &Rounding) -> f64 {
        if !self.is_finite {
            // A partial product may underflow to zero, and infinity times zero is NaN.
            let certain = self.has_nan || (self.is_exact && self.count == 1);
            return if certain { 0.0 } else { f64::INFINITY };
        }
        let overflows = self.up >= rounding.format.max.ln();
        if self.is_exact && (self.has[0] || self.has[1]) {
            return if overflows { f64::INFINITY } else { 0.0 };
        }
        let far = overflows || self.down >= -rounding.format.min_positive().ln();
        if far { f64::INFINITY } else { self.product.1 }
    }

    /// The maximum lies between the largest lower end and the largest upper end of the elements' intervals.
    fn extreme(&self, value: Scalar, side: usize) -> f64 {
        let value = value.as_f64();
        if value.is_nan() {
            return 0.0;
        }
        let sign = [1.0, -1.0][side];
        let (low, high) = self.ends[side];
        if low == high { 0.0 } else { (high - sign * value).max(sign * value - low) }
    }
}
