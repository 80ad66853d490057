//! Arithmetic between tensors of one float dtype, between tensors of ints, and between these and scalars.
//! The operators of [`Tensor`](crate::Tensor) run these ops.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

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
