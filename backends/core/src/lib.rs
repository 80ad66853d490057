//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! The runtime interface of tensor-op: what a backend implements, what an op is, and the values that pass
//! between them.
//!
//! An op comes as a [`Spec`], which has its graph and schedule. A [`Binding`] finds the sizes of its named
//! dims from the arguments. A [`Backend`] then runs it, with generated kernels or as a composition of the
//! backend's structural primitives. [`interpret`] computes the plain meaning of a graph in f64; it is slow,
//! and everything else is tested against it.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod axes;
mod backend;
mod bind;
pub mod by_hand;
mod bytes;
pub mod check;
pub mod composed;
mod data;
mod device;
mod dtype;
mod dynamic;
mod error;
pub mod execute;
mod flag;
#[cfg(test)]
mod host;
mod interpret;
pub mod memory;
pub mod on_host;
mod op;
mod precision;
mod quantized;
mod random;
pub mod recording;
#[cfg(test)]
mod samples;
#[cfg(feature = "serde")]
mod serialized;
mod shape;
mod thin;
mod usage;

pub use axes::Axes;
pub use backend::{Backend, Value};
pub use bind::{AxisId, Binding, BoundAxis, Cut, Dtypes, IntRule, Positions, without_axes};
pub use by_hand::{Args, register_kernel};
pub use data::{Storage, TensorData};
pub use device::{Device, register_backend, registered_backends};
pub use dtype::{DType, Element};
pub use dynamic::{DynTensor, Dynamic, is_waited_for};
pub use error::{Error, ErrorKind, Result};
pub use flag::with_flag;
pub use half::{bf16, f16};
pub use interpret::{
    Detached, Domain, Evaluated, Plain, evaluate, evaluate_known, interpret, interpret_detached, lower_bound,
    recurrence,
};
pub use op::{GraphOp, Op, SharedOp, Spec};
pub use precision::{float32_matmul_precision, set_float32_matmul_precision};
pub use quantized::Quantized;
pub use random::{Distribution, Draw, Generator, drawn_on_this_thread};
pub use shape::Shape;
pub use tensor_op_spec::ir::Precision;
pub use thin::without_ones;
pub use usage::{Account, DTypeUsage, Held, MemoryUse};
