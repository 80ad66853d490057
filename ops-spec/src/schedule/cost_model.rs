//! What a backend's arithmetic costs, compared with its memory.

use crate::prim::Prim;

/// The costs of a backend, which decide what its kernels compute again and what they read.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// Whether computing a primitive takes much longer than reading a value from memory.
    pub is_costly: fn(Prim) -> bool,
}

impl CostModel {
    /// CostModel of the CPU backend. They stand here because the macro makes kernels for its schedules.
    pub const CPU: CostModel = CostModel { is_costly: computed_one_by_one };
}

/// The functions that the CPU computes element by element. The rest are a few instructions, or polynomials on
/// whole vectors.
fn computed_one_by_one(prim: Prim) -> bool {
    use Prim::{Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Pow, Sin, Sinh, Tan};
    matches!(prim, Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Asinh | Acosh | Atanh | Pow)
}
