//! Checkpointing decides which results a graph keeps until the backward pass, and which it computes again.
//!
//! A result that is computed again has a [`Recipe`]: its op, and arguments that are kept or have recipes
//! themselves. A node that saves such a result saves the recipe instead. The backward pass follows a recipe
//! once, at the first use of the result, and drops the result after its last use.

use crate::like::{Like, blank, is_float};
use crate::node::{Again, Edge, Kept, NodeId, Recipe};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tensor_op_core::{Backend, Error, ErrorKind, Result, Value};

/// Decides what an [`Autodiff`](crate::Autodiff) keeps for the backward pass.
pub trait Checkpointing: Send + Sync + 'static {
    /// Whether results of memory-bound ops are computed again instead of kept.
    fn recomputes() -> bool;
}

/// Keeps everything that backward ops need.
#[derive(Clone, Copy, Debug)]
pub struct NoCheckpointing;

/// Keeps the results of compute-bound ops: those whose schedule has a matrix product. Other results are
/// computed again in the backward pass if that frees memory: if their arguments are kept anyway, or are
/// smaller than the results.
///
/// Gradients are the same bit for bit. Take a block of layers `x + matmul(gelu(matmul(norm(x), w)), v)` whose
/// inner width is four times the outer width. It keeps 5 tensors of the outer width instead of 10, which is
/// half the bytes. With a gated activation, `silu_mul` of two products, it keeps 9 instead of 14. A pass
/// computes each value again at most once, and holds at most the values of a chain of 8 such ops at a time.
/// Only tracked results are computed again.
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

/// The longest chain of recipes. Of a longer chain every ninth result is kept, because the backward pass
/// holds all values of a chain at once.
const LONGEST_CHAIN: usize = 8;

/// A recipe before the node has its results.
pub(crate) struct Draft<B: Backend> {
    again: Again<B::Device>,
    args: Vec<Kept<B>>,
    extra: usize,
    chain: usize,
}

impl<B: Backend> Draft<B> {
    /// A draft for a call with these arguments. `anyway` says which of them the node keeps in any case.
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

    /// The recipe. `None` if following it would not free memory, or if its chain is too long.
    pub(crate) fn recipe(self, id: NodeId, results: &[Like<B::Device>]) -> Option<Arc<Recipe<B>>> {
        let Draft { again, args, extra, chain } = self;
        let frees = extra < results.iter().map(Like::bytes).sum();
        (frees && chain <= LONGEST_CHAIN).then(|| Arc::new(Recipe { id, again, args, extra, chain }))
    }
}

impl<B: Backend> Kept<B> {
    /// Bytes of a kept value, if nobody else keeps it.
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

/// Values that a backward pass has computed again, by their node. Each value is computed at most once. It is
/// needed only by its own node and by newer nodes, so it stays until all of these are done.
pub(crate) struct Values<B: Backend>(BTreeMap<NodeId, Vec<B::Tensor>>);

impl<B: Backend> Values<B> {
    pub(crate) fn new() -> Values<B> {
        Values(BTreeMap::new())
    }

    /// The value of an argument that was kept; `None` if it comes later.
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

    /// Drops the values of this node and of newer nodes, which the pass no longer needs. A node that is done
    /// early, before newer nodes, must not call this.
    pub(crate) fn forget_from(&mut self, id: NodeId) {
        self.0.split_off(&id);
    }

    /// Returns a result of a recipe, computed at first use. The recursion is at most as deep as the longest
    /// chain.
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
    /// The name of the operation in an error.
    fn name(&self) -> &str {
        match self {
            Again::Op(op, _) => op.spec().name(),
            Again::Primitive(_) => "a primitive",
            Again::Move(_) => "a movement",
        }
    }

    /// Runs the operation and returns its float results.
    fn run<B: Backend<Device = D>>(&self, args: Vec<Value<B::Tensor>>) -> Result<Vec<B::Tensor>> {
        let tensors = |args: Vec<Value<B::Tensor>>| args.into_iter().filter_map(into_tensor).collect();
        match self {
            Again::Op(op, wanted) => {
                let results = B::run(&**op, args, wanted)?;
                Ok(results.into_iter().flatten().filter(is_float::<B>).collect())
            }
            Again::Primitive(call) => Ok(vec![call.run::<B>(tensors(args))?]),
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
