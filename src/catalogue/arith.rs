//! Arithmetic between tensors of one float dtype, between tensors of ints, and between these and scalars.
//! The operators of [`Tensor`] run these ops.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::{bits, math};
use crate::{DType, IntoTensor, Result, Tensor, tensor_op};

/// The sum. Ints wrap on overflow.
#[tensor_op]
pub fn add(x: NumTensor, y: NumTensor) -> NumTensor {
    x + y
}

/// Sum of numbers and a scalar. Ints wrap on overflow.
#[tensor_op]
pub fn add_scalar(x: NumTensor, y: Number) -> NumTensor {
    x + y
}

/// The difference. Ints wrap on overflow.
#[tensor_op]
pub fn sub(x: NumTensor, y: NumTensor) -> NumTensor {
    x - y
}

/// Difference of numbers and a scalar. Ints wrap on overflow.
#[tensor_op]
pub fn sub_scalar(x: NumTensor, y: Number) -> NumTensor {
    x - y
}

/// Difference of a scalar and numbers. Ints wrap on overflow.
#[tensor_op]
pub fn scalar_sub(x: Number, y: NumTensor) -> NumTensor {
    x - y
}

/// The product. Ints wrap on overflow.
#[tensor_op]
pub fn mul(x: NumTensor, y: NumTensor) -> NumTensor {
    x * y
}

/// Product of numbers and a scalar. Ints wrap on overflow.
#[tensor_op]
pub fn mul_scalar(x: NumTensor, y: Number) -> NumTensor {
    x * y
}

/// The quotient. Of ints it is truncated, and 0 where `y` is 0.
#[tensor_op]
pub fn div(x: NumTensor, y: NumTensor) -> NumTensor {
    x / y
}

/// Quotient of numbers and a scalar. Of ints it is truncated, and 0 where `y` is 0.
#[tensor_op]
pub fn div_scalar(x: NumTensor, y: Number) -> NumTensor {
    x / y
}

/// Quotient of a scalar and numbers. Of ints it is truncated, and 0 where `y` is 0.
#[tensor_op]
pub fn scalar_div(x: Number, y: NumTensor) -> NumTensor {
    x / y
}

/// The number with the other sign. Ints wrap on overflow.
#[tensor_op]
pub fn neg(x: NumTensor) -> NumTensor {
    -x
}

/// The quotient, rounded to whole numbers. `torch.div(rounding_mode=..)`; the gradient is 0.
///
/// ```
/// use tensor_op::catalogue::arith::{RoundingMode, div_rounded};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, y) = (Tensor::from([7.0, -7.0]), Tensor::from([2.0]));
/// assert_eq!(div_rounded(&x, &y, RoundingMode::Trunc)?.to_vec::<f64>()?, [3.0, -3.0]);
/// assert_eq!(div_rounded(&x, &y, RoundingMode::Floor)?.to_vec::<f64>()?, [3.0, -4.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together.
pub fn div_rounded(
    input: impl IntoTensor,
    other: impl IntoTensor,
    rounding_mode: RoundingMode,
) -> Result<Tensor> {
    let (input, other) = (input.into_tensor()?.detach(), other.into_tensor()?.detach());
    let is_float = matches!(input.dtype(), DType::F64 | DType::F32 | DType::F16 | DType::BF16);
    let found = match rounding_mode {
        RoundingMode::Floor => bits::floor_div(input, other),
        RoundingMode::Trunc if is_float => math::trunc(div(input, other)),
        RoundingMode::Trunc => div(input, other),
    };
    found.map_err(|error| error.renamed("div_rounded"))
}

impl Tensor {
    /// [`catalogue::arith::div_rounded`](div_rounded) as a method.
    pub fn div_rounded(&self, other: impl IntoTensor, rounding_mode: RoundingMode) -> Result<Tensor> {
        self::div_rounded(self, other, rounding_mode)
    }
}

/// How a quotient is rounded: the modes of `torch.div`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundingMode {
    /// To the next whole number towards 0.
    Trunc,
    /// To the next smaller whole number.
    Floor,
}
