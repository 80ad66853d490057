//! The errors that primitives add, as the arithmetic of a device allows them.

use super::Rounding;
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::Prim;

/// The error that a primitive adds, in units in the last place. For `exp` Vulkan allows `3 + 2 |x|` (Vulkan
/// specification, "Precision of Individual Operations"). Mesa's processor driver is another unit off where
/// the processor has no fused multiplication.
pub(super) fn ulps(rounding: &Rounding, prim: Prim, args: &[Scalar]) -> f64 {
    match (prim, args) {
        (Prim::Exp | Prim::Exp2, [x]) if rounding.of_shaders && x.as_f64().is_finite() => {
            prim.ulps() + 1.0 + 2.0 * x.as_f64().abs()
        }
        (_, _) if rounding.for_halves => prim.ulps_for_halves(),
        (_, _) => prim.ulps(),
    }
}
