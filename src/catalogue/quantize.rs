//! Quantization: floats as ints with a scale, and if it is affine with a zero point. A float is
//! `(q - zero_point) * scale`. Scales and zero points are broadcast, so that they may belong to a tensor, to
//! channels or to blocks.
//!
//! [`quantized`](crate::quantized) is made of these formulas: its [`QTensor`](crate::quantized::QTensor)
//! chooses scales, packs the ints in words, and has the shapes of all three. Noise decides a rounding in
//! [`random::stochastic_round`](super::random::stochastic_round).
//!
//! ```
//! use tensor_op::catalogue::quantize::{dequantize, quantize, symmetric_scale};
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from([1.0, -0.5, 0.25]);
//! let scale = symmetric_scale(&x, .., 127, None)?;
//! let q = quantize(&x, &scale, None, None, None)?;
//! assert_eq!(q.to_vec::<i64>()?, [127, -64, 32]);
//! let error = (dequantize(&q, &scale, None)? - x)?.abs()?.amax(..)?.item::<f64>()?;
//! assert!(error <= 0.5 / 127.0);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Ints from `quant_min` to `quant_max` for `x / scale + zero_point`, rounded half to even. NaN becomes the
/// zero point. `torch.quantize_per_tensor` and `torch.quantize_per_channel`, which multiply by the reciprocal
/// of the scale: a quotient that is a tie up to its rounding may be rounded to the other side.
#[tensor_op]
#[no_grad]
pub fn quantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Option<IntTensor>,
    #[default(-128)] quant_min: i64,
    #[default(127)] quant_max: i64,
) -> IntTensor {
    let zero = zero_point.unwrap_or(0);
    let low = cast(quant_min - zero, float);
    let high = cast(quant_max - zero, float);
    // NaN as an int is 0.
    zero + cast(clamp(round(x / scale), low, high), int)
}

/// The floats that the ints of [`quantize`] stand for.
#[tensor_op]
pub fn dequantize(q: IntTensor, scale: Tensor, zero_point: Option<IntTensor>) -> Tensor {
    cast(q - zero_point.unwrap_or(0), float) * scale
}

/// The number that [`dequantize`] makes of what [`quantize`] makes of `x`. The gradient passes straight
/// through where `x` is within the range of the ints, and is 0 elsewhere. NaN stays.
/// `torch.fake_quantize_per_tensor_affine` and `torch.fake_quantize_per_channel_affine`.
#[tensor_op]
pub fn fake_quantize(
    x: Tensor,
    #[no_grad] scale: Tensor,
    zero_point: Option<IntTensor>,
    #[default(-128)] quant_min: i64,
    #[default(127)] quant_max: i64,
) -> Tensor {
    let zero = cast(zero_point.unwrap_or(0), float);
    let low = cast(quant_min, float);
    let high = cast(quant_max, float);
    let level = round(stop_grad(x) / scale) + zero;
    let y = (clamp(level, low, high) - zero) * scale;
    // The difference is 0, so that the result is exact.
    select(level >= low && level <= high, y + (x - stop_grad(x)), y)
}

/// The scale for ints from `-quant_max` to `quant_max` along some axes: `max(abs(x)) / quant_max`, and not
/// less than `smallest`. It is 1 for zeros alone, and NaN if an element is not finite.
#[tensor_op]
#[no_grad]
pub fn symmetric_scale(
    x: Tensor,
    axes: Axes,
    quant_max: i64,
    #[default(1.1754943508222875e-38)] smallest: f64,
) -> Tensor {
    let top = max(abs(x), axes);
    let scale = select(top == 0.0, 1.0, maximum(top / cast(quant_max, float), smallest));
    select(is_finite(top), scale, NAN)
}

/// The scale and the zero point for ints from `quant_min` to `quant_max` along some axes, for the range of
/// the elements and 0. The scale is not less than `smallest`. It is 1 for zeros alone, and NaN if an element
/// is not finite.
#[tensor_op]
#[no_grad]
pub fn affine_scale(
    x: Tensor,
    axes: Axes,
    quant_min: i64,
    quant_max: i64,
    #[default(1.1754943508222875e-38)] smallest: f64,
) -> (Tensor, IntTensor) {
    let steps = cast(quant_max - quant_min, float);
    let low = minimum(min(x, axes), 0.0);
    let step = maximum(max(x, axes), 0.0) / steps - low / steps;
    let scale = select(step == 0.0, 1.0, maximum(step, smallest));
    let zero = quant_min - cast(round(low / scale), int);
    (select(is_finite(step), scale, NAN), zero)
}

/// Ints in words of 32 bits: `lane` ints of `32 / lane` bits each, the lowest bits first. The words are i64.
///
/// ```
/// use tensor_op::catalogue::quantize::{pack, unpack};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let words = pack(Tensor::from([[1, 2, 3, -1], [0, 1, 0, 0]]))?;
/// assert_eq!(words.to_vec::<i64>()?, [0xFF03_0201, 0x100]);
/// assert_eq!(unpack(&words, 4)?.to_vec::<i64>()?, [1, 2, 3, -1, 0, 1, 0, 0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn pack(q: IntTensor![.., lane]) -> IntTensor![..] {
    let bits = 32 / len(lane);
    let ones = (1 << bits) - 1;
    sum((q & ones) << (bits * iota(lane)), lane)
}

/// The ints of [`pack`], with their signs.
#[tensor_op]
pub fn unpack(packed: IntTensor, lane: usize) -> IntTensor![.., lane] {
    let bits = 32 / lane;
    let ones = (1 << bits) - 1;
    let sign = 1 << (bits - 1);
    (((packed >> (bits * iota(lane))) & ones) ^ sign) - sign
}

/// [`quantize`] and [`pack`] in one kernel.
#[tensor_op]
#[no_grad]
pub fn quantize_packed(
    x: Tensor![.., lane],
    scale: Tensor![.., lane],
    zero_point: Option<IntTensor![.., lane]>,
    #[default(-128)] quant_min: i64,
    #[default(127)] quant_max: i64,
) -> IntTensor![..] {
    self::pack(self::quantize(x, scale, zero_point, quant_min, quant_max))
}

/// [`unpack`] and [`dequantize`] in one kernel.
#[tensor_op]
pub fn dequantize_packed(
    packed: IntTensor,
    scale: Tensor![.., lane],
    zero_point: Option<IntTensor![.., lane]>,
) -> Tensor![.., lane] {
    self::dequantize(self::unpack(packed, len(lane)), scale, zero_point)
}

/// A linear layer whose weight is packed: a row has `g` blocks of `w` words. The weight has no gradient. Its
/// floats are computed again for the gradient, and not kept.
#[tensor_op]
#[recompute]
pub fn linear_packed(
    x: Tensor![.., g, w, lane],
    packed: IntTensor![o, g, w],
    #[no_grad] scale: Tensor![o, g, w, lane],
    zero_point: Option<IntTensor![o, g, w, lane]>,
) -> Tensor![.., o] {
    sum(x * self::dequantize_packed(packed, scale, zero_point), (g, w, lane))
}

/// [`linear_packed`] of one row. It is bound by memory, so the kernel reads the words and stores no floats.
#[tensor_op]
#[recompute]
pub fn linear_row_packed(
    x: Tensor![g, w, lane],
    packed: IntTensor![o, g, w],
    #[no_grad] scale: Tensor![o, g, w, lane],
    zero_point: Option<IntTensor![o, g, w, lane]>,
) -> Tensor![o] {
    self::linear_packed(x, packed, scale, zero_point)
}
