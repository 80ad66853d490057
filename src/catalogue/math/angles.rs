//! Functions of angles, and their inverses.

use crate::tensor_op;

/// The sine of an angle in radians. `torch.sin`.
#[tensor_op(method(inherent))]
pub fn sin(input: Tensor) -> Tensor {
    sin(input)
}

/// The cosine of an angle in radians. `torch.cos`.
#[tensor_op(method(inherent))]
pub fn cos(input: Tensor) -> Tensor {
    cos(input)
}

/// The tangent of an angle in radians. `torch.tan`.
#[tensor_op(method(inherent))]
pub fn tan(input: Tensor) -> Tensor {
    tan(input)
}

/// The angle in radians that has this sine. `torch.asin`.
#[tensor_op(method(inherent))]
pub fn asin(input: Tensor) -> Tensor {
    asin(input)
}

/// The angle in radians that has this cosine. `torch.acos`.
#[tensor_op(method(inherent))]
pub fn acos(input: Tensor) -> Tensor {
    acos(input)
}

/// The angle in radians that has this tangent. `torch.atan`.
#[tensor_op(method(inherent))]
pub fn atan(input: Tensor) -> Tensor {
    atan(input)
}

/// The angle in radians of the point `(other, input)`. `torch.atan2`.
#[tensor_op(method(inherent))]
pub fn atan2(input: Tensor, other: Tensor) -> Tensor {
    atan2(input, other)
}

/// The hyperbolic sine. `torch.sinh`.
#[tensor_op(method(inherent))]
pub fn sinh(input: Tensor) -> Tensor {
    sinh(input)
}

/// The hyperbolic cosine. `torch.cosh`.
#[tensor_op(method(inherent))]
pub fn cosh(input: Tensor) -> Tensor {
    cosh(input)
}

/// The hyperbolic tangent. `torch.tanh`.
#[tensor_op(method(inherent))]
pub fn tanh(input: Tensor) -> Tensor {
    tanh(input)
}

/// The number that has this hyperbolic sine. `torch.asinh`.
#[tensor_op(method(inherent))]
pub fn asinh(input: Tensor) -> Tensor {
    asinh(input)
}

/// The number that has this hyperbolic cosine. `torch.acosh`.
#[tensor_op(method(inherent))]
pub fn acosh(input: Tensor) -> Tensor {
    acosh(input)
}

/// The number that has this hyperbolic tangent. `torch.atanh`.
#[tensor_op(method(inherent))]
pub fn atanh(input: Tensor) -> Tensor {
    atanh(input)
}

/// An angle in degrees, in radians. `torch.deg2rad`.
#[tensor_op(method(inherent))]
pub fn deg2rad(input: Tensor) -> Tensor {
    input * (PI / 180.0)
}

/// An angle in radians, in degrees. `torch.rad2deg`.
#[tensor_op(method(inherent))]
pub fn rad2deg(input: Tensor) -> Tensor {
    input * (180.0 / PI)
}

/// The length of the hypotenuse, without overflow on the way. `torch.hypot`.
#[tensor_op(method(inherent))]
pub fn hypot(input: Tensor, other: Tensor) -> Tensor {
    hypot(input, other)
}
