//! Quantized tensors: ints of 8 or 4 bits in place of floats, with scales. They are for weights that a model
//! only reads, and take a quarter or an eighth of the memory of f32.
//!
//! A [`QuantScheme`] says which ints, whether 0 is in the middle of their range (symmetric) or has a zero
//! point (affine), and which elements share a scale: those of the tensor, of a channel, or of a block along
//! the last axis. [`Tensor::quantize`](crate::Tensor::quantize) makes a [`QTensor`], and
//! [`QTensor::dequantize`] makes floats again. [`linear`] is a product with floats, with a gradient.
//! [`Tensor::fake_quantize`](crate::Tensor::fake_quantize) rounds in training.
//!
//! ```
//! use tensor_op::prelude::*;
//! use tensor_op::quantized::{self, QuantScheme};
//!
//! # fn main() -> Result<()> {
//! let device = Device::default();
//! let weight = Tensor::normal([64, 96], 0.0, 1.0, DType::F32, &device)?;
//! let packed = weight.quantize(&QuantScheme::int4().affine().per_block(32))?;
//! assert_eq!(weight.elements() * 4, 24576);
//! // A block has 16 bytes of ints, and 8 bytes for a scale and a zero point.
//! assert_eq!(packed.bytes(), 64 * 3 * (16 + 8));
//!
//! let x = Tensor::normal([5, 96], 0.0, 1.0, DType::F32, &device)?.require_grad();
//! let y = quantized::linear(&x, &packed, None)?;
//! let exact = x.matmul(packed.dequantize()?.transpose(0, 1)?)?;
//! assert!((&y - exact)?.abs()?.amax(..)?.item::<f32>()? < 1e-3);
//! assert!(y.square()?.mean(..)?.backward()?.get(&x).is_some());
//! # Ok(())
//! # }
//! ```
//!
//! # What is stored
//!
//! - Ints in two's complement, four or eight in a word of 32 bits, the first one in the lowest bits. Words
//!   are elements of an i32 tensor, or of an i64 one if the backend has no i32. A row, or a block of it,
//!   begins with a word of its own: if it does not fill its last word, the rest of the word is unused.
//! - Scales in the dtype of the tensor, to which it goes back: one, one for each channel, or one for each
//!   block.
//! - Zero points of the same shape, if the scheme is affine: in i32, or in the ints in which they were given.
//!
//! [`QTensor::bytes`] counts all three. The arithmetic is a family of ops, [`catalogue::quantize`], which run
//! on every backend and can be called in formulas.
//!
//! [`catalogue::quantize`]: crate::catalogue::quantize

mod fake;
mod layout;
mod params;
mod product;
mod scheme;
mod tensor;

pub use product::linear;
pub use scheme::{QuantLevel, QuantMode, QuantScheme, QuantValue};
pub use tensor::QTensor;
