//! The gradients of a tensor: how to ask for them, and what a backward pass found.

use crate::backward::{Plain, Recorded, Root, backward};
use crate::error::no_gradient;
use crate::like::{is_float, ones};
use crate::node::{Edge, NodeId};
use crate::tensor::AutodiffTensor;
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

impl<B: Backend> AutodiffTensor<B> {
    /// Gradients of the sum of the elements. The values that were saved for them are freed, so a second pass
    /// through the same computation is an error.
    pub fn backward(&self) -> Result<Gradients<B>> {
        let edge = self.required_edge()?.clone();
        let gradient = ones::<B>(self.inner())?;
        backward::<B, Plain<B>>(vec![Root { edge, gradient }], None).map(Gradients::new)
    }

    /// Gradients of the sum of the elements weighted by `seed`, which must have the tensor's shape, dtype and
    /// device.
    pub fn backward_with(&self, seed: &B::Tensor) -> Result<Gradients<B>> {
        run("backward_with", &[(self, seed)])
    }

    /// Gradients of several tensors in one pass, each with its seed: those of the sum of all elements,
    /// weighted by the seeds. Each seed must have its tensor's shape, dtype and device.
    pub fn backward_of(roots: &[(&AutodiffTensor<B>, &B::Tensor)]) -> Result<Gradients<B>> {
        run("backward", roots)
    }

    /// Computes the same gradients as [`AutodiffTensor::backward`], but they are tracked: they depend on the
    /// tensors from which this one was computed, and can be differentiated again. Nothing is freed, so a
    /// later pass can go through the same computation.
    pub fn backward_tracked(&self) -> Result<TrackedGradients<B>> {
        self.backward_tracked_with(&AutodiffTensor::from_inner(ones::<B>(self.inner())?))
    }

    /// Does the same as [`AutodiffTensor::backward_tracked`], for the sum of the elements weighted by `seed`.
    /// The gradients depend on `seed` too.
    pub fn backward_tracked_with(&self, seed: &AutodiffTensor<B>) -> Result<TrackedGradients<B>> {
        let edge = self.required_edge()?.clone();
        self.check_like("backward_tracked_with", "seed", seed.inner())?;
        seed.check_no_tangent("backward_tracked_with")?;
        backward::<B, Recorded<B>>(vec![Root { edge, gradient: seed.clone() }], None).map(Gradients::new)
    }

    fn required_edge(&self) -> Result<&Edge<B>> {
        self.check_no_tangent("backward")?;
        self.edge().ok_or_else(|| {
            if is_float::<B>(self.inner()) {
                return no_gradient("backward", "no input of this tensor is tracked; call `require_grad` on an input before computing from it");
            }
            let dtype = B::dtype(self.inner());
            no_gradient("backward", &format!("this is a tensor of {dtype}, which has no gradient; only floats have"))
        })
    }
}

/// Gradients of several tensors, each with its seed.
fn run<B: Backend>(op: &str, roots: &[(&AutodiffTensor<B>, &B::Tensor)]) -> Result<Gradients<B>> {
    let root = |(tensor, seed): &(&AutodiffTensor<B>, &B::Tensor)| {
        let edge = tensor.required_edge()?.clone();
        tensor.check_like(op, "seed", seed)?;
        Ok(Root { edge, gradient: B::Tensor::clone(seed) })
    };
    let roots = roots.iter().map(root).collect::<Result<_>>()?;
    backward::<B, Plain<B>>(roots, None).map(Gradients::new)
}
