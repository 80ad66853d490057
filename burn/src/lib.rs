//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! Ops of tensor-op on the tensors of Burn 0.22.1.
//!
//! An op is a value: its graph, its schedule, its kernels, and its backward op. So the code that Burn's
//! extensions contain for each op is here only once. `OpBackend` is a Burn backend that runs ops, and each of
//! Burn's decorators passes ops on as it passes operations on.
//!
//! ```text
//! tensor, dtype   Burn's tensors of any kind, and their element types
//! results         what the results of an op are like before it runs
//! adapter         a Burn backend as one of tensor-op: its operations as primitives, of which ops are composed where there are no kernels
//! flex            the CPU kernels on the buffers of Flex
//! cube            the GPU kernels on the memory of Burn's GPU backend
//! autodiff        nodes of Burn's graph, with what the op's gradient needs
//! fusion          one custom operation in the queue, whose results are known before it runs
//! dispatch        from the tensors that users hold to the backend that they are on
//! function        what generated functions call
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg(feature = "flex")]

mod adapter;
mod autodiff;
mod backend;
#[cfg(feature = "cube")]
mod cube;
mod dispatch;
mod dtype;
mod flex;
mod function;
#[cfg(feature = "cube")]
mod fusion;
mod results;
mod tensor;

pub use adapter::Adapter;
pub use backend::OpBackend;
pub use burn;
#[cfg(feature = "cube")]
#[doc(hidden)]
pub use burn_cubecl;
pub use function::{Number, NumberKind, TensorKind, arg, composed, function, result};
pub use tensor::OpTensor;
