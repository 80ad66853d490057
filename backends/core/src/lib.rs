//! The runtime contract of tensor-op: what a backend implements, what an op is, and the values that pass
//! between them.
//!
//! An op comes as a [`Spec`] (its graph and schedule). [`Binding`] gives its named dims sizes from the
//! arguments; a [`Backend`] then runs it, with generated kernels or composed of the backend's structural
//! primitives. [`interpret`] is the slow, plain meaning of a graph in f64 that everything else is tested
//! against.

mod backend;
mod bind;
pub mod check;
pub mod composed;
mod data;
mod device;
mod dtype;
mod dynamic;
mod error;
pub mod execute;
#[cfg(test)]
mod host;
mod interpret;
pub mod memory;
mod op;
mod quantized;
mod random;
#[cfg(test)]
mod samples;
mod shape;

pub use backend::{Backend, Value};
pub use bind::{AxisId, Binding, BoundAxis, Dtypes, IntRule};
pub use data::{Storage, TensorData};
pub use device::{Device, register_backend, registered_backends};
pub use dtype::{DType, Element};
pub use dynamic::{DynTensor, Dynamic};
pub use error::{Error, ErrorKind, Result};
pub use half::{bf16, f16};
pub use interpret::{
    Detached, Domain, Evaluated, Plain, evaluate, evaluate_known, interpret, interpret_detached,
};
pub use op::{GraphOp, Op, SharedOp, Spec};
pub use quantized::Quantized;
pub use random::{Distribution, Draw, Generator};
pub use shape::Shape;
