//! Questions about elements, and the choice between two tensors. Names and arguments are PyTorch's.
//!
//! ```
//! use tensor_op::catalogue::logic::where_;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![1.0, f64::NAN], [2], &Device::default())?;
//! let known = x.isnan()?.logical_not()?;
//! assert_eq!(known.to_vec::<bool>()?, [true, false]);
//! let zeros = Tensor::zeros([2], DType::F64, &x.device())?;
//! assert_eq!(where_(&known, &x, zeros)?.to_vec::<f64>()?, [1.0, 0.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::{IntoTensor, Result, Tensor, tensor_op};

/// Whether it is NaN. `torch.isnan`.
#[tensor_op(method(inherent))]
pub fn isnan(input: Tensor) -> BoolTensor {
    is_nan(input)
}

/// Whether it is an infinity. `torch.isinf`.
#[tensor_op(method(inherent))]
pub fn isinf(input: Tensor) -> BoolTensor {
    abs(input) == INFINITY
}

/// Whether it is the positive infinity. `torch.isposinf`.
#[tensor_op(method(inherent))]
pub fn isposinf(input: Tensor) -> BoolTensor {
    input == INFINITY
}

/// Whether it is the negative infinity. `torch.isneginf`.
#[tensor_op(method(inherent))]
pub fn isneginf(input: Tensor) -> BoolTensor {
    input == -INFINITY
}

/// Whether it is neither NaN nor an infinity. `torch.isfinite`.
#[tensor_op(method(inherent))]
pub fn isfinite(input: Tensor) -> BoolTensor {
    is_finite(input)
}

/// Whether it has the sign of a negative number; -0 has it too. `torch.signbit`.
#[tensor_op(method(inherent))]
pub fn signbit(input: Tensor) -> BoolTensor {
    (input < 0.0) | ((input == 0.0) & (recip(input) < 0.0))
}

/// Whether two numbers differ by `atol + rtol * |other|` at most. `torch.isclose`.
#[tensor_op(method(inherent))]
pub fn isclose(
    input: Tensor,
    other: Tensor,
    #[default(1e-5)] rtol: f64,
    #[default(1e-8)] atol: f64,
    #[default(false)] equal_nan: bool,
) -> BoolTensor {
    let distance = abs(input - other);
    let close = is_finite(distance) & (distance <= atol + abs(rtol * other));
    (input == other) | close | (equal_nan & is_nan(input) & is_nan(other))
}

/// Whether all numbers of two tensors differ by `atol + rtol * |other|` at most. `torch.allclose`, as a
/// tensor of one bool.
#[tensor_op(method(inherent))]
pub fn allclose(
    input: Tensor,
    other: Tensor,
    #[default(1e-5)] rtol: f64,
    #[default(1e-8)] atol: f64,
    #[default(false)] equal_nan: bool,
) -> BoolTensor![] {
    all(self::isclose(input, other, rtol, atol, equal_nan), ..)
}

/// Whether both hold. `torch.logical_and`.
#[tensor_op(method(inherent))]
pub fn logical_and(input: BoolTensor, other: BoolTensor) -> BoolTensor {
    input & other
}

/// Whether one of two holds, or both. `torch.logical_or`.
#[tensor_op(method(inherent))]
pub fn logical_or(input: BoolTensor, other: BoolTensor) -> BoolTensor {
    input | other
}

/// Whether one of two holds, and not both. `torch.logical_xor`.
#[tensor_op(method(inherent))]
pub fn logical_xor(input: BoolTensor, other: BoolTensor) -> BoolTensor {
    (input | other) & !(input & other)
}

/// Whether it does not hold. `torch.logical_not`.
#[tensor_op(method(inherent))]
pub fn logical_not(input: BoolTensor) -> BoolTensor {
    !input
}

/// The first tensor where the condition holds, and else the second one. `torch.where`.
#[tensor_op]
pub fn where_(condition: BoolTensor, input: AnyTensor, other: AnyTensor) -> AnyTensor {
    select(condition, input, other)
}

/// The tensor, and this value where the mask holds: in ints a whole number, in bools 0 or 1.
/// `torch.masked_fill`.
#[tensor_op(method(inherent))]
pub fn masked_fill(input: AnyTensor, mask: BoolTensor, value: Number) -> AnyTensor {
    select(mask, value, input)
}

/// 0 and 1 for negative and positive numbers, and the value for 0. `torch.heaviside`.
#[tensor_op(method(inherent))]
#[no_grad]
pub fn heaviside(input: Tensor, values: Tensor) -> Tensor {
    select(input == 0.0, values, select(input < 0.0, 0.0, 1.0))
}

impl Tensor {
    /// [`catalogue::logic::where_`](where_()) as a method, whose condition comes first: the elements of this
    /// tensor where the condition is true, and else those of the other one. `torch.Tensor.where`.
    pub fn where_(&self, condition: impl IntoTensor, other: impl IntoTensor) -> Result<Tensor> {
        self::where_(condition, self, other)
    }
}
