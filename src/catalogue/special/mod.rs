//! Special functions. Names and arguments are those of `torch.special`.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![0.0, 5.0], [2], &Device::default())?;
//! assert_eq!(x.erf()?.to_vec::<f64>()?[0], 0.0);
//! // The logarithm of 4!.
//! assert!((x.lgamma()?.to_vec::<f64>()?[1] - 24.0_f64.ln()).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod bessel;
mod elementary;
mod gamma;
mod normal;

pub use bessel::*;
pub use elementary::*;
pub use gamma::*;
pub use normal::*;
