//! How far from the true value a backend may compute each primitive.

use super::Prim;

impl Prim {
    /// The largest error of the primitive on floats, in units in the last place of the arithmetic. A backend
    /// promises this much; the tests of an op derive their tolerance from it.
    ///
    /// The numbers are those of the OpenCL C 3.0 specification, section 7.4, "Relative Error as ULPs", full
    /// profile, single precision, which the functions of CUDA (Programming Guide, "Mathematical Functions")
    /// and of our CPU lanes keep too. 0.5 is a correctly rounded result, 0 an exact one.
    /// The specification has no number for functions of the gamma family: they get that of `erf`.
    ///
    /// The unit is that of the result, or of [`Prim::terms`] if these are larger.
    pub fn ulps(self) -> f64 {
        match self {
            Prim::Neg | Prim::Abs | Prim::Sign | Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc => 0.0,
            Prim::Rem | Prim::Maximum | Prim::Minimum | Prim::Select => 0.0,
            Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne => 0.0,
            Prim::And | Prim::Or | Prim::Not | Prim::IsNan | Prim::IsFinite => 0.0,
            Prim::BitAnd | Prim::BitOr | Prim::BitXor | Prim::Shl | Prim::Shr => 0.0,
            Prim::Add | Prim::Sub | Prim::Mul => 0.5,
            // Arithmetic in f32 takes fewer random bits.
            Prim::Random => 2.0,
            Prim::Rsqrt | Prim::Log1p => 2.0,
            Prim::Div | Prim::Recip => 2.5,
            Prim::Exp | Prim::Exp2 | Prim::Expm1 | Prim::Ln | Prim::Log2 | Prim::Sqrt => 3.0,
            Prim::Sin | Prim::Cos | Prim::Sinh | Prim::Cosh => 4.0,
            Prim::Asin | Prim::Acos | Prim::Asinh | Prim::Acosh => 4.0,
            Prim::Tan | Prim::Tanh | Prim::Atan | Prim::Atanh => 5.0,
            Prim::Atan2 => 6.0,
            Prim::Erf | Prim::Erfc | Prim::Pow | Prim::Lgamma | Prim::Digamma | Prim::Trigamma => 16.0,
        }
    }

    /// The same in an op on halves, which is computed in f32: also in units in the last place of f32. A
    /// backend may take shorter functions there, whose error is small beside the rounding of the result to a
    /// half (2^12 of these units for f16).
    ///
    /// The numbers are bounds of the GPUs' functions (`backends/cube/src/kernel/math/halves`): the error of
    /// the polynomial, of which `6e-8` is a unit at least, and a few roundings. To those of `sinh` and `cosh`
    /// the rounding of an argument up to 90 adds 64 units, to those of `sin`, `cos` and `tan` the reduction
    /// of the angle up to 84. The error of `pow` is that of the logarithm times up to 89.
    pub fn ulps_for_halves(self) -> f64 {
        match self {
            Prim::Tanh => 16.0,
            Prim::Ln | Prim::Log2 | Prim::Log1p => 32.0,
            Prim::Expm1 | Prim::Asin | Prim::Acos | Prim::Asinh | Prim::Acosh | Prim::Atanh => 64.0,
            Prim::Sin | Prim::Cos | Prim::Tan | Prim::Atan | Prim::Atan2 => 128.0,
            Prim::Sinh | Prim::Cosh => 128.0,
            Prim::Erfc | Prim::Pow => 1024.0,
            Prim::Neg | Prim::Abs | Prim::Sign | Prim::Floor | Prim::Ceil | Prim::Round => self.ulps(),
            Prim::Trunc | Prim::Rem | Prim::Maximum | Prim::Minimum | Prim::Select => self.ulps(),
            Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne | Prim::And => self.ulps(),
            Prim::Or | Prim::Not | Prim::IsNan | Prim::IsFinite | Prim::BitAnd => self.ulps(),
            Prim::BitOr | Prim::BitXor | Prim::Shl | Prim::Shr | Prim::Add | Prim::Sub => self.ulps(),
            Prim::Mul | Prim::Random | Prim::Rsqrt | Prim::Div | Prim::Recip => self.ulps(),
            Prim::Exp | Prim::Exp2 | Prim::Sqrt | Prim::Erf | Prim::Lgamma => self.ulps(),
            Prim::Digamma | Prim::Trigamma => self.ulps(),
        }
    }

    /// The size of the terms that backends subtract to compute the primitive at these operands. The error is
    /// relative to this size where the result is smaller.
    ///
    /// Left of 0, `lgamma` and `digamma` are computed from their value at `1 - x`, and digits cancel near
    /// their zeros. A random number is a multiple of the unit in the last place of 1. For all other operands
    /// it is 0: the error is relative to the result.
    pub fn terms(self, args: &[f64]) -> f64 {
        match (self, args) {
            (Prim::Lgamma | Prim::Digamma, [x]) if *x < 0.0 => {
                (self.row().reference)(&[1.0 - x]).abs().max(1.0)
            }
            (Prim::Random, _) => 1.0,
            (_, _) => 0.0,
        }
    }
}
