//! The graph of one computation: nodes that own their parents and know how to pass a gradient on to them.
//!
//! A node is made when a tracked op runs and dies with the last tensor that came from it. Ids grow with time, so a node's id is
//! larger than those of its parents: the order of ids is a topological order.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{Backend, DType, Error, Result, Shape};

use crate::record::no_gradient;

/// Identifies a node among all nodes of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u64);

/// The place of a tensor in the graph: an output of a node.
pub(crate) struct Edge<B: Backend> {
    pub(crate) node: Arc<Node<B>>,
    pub(crate) output: usize,
}

/// One recorded operation.
pub(crate) struct Node<B: Backend> {
    pub(crate) id: NodeId,
    /// Where the gradients go, in the order in which the adjoint gives them.
    pub(crate) parents: Vec<Edge<B>>,
    pub(crate) outputs: Vec<Like<B>>,
    step: Step<B>,
}

/// What a gradient looks like.
pub(crate) struct Like<B: Backend> {
    pub(crate) shape: Shape,
    pub(crate) dtype: DType,
    pub(crate) device: B::Device,
}

/// From the gradients of all outputs to those of the parents; it owns what was saved.
pub(crate) type Adjoint<B> = Box<dyn FnOnce(Vec<Tensor<B>>) -> Result<Vec<Tensor<B>>> + Send>;

type Tensor<B> = <B as Backend>::Tensor;

/// What becomes of a gradient that arrives at a node.
enum Step<B: Backend> {
    /// It is a result of the backward pass, and is passed on to the parent if there is one.
    Keep,
    /// It goes through the adjoint, once: what was saved is freed.
    Once { op: String, adjoint: Mutex<Option<Adjoint<B>>> },
    /// It can't go on, for this reason.
    Refuse { op: String, reason: String },
}

/// What a node does with the gradients of its outputs.
pub(crate) enum Taken<B: Backend> {
    Keep,
    Run(Adjoint<B>),
}

impl<B: Backend> Node<B> {
    /// A tensor whose gradient is wanted; it may itself come from a node.
    pub(crate) fn keep(parent: Option<Edge<B>>, like: Like<B>) -> Arc<Node<B>> {
        Node::new(parent.into_iter().collect(), vec![like], Step::Keep)
    }

    /// An operation with its adjoint.
    pub(crate) fn once(
        op: &str,
        parents: Vec<Edge<B>>,
        outputs: Vec<Like<B>>,
        adjoint: Adjoint<B>,
    ) -> Arc<Node<B>> {
        let step = Step::Once { op: op.to_string(), adjoint: Mutex::new(Some(adjoint)) };
        Node::new(parents, outputs, step)
    }

    /// An operation that can't be differentiated, which is an error only if someone asks.
    pub(crate) fn refuse(op: &str, outputs: Vec<Like<B>>, reason: String) -> Arc<Node<B>> {
        Node::new(vec![], outputs, Step::Refuse { op: op.to_string(), reason })
    }

    fn new(parents: Vec<Edge<B>>, outputs: Vec<Like<B>>, step: Step<B>) -> Arc<Node<B>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NodeId(NEXT.fetch_add(1, Ordering::Relaxed));
        Arc::new(Node { id, parents, outputs, step })
    }

    /// Whether a gradient may go through it.
    pub(crate) fn has_gradient(&self) -> bool {
        match &self.step {
            Step::Keep | Step::Once { .. } => true,
            Step::Refuse { .. } => false,
        }
    }

    /// Takes the adjoint out of the node.
    pub(crate) fn take(&self) -> Result<Taken<B>> {
        match &self.step {
            Step::Keep => Ok(Taken::Keep),
            Step::Once { op, adjoint } => {
                let taken = adjoint.lock().unwrap_or_else(PoisonError::into_inner).take();
                taken.map(Taken::Run).ok_or_else(|| used(op))
            }
            Step::Refuse { op, reason } => Err(no_gradient(op, reason)),
        }
    }
}

fn used(op: &str) -> Error {
    no_gradient(
        op,
        "an earlier backward pass went through it and freed what it had saved; run the forward pass again, or add the results and call \
         `backward` once",
    )
}

impl<B: Backend> Like<B> {
    pub(crate) fn of(tensor: &B::Tensor) -> Like<B> {
        Like { shape: B::shape(tensor), dtype: B::dtype(tensor), device: B::device(tensor) }
    }
}

impl<B: Backend> Clone for Edge<B> {
    fn clone(&self) -> Edge<B> {
        Edge { node: self.node.clone(), output: self.output }
    }
}

impl<B: Backend> fmt::Debug for Edge<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} output {}", self.node.id.0, self.output)
    }
}

/// Dropping the last tensor of a long computation drops its nodes one after the other, not one inside the other.
impl<B: Backend> Drop for Node<B> {
    fn drop(&mut self) {
        let mut edges = std::mem::take(&mut self.parents);
        while let Some(edge) = edges.pop() {
            if let Some(mut node) = Arc::into_inner(edge.node) {
                edges.append(&mut node.parents);
            }
        }
    }
}
