//! Arithmetic between tensors of one float dtype, between tensors of ints, and between tensors and scalars.
//! The operators of [`Tensor`](crate::Tensor) run these ops.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The sum. Ints wrap on overflow.
#[tensor_op]
pub fn add(x: NumTensor, y: NumTensor) -> NumTensor {
    x + y
}

/// Sum of floats and a scalar.
#[tensor_op]
pub fn add_scalar(x: Tensor, y: f64) -> Tensor {
    x + y
}

/// The difference. Ints wrap on overflow.
#[tensor_op]
pub fn sub(x: NumTensor, y: NumTensor) -> NumTensor {
    x - y
}

/// Difference of floats and a scalar.
#[tensor_op]
pub fn sub_scalar(x: Tensor, y: f64) -> Tensor {
    x - y
}

/// Difference of a scalar and floats.
#[tensor_op]
pub fn scalar_sub(x: f64, y: Tensor) -> Tensor {
    x - y
}

/// The product. Ints wrap on overflow.
#[tensor_op]
pub fn mul(x: NumTensor, y: NumTensor) -> NumTensor {
    x * y
}

/// Product of floats and a scalar.
#[tensor_op]
pub fn mul_scalar(x: Tensor, y: f64) -> Tensor {
    x * y
}

/// The quotient. Of ints it is truncated, and 0 where `y` is 0.
#[tensor_op]
pub fn div(x: NumTensor, y: NumTensor) -> NumTensor {
    x / y
}

/// Quotient of floats and a scalar.
#[tensor_op]
pub fn div_scalar(x: Tensor, y: f64) -> Tensor {
    x / y
}

/// Quotient of a scalar and floats.
#[tensor_op]
pub fn scalar_div(x: f64, y: Tensor) -> Tensor {
    x / y
}

/// The number with the other sign. Ints wrap on overflow.
#[tensor_op]
pub fn neg(x: NumTensor) -> NumTensor {
    -x
}

/// Sum of ints and a scalar; wraps on overflow.
#[tensor_op]
pub fn add_scalar_int(x: IntTensor, y: i64) -> IntTensor {
    x + y
}

/// Difference of ints and a scalar; wraps on overflow.
#[tensor_op]
pub fn sub_scalar_int(x: IntTensor, y: i64) -> IntTensor {
    x - y
}

/// Difference of a scalar and ints; wraps on overflow.
#[tensor_op]
pub fn scalar_sub_int(x: i64, y: IntTensor) -> IntTensor {
    x - y
}

/// Product of ints and a scalar; wraps on overflow.
#[tensor_op]
pub fn mul_scalar_int(x: IntTensor, y: i64) -> IntTensor {
    x * y
}

/// Quotient of ints and a scalar; truncates, and gives 0 where `y` is 0.
#[tensor_op]
pub fn div_scalar_int(x: IntTensor, y: i64) -> IntTensor {
    x / y
}

/// Quotient of a scalar and ints; truncates, and gives 0 where `y` is 0.
#[tensor_op]
pub fn scalar_div_int(x: i64, y: IntTensor) -> IntTensor {
    x / y
}
