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

    /// Takes the gradient of a tensor out.
    pub fn remove(&mut self, tensor: &Tensor) -> Option<Tensor> {
        self.0.remove(&tensor.0.node_id()?)
    }

    /// Puts a gradient in the place of the one that was found, if one was, and gives that back. It has the
    /// tensor's shape, dtype and device, and the tensor requires a gradient; otherwise an `Err`.
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
    /// The same tensor, whose gradient [`Tensor::backward`] gives. Int and bool tensors have none and stay as
    /// they are.
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

    /// Gradients of the sum of the elements. What was saved for them is freed: a second pass through the same
    /// computation is an error.
    pub fn backward(&self) -> Result<Gradients> {
        self.0.backward().map(Gradients::new)
    }

    /// Gradients as [`Tensor::backward`] gives them, which are tracked: they depend on the tensors that this
    /// one was computed from, and can be differentiated again. Nothing is freed, so that a later pass can go
    /// through the same computation.
    pub fn backward_tracked(&self) -> Result<Gradients> {
        let found = self.0.backward_tracked()?;
        Ok(Gradients(found.into_nodes().map(|(node, gradient)| (node, Tensor(gradient))).collect()))
    }

    /// Gradients of the sum of the elements weighted by `seed`, which is as the tensor in shape, dtype and
    /// device.
    pub fn backward_with(&self, seed: &Tensor) -> Result<Gradients> {
        self.0.backward_with(seed.0.inner()).map(Gradients::new)
    }
}

fn constant(inner: DynTensor) -> Tensor {
    Tensor(AutodiffTensor::from_inner(inner))
}
