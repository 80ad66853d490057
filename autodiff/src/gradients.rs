//! The gradients that a backward pass found.

use crate::AutodiffTensor;
use crate::node::NodeId;
use std::collections::BTreeMap;
use tensor_op_core::{Backend, Result};

/// The gradients that a backward pass found, by the tensors that require them. They are tensors of the
/// wrapped backend. Only the gradients of [`TrackedGradients`] are tracked.
#[derive(Clone, Debug)]
pub struct Gradients<B: Backend, T = <B as Backend>::Tensor> {
    found: BTreeMap<NodeId, T>,
    backend: std::marker::PhantomData<fn() -> B>,
}

/// Gradients that can be differentiated again.
pub type TrackedGradients<B> = Gradients<B, AutodiffTensor<B>>;

impl<B: Backend, T> Gradients<B, T> {
    pub(crate) fn new(found: BTreeMap<NodeId, T>) -> Gradients<B, T> {
        Gradients { found, backend: std::marker::PhantomData }
    }

    /// The gradient of a tensor that requires one, if the backward pass reached it.
    pub fn get(&self, tensor: &AutodiffTensor<B>) -> Option<&T> {
        self.found.get(&tensor.node_id()?)
    }

    /// Removes the gradient of a tensor and returns it.
    pub fn remove(&mut self, tensor: &AutodiffTensor<B>) -> Option<T> {
        self.found.remove(&tensor.node_id()?)
    }

    /// All gradients, each with the [`AutodiffTensor::node_id`] of the tensor that requires it.
    pub fn into_nodes(self) -> impl Iterator<Item = (NodeId, T)> {
        self.found.into_iter()
    }
}

impl<B: Backend> Gradients<B> {
    /// Replaces the gradient of a tensor, and returns the one that was found, if any. An `Err` unless the
    /// tensor requires a gradient and the new gradient has its shape, dtype and device.
    pub fn replace(&mut self, tensor: &AutodiffTensor<B>, gradient: B::Tensor) -> Result<Option<B::Tensor>> {
        let id = tensor.check_gradient("grad_replace", &gradient)?;
        Ok(self.found.insert(id, gradient))
    }
}
