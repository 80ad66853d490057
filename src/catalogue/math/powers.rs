//! Signs, powers, exponentials and logarithms.

use crate::{DType, IntoTensor, Result, Tensor, tensor_op};

/// The absolute value. `torch.abs`.
#[tensor_op(method(inherent))]
pub fn abs(input: NumTensor) -> NumTensor {
    abs(input)
}

/// -1, 0 or 1: the sign. Its gradient is 0. `torch.sign`.
#[tensor_op(method(inherent))]
pub fn sign(input: NumTensor) -> NumTensor {
    sign(stop_grad(input))
}

/// -1, 0 or 1: the sign, which for complex numbers would be a direction. Its gradient is 0. `torch.sgn`.
#[tensor_op(method(inherent))]
pub fn sgn(input: NumTensor) -> NumTensor {
    sign(stop_grad(input))
}

/// The angle to the positive numbers: 0, or pi for a negative number. Its gradient is 0. `torch.angle`.
#[tensor_op(method(inherent))]
pub fn angle(input: Tensor) -> Tensor {
    let x = stop_grad(input);
    select(is_nan(x), x, select(x < 0.0, PI, 0.0))
}

/// The square. `torch.square`.
#[tensor_op(method(inherent))]
pub fn square(input: NumTensor) -> NumTensor {
    input * input
}

/// The square root. `torch.sqrt`.
#[tensor_op(method(inherent))]
pub fn sqrt(input: Tensor) -> Tensor {
    sqrt(input)
}

/// One over the square root. `torch.rsqrt`.
#[tensor_op(method(inherent))]
pub fn rsqrt(input: Tensor) -> Tensor {
    rsqrt(input)
}

/// One over the number. `torch.reciprocal`.
#[tensor_op(method(inherent))]
pub fn reciprocal(input: Tensor) -> Tensor {
    recip(input)
}

/// A power. `torch.pow`.
#[tensor_op(method(inherent))]
pub fn pow(input: Tensor, exponent: Tensor) -> Tensor {
    pow(input, exponent)
}

/// A power with one exponent for all elements. `torch.pow` with a number.
#[tensor_op(method(inherent))]
pub fn powf(input: Tensor, exponent: f64) -> Tensor {
    pow(input, exponent)
}

/// A power, computed in f64 and left there. `torch.float_power`.
///
/// # Errors
///
/// Shapes that do not broadcast, and a device without f64.
pub fn float_power(input: impl IntoTensor, exponent: impl IntoTensor) -> Result<Tensor> {
    let (input, exponent) = (input.into_tensor()?, exponent.into_tensor()?);
    pow(input.cast(DType::F64), exponent.cast(DType::F64)).map_err(|error| error.renamed("float_power"))
}

impl Tensor {
    /// [`float_power`] of this tensor.
    pub fn float_power(&self, exponent: impl IntoTensor) -> Result<Tensor> {
        float_power(self, exponent)
    }
}

/// The number times two to this power. `torch.ldexp`, whose ints must be cast here.
#[tensor_op(method(inherent))]
pub fn ldexp(input: Tensor, other: Tensor) -> Tensor {
    input * exp2(other)
}

/// The exponential. `torch.exp`.
#[tensor_op(method(inherent))]
pub fn exp(input: Tensor) -> Tensor {
    exp(input)
}

/// Two to this power. `torch.exp2`.
#[tensor_op(method(inherent))]
pub fn exp2(input: Tensor) -> Tensor {
    exp2(input)
}

/// `exp(x) - 1`, exact for small numbers. `torch.expm1`.
#[tensor_op(method(inherent))]
pub fn expm1(input: Tensor) -> Tensor {
    expm1(input)
}

/// The natural logarithm. `torch.log`.
#[tensor_op(method(inherent))]
pub fn log(input: Tensor) -> Tensor {
    ln(input)
}

/// The logarithm to base 2. `torch.log2`.
#[tensor_op(method(inherent))]
pub fn log2(input: Tensor) -> Tensor {
    log2(input)
}

/// The logarithm to base 10. `torch.log10`.
#[tensor_op(method(inherent))]
pub fn log10(input: Tensor) -> Tensor {
    ln(input) / 2.302585092994046
}

/// `log(1 + x)`, exact for small numbers. `torch.log1p`.
#[tensor_op(method(inherent))]
pub fn log1p(input: Tensor) -> Tensor {
    log1p(input)
}

/// The logarithm of the sum of two exponentials, without overflow on the way. `torch.logaddexp`.
#[tensor_op(method(inherent))]
pub fn logaddexp(input: Tensor, other: Tensor) -> Tensor {
    logaddexp(input, other)
}

/// The logarithm to base 2 of the sum of two powers of two, without overflow on the way. `torch.logaddexp2`.
#[tensor_op(method(inherent))]
pub fn logaddexp2(input: Tensor, other: Tensor) -> Tensor {
    logaddexp(input * LN_2, other * LN_2) / LN_2
}
