//! Comparisons: of floats, of ints, and with numbers. The methods of the same names on
//! [`Tensor`](crate::Tensor) run these ops. NaN is neither equal to a number nor less or greater.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Where numbers are equal. `torch.eq`.
#[tensor_op]
pub fn eq(x: NumTensor, y: NumTensor) -> BoolTensor {
    x == y
}

/// Where numbers are equal to a scalar.
#[tensor_op]
pub fn eq_scalar(x: NumTensor, y: Number) -> BoolTensor {
    x == y
}

/// Where numbers differ. `torch.ne`.
#[tensor_op]
pub fn ne(x: NumTensor, y: NumTensor) -> BoolTensor {
    x != y
}

/// Where numbers differ from a scalar.
#[tensor_op]
pub fn ne_scalar(x: NumTensor, y: Number) -> BoolTensor {
    x != y
}

/// Where numbers are less. `torch.lt`.
#[tensor_op]
pub fn lt(x: NumTensor, y: NumTensor) -> BoolTensor {
    x < y
}

/// Where numbers are less than a scalar.
#[tensor_op]
pub fn lt_scalar(x: NumTensor, y: Number) -> BoolTensor {
    x < y
}

/// Where numbers are less or equal. `torch.le`.
#[tensor_op]
pub fn le(x: NumTensor, y: NumTensor) -> BoolTensor {
    x <= y
}

/// Where numbers are less than a scalar, or equal to it.
#[tensor_op]
pub fn le_scalar(x: NumTensor, y: Number) -> BoolTensor {
    x <= y
}

/// Where numbers are greater. `torch.gt`.
#[tensor_op]
pub fn gt(x: NumTensor, y: NumTensor) -> BoolTensor {
    x > y
}

/// Where numbers are greater than a scalar.
#[tensor_op]
pub fn gt_scalar(x: NumTensor, y: Number) -> BoolTensor {
    x > y
}

/// Where numbers are greater or equal. `torch.ge`.
#[tensor_op]
pub fn ge(x: NumTensor, y: NumTensor) -> BoolTensor {
    x >= y
}

/// Where numbers are greater than a scalar, or equal to it.
#[tensor_op]
pub fn ge_scalar(x: NumTensor, y: Number) -> BoolTensor {
    x >= y
}
