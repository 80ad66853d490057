//! Quantization: floats as ints with a scale. Four bits in a byte are unpacked by
//! [`bits::unpack_int4`](super::bits::unpack_int4), and noise decides a rounding in
//! [`random::stochastic_round`](super::random::stochastic_round).
//!
//! ```
//! use tensor_op::catalogue::quantize::{dequantize_rows, quantize_rows};
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![1.0, -0.5, 0.25], [1, 3], &Device::default())?;
//! let (q, scale) = quantize_rows(&x, None)?;
//! assert_eq!(q.to_vec::<i64>()?, [127, -64, 32]);
//! let error = (dequantize_rows(&q, &scale)? - x)?.abs()?.amax(..)?.item::<f64>()?;
//! assert!(error <= 0.5 / 127.0);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Each row as ints from `-largest` to `largest`, with the scale of the row. A row of zeros has the scale 1.
#[tensor_op]
#[no_grad]
pub fn quantize_rows(x: Tensor![.., n], #[default(127.0)] largest: f64) -> (IntTensor![.., n], Tensor![..]) {
    let top = max(abs(x), n);
    let scale = select(top == 0.0, 1.0, top / largest);
    (cast(clamp(round(x / scale), -largest, largest), int), scale)
}

/// The rows that [`quantize_rows`] made ints of.
#[tensor_op]
pub fn dequantize_rows(q: IntTensor![.., n], scale: Tensor![..]) -> Tensor![.., n] {
    cast(q, float) * scale
}

/// Ints from `quant_min` to `quant_max` for `x / scale + zero_point`. `torch.quantize_per_tensor`.
#[tensor_op]
#[no_grad]
pub fn quantize_per_tensor(
    x: Tensor,
    scale: f64,
    zero_point: i64,
    #[default(-128.0)] quant_min: f64,
    #[default(127.0)] quant_max: f64,
) -> IntTensor {
    cast(clamp(round(x / scale) + cast(zero_point, float), quant_min, quant_max), int)
}

/// The nearest number that ints with this scale can be. The gradient passes straight through where the number
/// is within their range. `torch.fake_quantize_per_tensor_affine`.
#[tensor_op]
pub fn fake_quantize(
    x: Tensor,
    scale: f64,
    zero_point: f64,
    #[default(-128.0)] quant_min: f64,
    #[default(127.0)] quant_max: f64,
) -> Tensor {
    let level = round(stop_grad(x) / scale) + zero_point;
    let inside = level >= quant_min && level <= quant_max;
    let y = (clamp(level, quant_min, quant_max) - zero_point) * scale;
    select(inside, x + stop_grad(y - x), y)
}

/// A linear layer whose weight is ints with a scale for each row. The weight has no gradient.
#[tensor_op]
pub fn linear_int8(x: Tensor![.., i], weight: IntTensor![o, i], scale: Tensor![o]) -> Tensor![.., o] {
    sum(x * cast(weight, float), i) * scale
}
