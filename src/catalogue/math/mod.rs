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
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod angles;
mod pairs;
mod powers;
mod rounding;

pub use angles::*;
pub use pairs::*;
pub use powers::*;
pub use rounding::*;
