//! Gradients of tensors.

use super::Tensor;
use crate::Result;
use std::collections::BTreeMap;
use tensor_op_autodiff::{AutodiffTensor, NodeId};
use tensor_op_core::{DynTensor, Dynamic};

/// The gradients that a backward pass found, by the tensors that require them.
#[derive(Clone, Debug)]
pub struct Gradients(BTreeMap<NodeId, Tensor>);

impl Gradients {
    /// The gradient of a tensor that requires one, if the backward pass reached it. It has the tensor's
    /// shape, dtype and device.
    pub fn get(&self, tensor: &Tensor) -> Option<&Tensor> {
        self.0.get(&tensor.0.node_id()?)
    }

    /// Removes the gradient of a tensor and returns it.
    pub fn remove(&mut self, tensor: &Tensor) -> Option<Tensor> {
        self.0.remove(&tensor.0.node_id()?)
    }

    /// Replaces the gradient of a tensor, and returns the one that was found, if any. An `Err` unless the
    /// tensor requires a gradient and the new gradient has its shape, dtype and device.
    pub fn replace(&mut self, tensor: &Tensor, gradient: Tensor) -> Result<Option<Tensor>> {
        let id = tensor.0.check_gradient("replace", gradient.0.inner())?;
        Ok(self.0.insert(id, gradient))
    }

    fn new(found: tensor_op_autodiff::Gradients<Dynamic>) -> Gradients {
        let tensors = found.into_nodes().map(|(node, gradient)| (node, constant(gradient)));
        Gradients(tensors.collect())
    }
}

impl Tensor {
    /// The same tensor, for which [`Tensor::backward`] reports a gradient. Int and bool tensors have no
    /// gradient, and are returned unchanged.
    #[must_use = "what is computed from the returned tensor is tracked"]
    pub fn require_grad(self) -> Tensor {
        Tensor(self.0.require_grad())
    }

    /// Whether gradients flow through the tensor.
    pub fn is_tracked(&self) -> bool {
        self.0.is_tracked()
    }

    /// The same elements as a constant: no gradient flows through it.
    #[must_use = "the tensor itself stays tracked"]
    pub fn detach(&self) -> Tensor {
        constant(self.0.inner().clone())
    }

    /// Gradients of the sum of the elements. The values that were saved for them are freed, so a second pass
    /// through the same computation is an error.
    pub fn backward(&self) -> Result<Gradients> {
        self.0.backward().map(Gradients::new)
    }

    /// Computes the same gradients as [`Tensor::backward`], but they are tracked: they depend on the tensors
    /// from which this one was computed, and can be differentiated again. Nothing is freed, so a later pass
    /// can go through the same computation.
    pub fn backward_tracked(&self) -> Result<Gradients> {
        let found = self.0.backward_tracked()?;
        Ok(Gradients(found.into_nodes().map(|(node, gradient)| (node, Tensor(gradient))).collect()))
    }

    /// Gradients of the sum of the elements weighted by `seed`, which must have the tensor's shape, dtype and
    /// device.
    pub fn backward_with(&self, seed: &Tensor) -> Result<Gradients> {
        self.0.backward_with(seed.0.inner()).map(Gradients::new)
    }
}

fn constant(inner: DynTensor) -> Tensor {
    Tensor(AutodiffTensor::from_inner(inner))
}
