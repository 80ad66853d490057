//! A tensor of [`Autodiff`](crate::Autodiff): a tensor of the wrapped backend, its place in the graph, and
//! inside of [`jvp`](crate::functions::jvp) its tangent.

use crate::distributed::DistributedParams;
use crate::error::no_gradient;
use crate::like::{Like, is_float};
use crate::node::{Edge, Node, NodeId, Step};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use tensor_op_core::{Backend, Result};

/// A tensor that may be tracked. A tensor that is computed from a tracked tensor is tracked too.
pub struct AutodiffTensor<B: Backend> {
    inner: B::Tensor,
    edge: Option<Edge<B>>,
    /// The value and its tangent, inside of [`jvp`](crate::functions::jvp).
    dual: Option<Box<Dual<B>>>,
}

/// A value and its tangent, which is the derivative along a direction.
struct Dual<B: Backend> {
    level: Level,
    /// The value. It may be a pair of an older level, and so may the tangent.
    value: AutodiffTensor<B>,
    tangent: AutodiffTensor<B>,
}

/// Distinguishes nested directional derivatives. An inner call has a newer level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(u64);

impl Level {
    pub(crate) fn next() -> Level {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Level(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<B: Backend> Clone for Dual<B> {
    fn clone(&self) -> Dual<B> {
        Dual { level: self.level, value: self.value.clone(), tangent: self.tangent.clone() }
    }
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
    pub(crate) fn pair(
        level: Level,
        value: AutodiffTensor<B>,
        tangent: AutodiffTensor<B>,
    ) -> AutodiffTensor<B> {
        let AutodiffTensor { inner, edge, .. } = value.clone();
        AutodiffTensor { inner, edge, dual: Some(Box::new(Dual { level, value, tangent })) }
    }

    /// The value of the tensor, and its tangent if the tensor is a pair of this level.
    pub(crate) fn split(self, level: Level) -> (AutodiffTensor<B>, Option<AutodiffTensor<B>>) {
        match self.dual {
            Some(dual) if dual.level == level => {
                let Dual { value, tangent, .. } = *dual;
                (value, Some(tangent))
            }
            dual => (AutodiffTensor { dual, ..self }, None),
        }
    }

    /// The level of the pair, if the tensor is one.
    pub(crate) fn level(&self) -> Option<Level> {
        self.dual.as_ref().map(|dual| dual.level)
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
            Step::Op(..) | Step::Given(_) | Step::Move(_) | Step::Refuse { .. } => None,
        }
    }

    fn keep(self, params: Option<DistributedParams<B>>) -> AutodiffTensor<B> {
        if !is_float::<B>(&self.inner) {
            return self;
        }
        if let Some(dual) = self.dual {
            let Dual { level, value, tangent } = *dual;
            return AutodiffTensor::pair(level, value.keep(params), tangent);
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

    /// The node that the tensor comes from. [`Gradients::into_nodes`](crate::Gradients::into_nodes) uses it
    /// to identify a gradient.
    pub fn node_id(&self) -> Option<NodeId> {
        self.edge.as_ref().map(|edge| edge.node.id)
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
