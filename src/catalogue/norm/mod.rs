//! Normalization by statistics of the tensor itself, or by running statistics. Names and arguments are those
//! of `torch.nn.functional`; channels are axis 1.
//!
//! A function without an op of its name checks its arguments, and calls the formulas below it.
//! [`nn`](super::nn) has layer norm and root-mean-square norm of the last axis as single formulas, which
//! other formulas may call.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![3.0, 4.0], [1, 2], &Device::default())?;
//! assert_eq!(x.normalize(None, None, None)?.to_vec::<f64>()?, [0.6, 0.8]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod channels;
mod lengths;
mod running;
mod trailing;

pub use channels::*;
pub use lengths::*;
pub use running::*;
pub use trailing::*;
