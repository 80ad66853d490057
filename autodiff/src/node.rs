//! The graph of one computation: nodes that own their parents and know how to pass a gradient on to them.
//!
//! A node is made when a tracked op runs and dies with the last tensor that came from it. Ids grow with time,
//! so a node's id is larger than those of its parents: the order of ids is a topological order.

use crate::checkpoint::Recipe;
use crate::distributed::DistributedParams;
use crate::movement::Moved;
use crate::plan::Plan;
use crate::record::no_gradient;
use crate::saved::Kept;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{Backend, DType, Error, Result, Shape};

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
    /// Where the gradients go, in the order in which the step gives them.
    pub(crate) parents: Vec<Edge<B>>,
    /// The float results.
    pub(crate) outputs: Vec<Like<B::Device>>,
    /// How the results are computed again, if nobody keeps them.
    recipe: Mutex<Option<Arc<Recipe<B>>>>,
    pub(crate) step: Step<B>,
    /// Whether a distributed parameter is behind it.
    pub(crate) distributed: bool,
}

/// What a gradient looks like.
#[derive(Clone)]
pub(crate) struct Like<D> {
    pub(crate) shape: Shape,
    pub(crate) dtype: DType,
    pub(crate) device: D,
}

/// What becomes of a gradient that arrives at a node.
pub(crate) enum Step<B: Backend> {
    /// It is a result of the backward pass, and is passed on to the parent if there is one.
    Keep(Option<DistributedParams<B>>),
    /// It goes through the backward op.
    Op(Arc<Plan>, Saved<B>),
    /// It moves back.
    Move(Moved<B::Device>),
    /// It can't go on, for this reason.
    Refuse { op: String, reason: String },
}

/// What a node saved for its backward op, until a backward pass takes it.
pub(crate) struct Saved<B: Backend>(Mutex<Option<Vec<Kept<B>>>>);

impl NodeId {
    /// The id of the next node.
    pub(crate) fn next() -> NodeId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NodeId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<B: Backend> Node<B> {
    /// A node of a step that nobody computes again.
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

    /// How the results are computed again.
    pub(crate) fn recipe(&self) -> Option<Arc<Recipe<B>>> {
        self.recipe.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Frees what the recipe keeps, once all who needed the results are done.
    pub(crate) fn forget_recipe(&self) {
        drop(self.recipe.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Whether a gradient may go through it.
    pub(crate) fn has_gradient(&self) -> bool {
        match &self.step {
            Step::Keep(_) | Step::Op(..) | Step::Move(_) => true,
            Step::Refuse { .. } => false,
        }
    }
}

impl<B: Backend> Saved<B> {
    pub(crate) fn new(kept: Vec<Kept<B>>) -> Saved<B> {
        Saved(Mutex::new(Some(kept)))
    }

    /// What was saved, for the last backward pass.
    pub(crate) fn take(&self, op: &str) -> Result<Vec<Kept<B>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(|| used(op))
    }

    /// What was saved, which stays for another pass.
    pub(crate) fn share(&self, op: &str) -> Result<Vec<Kept<B>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(|| used(op))
    }

    /// Looks at what is left.
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

impl<D> Like<D> {
    pub(crate) fn of<B: Backend<Device = D>>(tensor: &B::Tensor) -> Like<D> {
        Like { shape: B::shape(tensor), dtype: B::dtype(tensor), device: B::device(tensor) }
    }

    /// An `Err` if a tensor differs in shape, dtype or device.
    pub(crate) fn check<B: Backend<Device = D>>(&self, op: &str, what: &str, tensor: &B::Tensor) -> Result<()>
    where
        D: PartialEq,
    {
        let given = Like::of::<B>(tensor);
        if given.shape != self.shape {
            return Err(differs(op, what, "shape", given.shape, &self.shape));
        }
        if given.dtype != self.dtype {
            return Err(differs(op, what, "dtype", given.dtype, self.dtype));
        }
        if given.device != self.device {
            return Err(differs(op, what, "device", B::name(&given.device), B::name(&self.device)));
        }
        Ok(())
    }

    /// Size of such a tensor's elements.
    pub(crate) fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
}

fn differs(
    op: &str,
    what: &str,
    property: &str,
    given: impl fmt::Display,
    wanted: impl fmt::Display,
) -> Error {
    let reason = format!("the {what} has {property} {given}, the tensor has {wanted}; they must agree");
    no_gradient(op, &reason)
}

impl<B: Backend> Edge<B> {
    /// How the value is computed again: a tensor that requires a gradient is as the one it was made from.
    pub(crate) fn recipe(&self) -> Option<(Arc<Recipe<B>>, usize)> {
        let mut edge = self;
        while let (Step::Keep(_), Some(parent)) = (&edge.node.step, edge.node.parents.first()) {
            edge = parent;
        }
        Some((edge.node.recipe()?, edge.output))
    }

    /// Whether it is a tensor that was not computed from tracked ones.
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

/// Dropping the last tensor of a long computation drops its nodes one after the other, not one inside the
/// other.
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
