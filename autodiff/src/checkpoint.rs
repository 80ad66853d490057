//! Checkpointing: which results a graph keeps until the backward pass, and which it computes again.
//!
//! A result that is computed again has a [`Recipe`]: its op, and arguments that are kept or have recipes
//! themselves. Who saves such a result saves the recipe. The backward pass follows it once, at the first use,
//! and drops the value after the last.

use crate::movement::Movement;
use crate::node::{Edge, Like, NodeId};
use crate::primitive::Call;
use crate::record::is_float;
use crate::saved::{Kept, blank};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tensor_op_core::{Backend, Error, ErrorKind, Op, Result, Value};

/// What an [`Autodiff`](crate::Autodiff) keeps for the backward pass.
pub trait Checkpointing: Send + Sync + 'static {
    /// Whether results of ops that are bound by memory are computed again rather than kept.
    fn recomputes() -> bool;
}

/// Keeps what backward ops need.
#[derive(Clone, Copy, Debug)]
pub struct NoCheckpointing;

/// Keeps results of ops that are bound by arithmetic (those with a matrix product, as the scheduler says),
/// and computes others again in the backward pass where that frees memory: where their arguments are kept
/// anyway, or are smaller than their results.
///
/// Gradients are the same bit for bit. A block of layers `x + matmul(gelu(matmul(norm(x), w)), v)`, whose
/// inner width is four times the outer, keeps 5 tensors of the outer width rather than 10: half the bytes;
/// with a gated activation, `silu_mul` of two products, 9 rather than 14. Each value is computed again at
/// most once in a pass, which holds at most the values of a chain of 8 such ops at a time. Only results that
/// are tracked are computed again.
#[derive(Clone, Copy, Debug)]
pub struct BalancedCheckpointing;

impl Checkpointing for NoCheckpointing {
    fn recomputes() -> bool {
        false
    }
}

impl Checkpointing for BalancedCheckpointing {
    fn recomputes() -> bool {
        true
    }
}

/// Of a longer chain of recipes every ninth result is kept: the backward pass holds all values of a chain at
/// once.
const LONGEST_CHAIN: usize = 8;

/// How the results of a node are computed again.
pub(crate) struct Recipe<B: Backend> {
    /// The node's.
    id: NodeId,
    again: Again<B::Device>,
    args: Vec<Kept<B>>,
    /// Bytes that are kept for the recipe alone.
    extra: usize,
    /// Number of recipes one behind the other, this one included.
    chain: usize,
}

/// What runs again.
pub(crate) enum Again<D> {
    Op(Arc<dyn Op>, Vec<bool>),
    Call(Call),
    Move(Movement<D>),
}

/// A recipe before the results are there.
pub(crate) struct Draft<B: Backend> {
    again: Again<B::Device>,
    args: Vec<Kept<B>>,
    extra: usize,
    chain: usize,
}

impl<B: Backend> Draft<B> {
    /// For a call with these arguments, of which the node keeps some `anyway`.
    pub(crate) fn new(
        again: Again<B::Device>,
        args: &[Value<B::Tensor>],
        edges: &[Option<Edge<B>>],
        anyway: impl Fn(usize) -> bool,
    ) -> Draft<B> {
        let kept = args.iter().zip(edges).map(|(arg, edge)| Kept::arg(arg, edge.as_ref(), true)).collect();
        let mut draft = Draft { again, args: kept, extra: 0, chain: 1 };
        let mut counted = BTreeSet::new();
        for (index, (kept, edge)) in draft.args.iter().zip(edges).enumerate() {
            let is_first = edge.as_ref().is_none_or(|edge| counted.insert((edge.node.id, edge.output)));
            let is_free = anyway(index) || !is_first || edge.as_ref().is_some_and(Edge::is_leaf);
            draft.extra += if is_free { 0 } else { kept.extra() };
            draft.chain = draft.chain.max(1 + kept.chain());
        }
        draft
    }

    /// The recipe, if following it frees memory.
    pub(crate) fn recipe(self, id: NodeId, results: &[Like<B::Device>]) -> Option<Arc<Recipe<B>>> {
        let Draft { again, args, extra, chain } = self;
        let frees = extra < results.iter().map(Like::bytes).sum();
        (frees && chain <= LONGEST_CHAIN).then(|| Arc::new(Recipe { id, again, args, extra, chain }))
    }
}

impl<B: Backend> Recipe<B> {
    /// What it keeps.
    pub(crate) fn args(&self) -> &[Kept<B>] {
        &self.args
    }

    /// The node whose results it gives.
    pub(crate) fn id(&self) -> NodeId {
        self.id
    }
}

impl<B: Backend> Kept<B> {
    /// Bytes that are kept if nobody else keeps them.
    fn extra(&self) -> usize {
        match self {
            Kept::Tensor(tensor) => Like::of::<B>(tensor).bytes(),
            Kept::Recomputed(recipe, _) => recipe.extra,
            Kept::Scalar(_) | Kept::Shape(_) | Kept::Blank(_) | Kept::Later => 0,
        }
    }

    fn chain(&self) -> usize {
        match self {
            Kept::Recomputed(recipe, _) => recipe.chain,
            Kept::Tensor(_) | Kept::Scalar(_) | Kept::Shape(_) | Kept::Blank(_) | Kept::Later => 0,
        }
    }
}

/// Values that a backward pass has computed again, by their node. Each is computed at most once: who needs a
/// node's value is the node itself or newer, so it stays until all of these are done.
pub(crate) struct Values<B: Backend>(BTreeMap<NodeId, Vec<B::Tensor>>);

impl<B: Backend> Values<B> {
    pub(crate) fn new() -> Values<B> {
        Values(BTreeMap::new())
    }

    /// The argument that was kept; `None` if it comes later.
    pub(crate) fn get(&mut self, kept: Kept<B>) -> Result<Option<Value<B::Tensor>>> {
        Ok(Some(match kept {
            Kept::Tensor(tensor) => Value::Tensor(tensor),
            Kept::Recomputed(recipe, output) => Value::Tensor(self.follow(&recipe, output)?),
            Kept::Scalar(scalar) => Value::Scalar(scalar),
            Kept::Shape(shape) => Value::Shape(shape),
            Kept::Blank(like) => Value::Tensor(blank::<B>(&like)?),
            Kept::Later => return Ok(None),
        }))
    }

    /// Drops the values of this node and newer ones. The pass has done with them all: a node that comes out
    /// of turn, before newer ones, drops nothing.
    pub(crate) fn forget_from(&mut self, id: NodeId) {
        self.0.split_off(&id);
    }

    /// The recursion is no deeper than the longest chain.
    fn follow(&mut self, recipe: &Recipe<B>, output: usize) -> Result<B::Tensor> {
        if !self.0.contains_key(&recipe.id) {
            let mut args = Vec::with_capacity(recipe.args.len());
            for kept in &recipe.args {
                args.extend(self.get(kept.clone())?);
            }
            self.0.insert(recipe.id, recipe.again.run::<B>(args)?);
        }
        let result = self.0.get(&recipe.id).and_then(|results| results.get(output));
        result.cloned().ok_or_else(|| {
            let message = "gave fewer results when it ran again for the backward pass than at first";
            Error::new(ErrorKind::Backend, message).with_op(recipe.again.name())
        })
    }
}

impl<D> Again<D> {
    /// What an error calls it.
    fn name(&self) -> &str {
        match self {
            Again::Op(op, _) => op.spec().name(),
            Again::Call(_) => "a primitive",
            Again::Move(_) => "a movement",
        }
    }

    /// The float results.
    fn run<B: Backend<Device = D>>(&self, args: Vec<Value<B::Tensor>>) -> Result<Vec<B::Tensor>> {
        let tensors = |args: Vec<Value<B::Tensor>>| args.into_iter().filter_map(into_tensor).collect();
        match self {
            Again::Op(op, wanted) => {
                let results = B::run(&**op, args, wanted)?;
                Ok(results.into_iter().flatten().filter(is_float::<B>).collect())
            }
            Again::Call(call) => Ok(vec![call.run::<B>(tensors(args))?]),
            Again::Move(movement) => Ok(vec![movement.run::<B>(tensors(args))?]),
        }
    }
}

fn into_tensor<T>(value: Value<T>) -> Option<T> {
    match value {
        Value::Tensor(tensor) => Some(tensor),
        Value::Scalar(_) | Value::Shape(_) => None,
    }
}
