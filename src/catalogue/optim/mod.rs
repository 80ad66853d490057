//! Steps of optimizers: a parameter, its gradient and its state become the next parameter and the next state,
//! in one kernel where no product is needed. Names and defaults are those of `torch.optim`.
//!
//! Pass tensors by value, and their buffers take the results. Steps are counted from 1.
//!
//! A scalar of an op on f32 is rounded to f32, in which `1 - 0.999` has four digits. So a decay is given as
//! what it lacks to 1: `one_minus_beta2` is 0.001 where PyTorch's `beta2` is 0.999. The rules of
//! [`optim`](crate::optim) take decays as PyTorch does.
//!
//! [`optim`](crate::optim) runs these ops for all parameters of a model.
//!
//! ```
//! use tensor_op::catalogue::optim::adamw;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! # let device = Device::default();
//! let w = Tensor::ones([2], DType::F64, &device)?;
//! let grad = Tensor::from_vec(vec![0.5, -0.5], [2], &device)?;
//! let zeros = Tensor::zeros([2], DType::F64, &device)?;
//! let (w, _, _) = adamw(w, grad, &zeros, &zeros, 1, 0.1, None, None, None, 0)?;
//! assert!((w.to_vec::<f64>()?[0] - 0.9).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod adaptive;
mod steps;

pub use adaptive::*;
pub use steps::*;
