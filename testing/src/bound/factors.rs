//! Bounds for devices that round the factors of matrix products: in an op on halves to the half, and f32 to
//! TF32 if the precision is `high`.

use super::{Bounded, Format};
use tensor_op_spec::ir::Scalar;

/// How factors of matrix products are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    format: Format,
    /// The largest relative error.
    unit: f64,
    /// The largest error of a number that is close to zero.
    least: f64,
}

impl Factors {
    /// To the nearest number of a format.
    pub fn nearest(format: Format) -> Factors {
        Factors { format, unit: format.unit(), least: format.ulp(0.0) / 2.0 }
    }

    /// To a number of a format next to it. Numbers below the normal ones may become zero.
    pub fn adjacent(format: Format) -> Factors {
        Factors { format, unit: 2.0 * format.unit(), least: format.min_positive() }
    }

    /// A factor after it was rounded. Numbers of the format stay as they are.
    pub(super) fn round(&self, factor: Bounded) -> Bounded {
        let Scalar::Float(x) = factor.value else { return factor };
        if !x.is_finite() || factor.is_free() || (factor.error == 0.0 && self.format.contains(x)) {
            return factor;
        }
        let reach = x.abs() + factor.error;
        let rounded = if reach > self.format.max { f64::INFINITY } else { self.least.max(self.unit * reach) };
        Bounded { error: factor.error + rounded, ..factor }
    }
}
