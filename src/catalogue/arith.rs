//! Arithmetic between tensors of one float dtype, between tensors of ints, and between tensors and scalars.
//! The operators of [`Tensor`](crate::Tensor) run these ops.

use crate::tensor_op;

/// Sum of floats.
#[tensor_op]
pub fn add(x: Tensor, y: Tensor) -> Tensor {
    x + y
}

/// Sum of floats and a scalar.
#[tensor_op]
pub fn add_scalar(x: Tensor, y: f64) -> Tensor {
    x + y
}

/// Difference of floats.
#[tensor_op]
pub fn sub(x: Tensor, y: Tensor) -> Tensor {
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

/// Product of floats.
#[tensor_op]
pub fn mul(x: Tensor, y: Tensor) -> Tensor {
    x * y
}

/// Product of floats and a scalar.
#[tensor_op]
pub fn mul_scalar(x: Tensor, y: f64) -> Tensor {
    x * y
}

/// Quotient of floats.
#[tensor_op]
pub fn div(x: Tensor, y: Tensor) -> Tensor {
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

/// Floats with the other sign.
#[tensor_op]
pub fn neg(x: Tensor) -> Tensor {
    -x
}

/// Sum of ints; wraps on overflow.
#[tensor_op]
pub fn add_int(x: IntTensor, y: IntTensor) -> IntTensor {
    x + y
}

/// Sum of ints and a scalar; wraps on overflow.
#[tensor_op]
pub fn add_scalar_int(x: IntTensor, y: i64) -> IntTensor {
    x + y
}

/// Difference of ints; wraps on overflow.
#[tensor_op]
pub fn sub_int(x: IntTensor, y: IntTensor) -> IntTensor {
    x - y
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

/// Product of ints; wraps on overflow.
#[tensor_op]
pub fn mul_int(x: IntTensor, y: IntTensor) -> IntTensor {
    x * y
}

/// Product of ints and a scalar; wraps on overflow.
#[tensor_op]
pub fn mul_scalar_int(x: IntTensor, y: i64) -> IntTensor {
    x * y
}

/// Quotient of ints; truncates, and gives 0 where `y` is 0.
#[tensor_op]
pub fn div_int(x: IntTensor, y: IntTensor) -> IntTensor {
    x / y
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

/// Ints with the other sign; wraps on overflow.
#[tensor_op]
pub fn neg_int(x: IntTensor) -> IntTensor {
    -x
}
