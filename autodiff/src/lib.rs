//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! Reverse-mode differentiation over any backend.
//!
//! [`Autodiff<B>`] wraps a backend and is a backend itself. An op that gets a tracked tensor runs on `B` and
//! leaves one node in the graph. The node keeps what its backward op needs, and nothing else.
//! [`AutodiffTensor::backward`] visits the nodes from the newest to the oldest and runs each backward op on
//! `B`. Backends nest: on `Autodiff<Autodiff<B>>` the backward ops are recorded too, as they are by
//! [`AutodiffTensor::backward_tracked`]. The module [`functions`] differentiates functions of tensors.
//! [`AutodiffBackend`] is the trait for code that is generic over backends with gradients.
//!
//! To read the crate from the bottom up, take its files in this order:
//!
//! 1. `error`, `like`: an error about differentiation; shape, dtype and device of a tensor.
//! 2. `movement`, `primitive`, `plan`, `directional`, `given`, `distributed`: what an operation is and how it
//!    is differentiated. These files know nothing of a graph.
//! 3. `node`, `tensor`: the graph, and a tensor with its place in the graph.
//! 4. `saved`, `checkpoint`, `scope`: what a node keeps, and what is computed again instead.
//! 5. `record`, `dual`, `backend`: an operation runs and leaves a node; the same on tensors with tangents,
//!    which is forward mode; the backend, which does this for every operation.
//! 6. `graph`, `backward`, `gradients`: questions about a graph, the pass through it, and what it gives.
//! 7. `apply`, `functions`, `typed`: calls of functions whose gradient is given, gradients of functions, and
//!    the trait for generic code.

mod apply;
mod backend;
mod backward;
mod checkpoint;
mod directional;
mod distributed;
mod dual;
mod error;
pub mod functions;
mod given;
mod gradients;
mod graph;
mod like;
mod movement;
mod node;
pub mod plan;
mod primitive;
mod record;
mod saved;
mod scope;
mod tensor;
mod typed;

pub use backend::Autodiff;
pub use checkpoint::{BalancedCheckpointing, Checkpointing, NoCheckpointing};
pub use distributed::DistributedParams;
pub use given::{Arrived, Function};
pub use gradients::{Gradients, TrackedGradients};
pub use node::NodeId;
pub use scope::{ScopedCheckpointing, checkpoint};
pub use tensor::AutodiffTensor;
pub use typed::AutodiffBackend;
