//! Looking at a graph without changing it: which nodes a tensor was computed through, and what they keep.

use crate::AutodiffTensor;
use crate::checkpoint::Recipe;
use crate::node::{Edge, Like, Node, NodeId, Step};
use crate::saved::Kept;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tensor_op_core::Backend;

/// Nodes from which others were computed, and those themselves. Parents come first.
pub(crate) type Reached<B> = BTreeMap<NodeId, Arc<Node<B>>>;

/// The nodes from which some were computed, through nodes that `enter` lets pass.
pub(crate) fn reach<'e, B: Backend>(
    roots: impl Iterator<Item = &'e Edge<B>>,
    enter: impl Fn(&Node<B>) -> bool,
) -> Reached<B> {
    let mut reached = Reached::new();
    let mut open: Vec<Arc<Node<B>>> = roots.map(|edge| edge.node.clone()).collect();
    while let Some(node) = open.pop() {
        if !enter(&node) || reached.contains_key(&node.id) {
            continue;
        }
        open.extend(node.parents.iter().map(|parent| parent.node.clone()));
        reached.insert(node.id, node);
    }
    reached
}

/// Of the nodes from which the roots were computed, those that were computed from a target, and the targets;
/// and those that refuse gradients, of which nobody knows what they were computed from. What is older than
/// all targets is left alone: it may be a long computation that the targets only met.
pub(crate) fn above<'e, B: Backend>(
    roots: impl Iterator<Item = &'e Edge<B>>,
    targets: &BTreeSet<NodeId>,
) -> BTreeSet<NodeId> {
    let mut above = BTreeSet::new();
    let Some(first) = targets.first() else { return above };
    for (id, node) in &reach(roots, |node| node.id >= *first) {
        let leads = || node.parents.iter().any(|parent| above.contains(&parent.node.id));
        if targets.contains(id) || !node.has_gradient() || leads() {
            above.insert(*id);
        }
    }
    above
}

/// Whether some were computed from a tensor that required a gradient before the targets did, or requires one
/// beside them.
pub(crate) fn depends_on_others<'e, B: Backend>(
    roots: impl Iterator<Item = &'e Edge<B>>,
    targets: &BTreeSet<NodeId>,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Node<B>> = roots.map(|edge| &*edge.node).collect();
    while let Some(node) = open.pop() {
        // What is tracked and older than the targets came from another.
        let is_older = targets.first().is_none_or(|first| node.id < *first);
        let is_other = matches!(node.step, Step::Keep(_)) && !targets.contains(&node.id);
        if is_older || is_other {
            return true;
        }
        if seen.insert(node.id) {
            open.extend(node.parents.iter().map(|parent| &*parent.node));
        }
    }
    false
}

impl<B: Backend> AutodiffTensor<B> {
    /// The tensors that require a gradient and from which this one was computed, by their
    /// [`AutodiffTensor::node_id`]; the tensor itself if it requires one.
    pub fn sources(&self) -> Vec<NodeId> {
        let reached = reach(self.edge().into_iter(), |_| true);
        let kept = reached.values().filter(|node| matches!(node.step, Step::Keep(_)));
        kept.map(|node| node.id).collect()
    }

    /// Bytes that the graph of this tensor keeps alive until the backward pass. Tensors with the same
    /// `storage` share memory, and count once, as the largest of them.
    pub fn held_bytes<S: Ord>(&self, storage: impl Fn(&B::Tensor) -> S) -> usize {
        let mut held = Held { storage, bytes: BTreeMap::new(), recipes: BTreeSet::new() };
        for node in reach(self.edge().into_iter(), |_| true).values() {
            if let Step::Op(_, saved) = &node.step {
                saved.visit(|kept| held.add(kept));
            }
            held.add_recipe(node.recipe().as_deref());
        }
        held.bytes.values().sum()
    }
}

struct Held<S, F> {
    storage: F,
    bytes: BTreeMap<S, usize>,
    recipes: BTreeSet<NodeId>,
}

impl<S: Ord, F> Held<S, F> {
    fn add<B: Backend>(&mut self, kept: &Kept<B>)
    where
        F: Fn(&B::Tensor) -> S,
    {
        match kept {
            Kept::Tensor(tensor) => {
                let size = Like::of::<B>(tensor).bytes();
                let bytes = self.bytes.entry((self.storage)(tensor)).or_default();
                *bytes = size.max(*bytes);
            }
            Kept::Recomputed(recipe, _) => self.add_recipe(Some(recipe)),
            Kept::Scalar(_) | Kept::Shape(_) | Kept::Blank(_) | Kept::Later => {}
        }
    }

    fn add_recipe<B: Backend>(&mut self, recipe: Option<&Recipe<B>>)
    where
        F: Fn(&B::Tensor) -> S,
    {
        let new = recipe.filter(|recipe| self.recipes.insert(recipe.id()));
        new.iter().flat_map(|recipe| recipe.args()).for_each(|kept| self.add(kept));
    }
}
