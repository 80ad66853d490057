//! A tensor of [`Autodiff`](crate::Autodiff): a tensor of the wrapped backend and its place in the graph.

use crate::adjoint::to_device;
use crate::backward::{Gradients, backward};
use crate::node::{Edge, Like, Node, NodeId};
use crate::record::no_gradient;
use std::fmt;
use tensor_op_core::{Backend, Error, Result};
use tensor_op_spec::ir::{Kind, Scalar};

/// A tensor that may be tracked. What is computed from a tracked tensor is tracked.
pub struct AutodiffTensor<B: Backend> {
    inner: B::Tensor,
    edge: Option<Edge<B>>,
}

impl<B: Backend> AutodiffTensor<B> {
    /// A constant: not tracked.
    pub fn from_inner(inner: B::Tensor) -> AutodiffTensor<B> {
        AutodiffTensor { inner, edge: None }
    }

    pub(crate) fn tracked(inner: B::Tensor, edge: Edge<B>) -> AutodiffTensor<B> {
        AutodiffTensor { inner, edge: Some(edge) }
    }

    /// The tensor of the wrapped backend.
    pub fn inner(&self) -> &B::Tensor {
        &self.inner
    }

    /// The tensor of the wrapped backend, out of the graph.
    pub fn into_inner(self) -> B::Tensor {
        self.inner
    }

    pub(crate) fn into_parts(self) -> (B::Tensor, Option<Edge<B>>) {
        (self.inner, self.edge)
    }

    /// The same tensor, whose gradient [`AutodiffTensor::backward`] gives. A tensor that was computed from tracked ones passes its
    /// gradient on to them as well, unless it came from an op that has none. An int or bool tensor stays as it is.
    pub fn require_grad(self) -> AutodiffTensor<B> {
        if B::dtype(&self.inner).kind() != Kind::Float {
            return self;
        }
        let parent = self.edge.filter(|edge| edge.node.has_gradient());
        let node = Node::keep(parent, Like::of(&self.inner));
        AutodiffTensor::tracked(self.inner, Edge { node, output: 0 })
    }

    /// The tensor on another device, from which gradients flow back to this one.
    pub fn to_device(self, device: &B::Device) -> Result<AutodiffTensor<B>> {
        to_device(self, device)
    }

    /// Whether gradients flow through the tensor.
    pub fn is_tracked(&self) -> bool {
        self.edge.is_some()
    }

    /// The node that the tensor comes from, by which [`Gradients::into_nodes`] names a gradient.
    pub fn node_id(&self) -> Option<NodeId> {
        self.edge.as_ref().map(|edge| edge.node.id)
    }

    /// Gradients of the sum of the elements.
    pub fn backward(&self) -> Result<Gradients<B>> {
        let edge = self.required_edge()?;
        let like = Like::<B>::of(&self.inner);
        backward(edge, B::full(like.shape, Scalar::Float(1.0), like.dtype, &like.device)?)
    }

    /// Gradients of the sum of the elements weighted by `seed`, which is as the tensor in shape, dtype and device.
    pub fn backward_with(&self, seed: &B::Tensor) -> Result<Gradients<B>> {
        let edge = self.required_edge()?;
        let (like, given) = (Like::<B>::of(&self.inner), Like::<B>::of(seed));
        if given.shape != like.shape {
            return Err(wrong_seed("shape", given.shape, like.shape));
        }
        if given.dtype != like.dtype {
            return Err(wrong_seed("dtype", given.dtype, like.dtype));
        }
        if given.device != like.device {
            return Err(wrong_seed("device", B::name(&given.device), B::name(&like.device)));
        }
        backward(edge, seed.clone())
    }

    fn required_edge(&self) -> Result<&Edge<B>> {
        self.edge.as_ref().ok_or_else(|| {
            no_gradient("backward", "no input of this tensor is tracked; call `require_grad` on an input before computing from it")
        })
    }
}

fn wrong_seed(what: &str, given: impl fmt::Display, wanted: impl fmt::Display) -> Error {
    no_gradient(
        "backward_with",
        &format!("the seed has {what} {given}, the tensor has {wanted}; they must agree"),
    )
}

impl<B: Backend> Clone for AutodiffTensor<B> {
    fn clone(&self) -> AutodiffTensor<B> {
        AutodiffTensor { inner: self.inner.clone(), edge: self.edge.clone() }
    }
}

impl<B: Backend> fmt::Debug for AutodiffTensor<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutodiffTensor").field("inner", &self.inner).field("edge", &self.edge).finish()
    }
}
