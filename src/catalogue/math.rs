//! Elementwise functions of numbers: powers, logarithms, angles, rounding, and what combines two or three
//! tensors. Names and arguments are PyTorch's.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![0.0, 4.0], [2], &Device::default())?;
//! assert_eq!(x.sqrt()?.exp2()?.to_vec::<f64>()?, [1.0, 4.0]);
//! assert_eq!(x.abs()?.maximum(-&x)?.to_vec::<f64>()?, [0.0, 4.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

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

/// The next whole number that is not larger. Its gradient is 0. `torch.floor`.
#[tensor_op(method(inherent))]
pub fn floor(input: Tensor) -> Tensor {
    floor(stop_grad(input))
}

/// The next whole number that is not smaller. Its gradient is 0. `torch.ceil`.
#[tensor_op(method(inherent))]
pub fn ceil(input: Tensor) -> Tensor {
    ceil(stop_grad(input))
}

/// The nearest whole number; of two the even one. Its gradient is 0. `torch.round`.
#[tensor_op(method(inherent))]
pub fn round(input: Tensor) -> Tensor {
    round(stop_grad(input))
}

/// Rounds to so many digits behind the point, or with a negative number to tens, hundreds and so on. A half
/// goes to the even digit, as in [`round`]. `torch.round(decimals=..)`; the gradient is 0.
///
/// ```
/// use tensor_op::catalogue::math::round_decimals;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([1.2345, 150.0]);
/// assert_eq!(round_decimals(&x, 2)?.to_vec::<f64>()?, [1.23, 150.0]);
/// assert_eq!(round_decimals(&x, -2)?.to_vec::<f64>()?, [0.0, 200.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The tensor is not of floats.
pub fn round_decimals(input: impl IntoTensor, decimals: i32) -> Result<Tensor> {
    round_by(input, 10.0_f64.powi(decimals.saturating_abs()), decimals < 0)
        .map_err(|error| error.renamed("round_decimals"))
}

impl Tensor {
    /// [`catalogue::math::round_decimals`](round_decimals) as a method.
    pub fn round_decimals(&self, decimals: i32) -> Result<Tensor> {
        self::round_decimals(self, decimals)
    }
}

/// Rounds to multiples of `1 / scale`, or of `scale` if they are `coarse`.
#[tensor_op]
pub fn round_by(input: Tensor, scale: f64, coarse: bool) -> Tensor {
    let fixed = stop_grad(input);
    if coarse { round(fixed / scale) * scale } else { round(fixed * scale) / scale }
}

/// The whole number next to it towards 0. Its gradient is 0. `torch.trunc`.
#[tensor_op(method(inherent))]
pub fn trunc(input: Tensor) -> Tensor {
    trunc(stop_grad(input))
}

/// What remains after the whole number towards 0. `torch.frac`.
#[tensor_op(method(inherent))]
pub fn frac(input: Tensor) -> Tensor {
    input - stop_grad(trunc(input))
}

/// The larger of two numbers, or NaN if one is NaN. Equal numbers share the gradient. `torch.maximum`.
#[tensor_op(method(inherent))]
pub fn maximum(input: NumTensor, other: NumTensor) -> NumTensor {
    maximum(input, other)
}

/// The smaller of two numbers, or NaN if one is NaN. Equal numbers share the gradient. `torch.minimum`.
#[tensor_op(method(inherent))]
pub fn minimum(input: NumTensor, other: NumTensor) -> NumTensor {
    minimum(input, other)
}

/// The larger of two numbers, or the other one if one is NaN. Equal numbers share the gradient.
/// `torch.fmax`.
#[tensor_op(method(inherent))]
pub fn fmax(input: Tensor, other: Tensor) -> Tensor {
    select(is_nan(other), input, select(is_nan(input), other, maximum(input, other)))
}

/// The smaller of two numbers, or the other one if one is NaN. Equal numbers share the gradient.
/// `torch.fmin`.
#[tensor_op(method(inherent))]
pub fn fmin(input: Tensor, other: Tensor) -> Tensor {
    select(is_nan(other), input, select(is_nan(input), other, minimum(input, other)))
}

/// The nearest number between these bounds, at which the gradient is 0. The bounds of ints are whole numbers.
/// `torch.clamp`.
#[tensor_op(method(inherent))]
pub fn clamp(input: NumTensor, min: Number, max: Number) -> NumTensor {
    select(input <= min, minimum(min, max), select(input >= max, max, input))
}

/// The number, or this bound if it is smaller. The gradient is 0 at the bound. `torch.clamp_min`.
#[tensor_op(method(inherent))]
pub fn clamp_min(input: NumTensor, min: Number) -> NumTensor {
    select(input <= min, min, input)
}

/// The number, or this bound if it is larger. The gradient is 0 at the bound. `torch.clamp_max`.
#[tensor_op(method(inherent))]
pub fn clamp_max(input: NumTensor, max: Number) -> NumTensor {
    select(input >= max, max, input)
}

/// The number with the sign of the other one. `torch.copysign`.
#[tensor_op(method(inherent))]
pub fn copysign(input: Tensor, other: Tensor) -> Tensor {
    select((other < 0.0) | ((other == 0.0) & (recip(other) < 0.0)), -abs(input), abs(input))
}

/// The rest of a division, with the sign of the dividend. `torch.fmod`.
#[tensor_op(method(inherent))]
pub fn fmod(input: NumTensor, other: NumTensor) -> NumTensor {
    input % other
}

/// `input + weight * (end - input)`, computed from the nearer end, so that the weights 0 and 1 give the ends.
/// `torch.lerp`.
#[tensor_op(method(inherent))]
pub fn lerp(input: Tensor, end: Tensor, weight: Tensor) -> Tensor {
    let way = end - input;
    select(abs(weight) < 0.5, input + weight * way, end - way * (1.0 - weight))
}

/// `input + value * tensor1 * tensor2`. `torch.addcmul`.
#[tensor_op(method(inherent))]
pub fn addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, #[default(1.0)] value: f64) -> Tensor {
    input + value * tensor1 * tensor2
}

/// `input + value * tensor1 / tensor2`. `torch.addcdiv`.
#[tensor_op(method(inherent))]
pub fn addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, #[default(1.0)] value: f64) -> Tensor {
    input + value * tensor1 / tensor2
}

/// The number, or these values in place of NaN and the infinities. `torch.nan_to_num`, whose defaults are the
/// largest numbers of the dtype; here there are none, so pass `f32::MAX as f64` and `f32::MIN as f64` for
/// f32.
#[tensor_op(method(inherent))]
pub fn nan_to_num(input: Tensor, #[default(0.0)] nan: f64, posinf: f64, neginf: f64) -> Tensor {
    select(is_nan(input), nan, select(input == INFINITY, posinf, select(input == -INFINITY, neginf, input)))
}
