//! What combines two or three tensors, and bounds.

use crate::tensor_op;

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
