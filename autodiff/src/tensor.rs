//! A tensor of [`Autodiff`](crate::Autodiff): a tensor of the wrapped backend and its place in the graph.

use crate::backward::{Plain, Recorded, Root, backward};
use crate::distributed::DistributedParams;
use crate::dual::{Dual, Level};
use crate::node::{Edge, Like, Node, NodeId, Step};
use crate::record::{is_float, no_gradient};
use crate::{Gradients, TrackedGradients};
use std::fmt;
use tensor_op_core::{Backend, Result};
use tensor_op_spec::ir::Scalar;

/// A tensor that may be tracked. A tensor that is computed from a tracked tensor is tracked too.
pub struct AutodiffTensor<B: Backend> {
    inner: B::Tensor,
    edge: Option<Edge<B>>,
    /// The value and its tangent, inside of [`jvp`](crate::functions::jvp).
    dual: Option<Box<Dual<B>>>,
}

impl<B: Backend> AutodiffTensor<B> {
    /// A constant, which is not tracked.
    pub fn from_inner(inner: B::Tensor) -> AutodiffTensor<B> {
        AutodiffTensor::new(inner, None)
    }

    pub(crate) fn new(inner: B::Tensor, edge: Option<Edge<B>>) -> AutodiffTensor<B> {
        AutodiffTensor { inner, edge, dual: None }
    }

    pub(crate) fn tracked(inner: B::Tensor, edge: Edge<B>) -> AutodiffTensor<B> {
        AutodiffTensor::new(inner, Some(edge))
    }

    /// A pair of a value and its tangent. From outside it looks like the value.
    pub(crate) fn dual(dual: Dual<B>) -> AutodiffTensor<B> {
        let AutodiffTensor { inner, edge, .. } = dual.value().clone();
        AutodiffTensor { inner, edge, dual: Some(Box::new(dual)) }
    }

    pub(crate) fn into_dual(self) -> std::result::Result<Dual<B>, AutodiffTensor<B>> {
        match self.dual {
            Some(dual) => Ok(*dual),
            None => Err(self),
        }
    }

    pub(crate) fn level(&self) -> Option<Level> {
        self.dual.as_ref().map(|dual| dual.level())
    }

    /// The tensor of the wrapped backend.
    pub fn inner(&self) -> &B::Tensor {
        &self.inner
    }

    /// The tensor of the wrapped backend, detached from the graph.
    pub fn into_inner(self) -> B::Tensor {
        self.inner
    }

    pub(crate) fn into_parts(self) -> (B::Tensor, Option<Edge<B>>) {
        (self.inner, self.edge)
    }

    pub(crate) fn edge(&self) -> Option<&Edge<B>> {
        self.edge.as_ref()
    }

    /// The same tensor, for which [`AutodiffTensor::backward`] reports a gradient. If it was computed from
    /// tracked tensors, it passes its gradient on to them too, unless it came from an op without a gradient.
    /// An int or bool tensor is returned unchanged.
    pub fn require_grad(self) -> AutodiffTensor<B> {
        self.keep(None)
    }

    /// The same tensor as a distributed parameter: it requires a gradient, and the backward pass hands this
    /// gradient to a reducer as soon as it is complete. An `Err` for an int or bool tensor.
    pub fn set_distributed_params(self, params: DistributedParams<B>) -> Result<AutodiffTensor<B>> {
        if is_float::<B>(&self.inner) {
            return Ok(self.keep(Some(params)));
        }
        let reason = format!("a tensor of {} has no gradient; only floats have", B::dtype(&self.inner));
        Err(no_gradient("set_distributed_params", &reason))
    }

    /// The properties of the tensor as a distributed parameter, if it is one.
    pub fn distributed_params(&self) -> Option<&DistributedParams<B>> {
        match &self.edge.as_ref()?.node.step {
            Step::Keep(params) => params.as_ref(),
            Step::Op(..) | Step::Move(_) | Step::Refuse { .. } => None,
        }
    }

    fn keep(self, params: Option<DistributedParams<B>>) -> AutodiffTensor<B> {
        if !is_float::<B>(&self.inner) {
            return self;
        }
        if let Some(dual) = self.dual {
            return dual.map(|value| value.keep(params));
        }
        let parent = self.edge.filter(|edge| edge.node.has_gradient());
        let outputs = vec![Like::of::<B>(&self.inner)];
        let node = Node::new(parent.into_iter().collect(), outputs, Step::Keep(params));
        AutodiffTensor::tracked(self.inner, Edge { node, output: 0 })
    }

    /// Whether gradients flow through the tensor.
    pub fn is_tracked(&self) -> bool {
        self.edge.is_some()
    }

    /// Whether a backward pass reports the tensor's gradient.
    pub fn requires_grad(&self) -> bool {
        self.edge.as_ref().is_some_and(|edge| matches!(edge.node.step, Step::Keep(_)))
    }

    /// The node that the tensor comes from. [`Gradients::into_nodes`] uses it to identify a gradient.
    pub fn node_id(&self) -> Option<NodeId> {
        self.edge.as_ref().map(|edge| edge.node.id)
    }

    /// Gradients of the sum of the elements. The values that were saved for them are freed, so a second pass
    /// through the same computation is an error.
    pub fn backward(&self) -> Result<Gradients<B>> {
        let edge = self.required_edge()?.clone();
        let gradient = ones::<B>(&self.inner)?;
        backward::<B, Plain<B>>(vec![Root { edge, gradient }], None).map(Gradients::new)
    }

    /// Gradients of the sum of the elements weighted by `seed`, which must have the tensor's shape, dtype and
    /// device.
    pub fn backward_with(&self, seed: &B::Tensor) -> Result<Gradients<B>> {
        let edge = self.required_edge()?.clone();
        self.check_like("backward_with", "seed", seed)?;
        backward::<B, Plain<B>>(vec![Root { edge, gradient: seed.clone() }], None).map(Gradients::new)
    }

    /// Computes the same gradients as [`AutodiffTensor::backward`], but they are tracked: they depend on the
    /// tensors from which this one was computed, and can be differentiated again. Nothing is freed, so a
    /// later pass can go through the same computation.
    pub fn backward_tracked(&self) -> Result<TrackedGradients<B>> {
        self.backward_tracked_with(&AutodiffTensor::from_inner(ones::<B>(&self.inner)?))
    }

    /// Does the same as [`AutodiffTensor::backward_tracked`], for the sum of the elements weighted by `seed`.
    /// The gradients depend on `seed` too.
    pub fn backward_tracked_with(&self, seed: &AutodiffTensor<B>) -> Result<TrackedGradients<B>> {
        let edge = self.required_edge()?.clone();
        self.check_like("backward_tracked_with", "seed", seed.inner())?;
        seed.check_no_tangent("backward_tracked_with")?;
        backward::<B, Recorded<B>>(vec![Root { edge, gradient: seed.clone() }], None).map(Gradients::new)
    }

    /// The node of a tensor that requires a gradient. An `Err`, which names the op, if the tensor requires
    /// none, or if `gradient` has another shape, dtype or device.
    pub fn check_gradient(&self, op: &str, gradient: &B::Tensor) -> Result<NodeId> {
        let Some(id) = self.node_id().filter(|_| self.requires_grad()) else {
            return Err(no_gradient(op, "the tensor requires no gradient; call `require_grad` on it first"));
        };
        self.check_like(op, "gradient", gradient)?;
        Ok(id)
    }

    /// Returns an `Err` if another tensor differs in shape, dtype or device.
    pub(crate) fn check_like(&self, op: &str, what: &str, other: &B::Tensor) -> Result<()> {
        Like::of::<B>(&self.inner).check::<B>(op, what, other)
    }

    /// Returns an `Err` if the tensor has a tangent. Its gradient would lack the tangent.
    pub(crate) fn check_no_tangent(&self, op: &str) -> Result<()> {
        if self.dual.is_none() {
            return Ok(());
        }
        Err(no_gradient(
            op,
            "a gradient inside of `jvp` has no tangent; take the gradient of the `jvp` instead",
        ))
    }

    fn required_edge(&self) -> Result<&Edge<B>> {
        self.check_no_tangent("backward")?;
        self.edge.as_ref().ok_or_else(|| {
            if is_float::<B>(&self.inner) {
                return no_gradient("backward", "no input of this tensor is tracked; call `require_grad` on an input before computing from it");
            }
            let dtype = B::dtype(&self.inner);
            no_gradient("backward", &format!("this is a tensor of {dtype}, which has no gradient; only floats have"))
        })
    }
}

/// The gradient of the sum of the elements with respect to the elements: ones.
pub(crate) fn ones<B: Backend>(tensor: &B::Tensor) -> Result<B::Tensor> {
    B::full(B::shape(tensor), Scalar::Float(1.0), B::dtype(tensor), &B::device(tensor))
}

impl<B: Backend> Clone for AutodiffTensor<B> {
    fn clone(&self) -> AutodiffTensor<B> {
        AutodiffTensor { inner: self.inner.clone(), edge: self.edge.clone(), dual: self.dual.clone() }
    }
}

impl<B: Backend> fmt::Debug for AutodiffTensor<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("AutodiffTensor");
        debug.field("inner", &self.inner).field("edge", &self.edge);
        debug.field("has_tangent", &self.dual.is_some()).finish()
    }
}
