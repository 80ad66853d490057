//! Reverse-mode differentiation over any backend.
//!
//! [`Autodiff<B>`] wraps a backend and is a backend itself. An op that gets a tracked tensor runs on `B` and
//! leaves one node in the graph. The node keeps what its backward op needs, and nothing else.
//! [`AutodiffTensor::backward`] visits the nodes from the newest to the oldest and runs each backward op on
//! `B`. Backends nest: on `Autodiff<Autodiff<B>>` the backward ops are recorded too, as they are by
//! [`AutodiffTensor::backward_tracked`]. The module [`functions`] differentiates functions of tensors.
//! [`AutodiffBackend`] is the trait for code that is generic over backends with gradients.
//!
//! ```text
//! tensor, node           a tensor and its place in the graph
//! plan, record, saved    recording: how an op is differentiated, and what its node saves
//! movement, primitive    recording of the backend's primitives
//! hidden                 results that only backward ops see
//! checkpoint, scope      what is computed again rather than saved, and where
//! backward, gradients    the pass through the graph, and what it gives
//! distributed            gradients that are reduced while the pass goes on
//! dual                   forward mode
//! graph                  questions about a graph
//! backend, typed         the backend, and its surface for generic code
//! ```

mod backend;
mod backward;
mod checkpoint;
mod distributed;
mod dual;
pub mod functions;
mod gradients;
mod graph;
mod hidden;
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
pub use gradients::{Gradients, TrackedGradients};
pub use node::NodeId;
pub use scope::{ScopedCheckpointing, checkpoint};
pub use tensor::AutodiffTensor;
pub use typed::AutodiffBackend;
