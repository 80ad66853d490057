//! The graph of one computation: its nodes, and the values that they keep. Nodes own their parents, and know
//! how to pass a gradient on to them.
//!
//! A node is created when a tracked op runs, and dropped with the last tensor that was computed from it. Ids
//! grow with time, so a node's id is larger than the ids of its parents: the order of ids is a topological
//! order.

use crate::distributed::DistributedParams;
use crate::error::no_gradient;
use crate::given::Arrived;
use crate::like::Like;
use crate::movement::{Moved, Movement};
use crate::plan::BackwardPlan;
use crate::primitive::Primitive;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{Backend, Error, Op, Result, Shape};
use tensor_op_spec::ir::Scalar;

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
    /// Where gradients go, in the order in which the step returns them.
    pub(crate) parents: Vec<Edge<B>>,
    /// The float results.
    pub(crate) outputs: Vec<Like<B::Device>>,
    /// How to compute the results again, if they are not kept.
    recipe: Mutex<Option<Arc<Recipe<B>>>>,
    pub(crate) step: Step<B>,
    /// Whether the node is a distributed parameter or was computed from one.
    pub(crate) distributed: bool,
}

/// What happens to a gradient that arrives at a node.
pub(crate) enum Step<B: Backend> {
    /// The gradient is reported by the backward pass, and passed on to the parent if there is one.
    Keep(Option<DistributedParams<B>>),
    /// The gradient goes through the backward op.
    Op(Arc<BackwardPlan>, Saved<B>),
    /// The gradient goes through a function that is written by hand.
    Given(Given<B>),
    /// The gradient is moved back.
    Move(Moved<B::Device>),
    /// The gradient can't be passed on, for this reason.
    Refuse { op: String, reason: String },
}

/// A tensor, and its place in the graph if it has one.
pub(crate) type Placed<B> = (<B as Backend>::Tensor, Option<Edge<B>>);

/// Gives the gradients of all inputs.
pub(crate) type Rule<B> =
    Box<dyn Fn(&Arrived<'_, Placed<B>>) -> Result<Vec<Option<Placed<B>>>> + Send + Sync>;

/// A call of a function whose gradient is given.
pub(crate) struct Given<B: Backend> {
    pub(crate) name: String,
    pub(crate) rule: Rule<B>,
    /// The inputs, and behind them the results.
    pub(crate) saved: Saved<B>,
    /// For each input its place among the parents.
    pub(crate) parents: Vec<Option<usize>>,
    /// For each result its place among the outputs.
    pub(crate) slots: Vec<Option<usize>>,
}

/// The values that a node saved for its backward op. A backward pass may take them.
pub(crate) struct Saved<B: Backend>(Mutex<Option<Vec<Kept<B>>>>);

/// An argument that is kept for later: for a backward op, or for an op that will be computed again.
pub(crate) enum Kept<B: Backend> {
    Tensor(B::Tensor),
    /// A result of an op that runs again when the result is needed.
    Recomputed(Arc<Recipe<B>>, usize),
    Scalar(Scalar),
    Shape(Shape),
    /// A tensor whose elements may have any value, because no wanted gradient depends on them.
    Blank(Like<B::Device>),
    /// A value that is not saved: a gradient, or a result that does not exist yet.
    Later,
}

/// How to compute the results of a node again.
pub(crate) struct Recipe<B: Backend> {
    /// The id of the node.
    pub(crate) id: NodeId,
    pub(crate) again: Again<B::Device>,
    pub(crate) args: Vec<Kept<B>>,
    /// Bytes that only this recipe keeps alive.
    pub(crate) extra: usize,
    /// Length of the longest chain of recipes that ends here, including this one.
    pub(crate) chain: usize,
}

/// The operation that runs again.
pub(crate) enum Again<D> {
    Op(Arc<dyn Op>, Vec<bool>),
    Primitive(Primitive),
    Move(Movement<D>),
}

impl NodeId {
    /// A new id, larger than all before.
    pub(crate) fn next() -> NodeId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NodeId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<B: Backend> Node<B> {
    /// A node whose results are never computed again.
    pub(crate) fn new(parents: Vec<Edge<B>>, outputs: Vec<Like<B::Device>>, step: Step<B>) -> Arc<Node<B>> {
        Node::with_recipe(NodeId::next(), parents, outputs, step, None)
    }

    /// A node whose results may be computed again.
    pub(crate) fn with_recipe(
        id: NodeId,
        parents: Vec<Edge<B>>,
        outputs: Vec<Like<B::Device>>,
        step: Step<B>,
        recipe: Option<Arc<Recipe<B>>>,
    ) -> Arc<Node<B>> {
        let own = matches!(step, Step::Keep(Some(_)));
        let distributed = own || parents.iter().any(|parent| parent.node.distributed);
        Arc::new(Node { id, parents, outputs, recipe: Mutex::new(recipe), step, distributed })
    }

    /// How to compute the results again.
    pub(crate) fn recipe(&self) -> Option<Arc<Recipe<B>>> {
        self.recipe.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Frees what the recipe keeps. All nodes that needed the results must be done.
    pub(crate) fn forget_recipe(&self) {
        drop(self.recipe.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Whether a gradient may pass through the node.
    pub(crate) fn has_gradient(&self) -> bool {
        match &self.step {
            Step::Keep(_) | Step::Op(..) | Step::Given(_) | Step::Move(_) => true,
            Step::Refuse { .. } => false,
        }
    }
}

impl<B: Backend> Saved<B> {
    pub(crate) fn new(kept: Vec<Kept<B>>) -> Saved<B> {
        Saved(Mutex::new(Some(kept)))
    }

    /// Takes the saved values out, for the last backward pass.
    pub(crate) fn take(&self, op: &str) -> Result<Vec<Kept<B>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(|| used(op))
    }

    /// The saved values, which also stay for another pass.
    pub(crate) fn share(&self, op: &str) -> Result<Vec<Kept<B>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(|| used(op))
    }

    /// Calls `look` for each saved value that is left.
    pub(crate) fn visit(&self, look: impl FnMut(&Kept<B>)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().flatten().for_each(look);
    }
}

fn used(op: &str) -> Error {
    no_gradient(
        op,
        "an earlier backward pass went through it and freed what it had saved; run the forward pass again, or add the results and call \
         `backward` once",
    )
}

impl<B: Backend> Clone for Kept<B> {
    fn clone(&self) -> Kept<B> {
        match self {
            Kept::Tensor(tensor) => Kept::Tensor(tensor.clone()),
            Kept::Recomputed(recipe, output) => Kept::Recomputed(recipe.clone(), *output),
            Kept::Scalar(scalar) => Kept::Scalar(*scalar),
            Kept::Shape(shape) => Kept::Shape(shape.clone()),
            Kept::Blank(like) => Kept::Blank(like.clone()),
            Kept::Later => Kept::Later,
        }
    }
}

impl<B: Backend> Edge<B> {
    /// How to compute the value again. A tensor that requires a gradient has the value of the tensor from
    /// which it was made.
    pub(crate) fn recipe(&self) -> Option<(Arc<Recipe<B>>, usize)> {
        let mut edge = self;
        while let (Step::Keep(_), Some(parent)) = (&edge.node.step, edge.node.parents.first()) {
            edge = parent;
        }
        Some((edge.node.recipe()?, edge.output))
    }

    /// Whether this is a tensor that was not computed from tracked tensors.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.node.step, Step::Keep(_)) && self.node.parents.is_empty()
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

/// Drops the nodes of a long computation in a loop. Otherwise each node would drop its parents recursively,
/// which could overflow the stack.
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
