//! The gradients that a backward pass found.

use crate::AutodiffTensor;
use crate::node::NodeId;
use std::collections::BTreeMap;
use tensor_op_core::{Backend, Result};

/// The gradients that a backward pass found, by the tensors that require them. They are tensors of the
/// wrapped backend; those of [`TrackedGradients`] are tracked.
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

    /// Takes the gradient of a tensor out.
    pub fn remove(&mut self, tensor: &AutodiffTensor<B>) -> Option<T> {
        self.found.remove(&tensor.node_id()?)
    }

    /// All gradients, by the [`AutodiffTensor::node_id`] of the tensors that require them.
    pub fn into_nodes(self) -> impl Iterator<Item = (NodeId, T)> {
        self.found.into_iter()
    }
}

impl<B: Backend> Gradients<B> {
    /// Puts a gradient in the place of the one that was found, if one was, and gives that back. It has the
    /// tensor's shape, dtype and device, and the tensor requires a gradient; otherwise an `Err`.
    pub fn replace(&mut self, tensor: &AutodiffTensor<B>, gradient: B::Tensor) -> Result<Option<B::Tensor>> {
        let id = tensor.check_gradient("grad_replace", &gradient)?;
        Ok(self.found.insert(id, gradient))
    }
}
