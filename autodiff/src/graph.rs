//! Questions about a graph, which do not change it: through which nodes a tensor was computed, and what they
//! keep.

use crate::like::Like;
use crate::node::{Edge, Given, Kept, Node, NodeId, Recipe, Step};
use crate::tensor::AutodiffTensor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tensor_op_core::Backend;

/// Some nodes and all nodes from which they were computed. Parents come first.
pub(crate) type Reached<B> = BTreeMap<NodeId, Arc<Node<B>>>;

/// The nodes from which the roots were computed, including their own. The search goes only through nodes that
/// `enter` accepts.
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

/// Nodes that a pass to the targets must visit. These are the targets, the nodes between them and the roots,
/// and nodes that refuse gradients, since nobody knows from what they were computed. Nodes older than all
/// targets are not visited: they can't depend on a target, and may belong to a long computation.
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

/// For each distributed parameter, the number of gradients that will still arrive there.
pub(crate) fn awaited<B: Backend>(
    roots: impl Iterator<Item = NodeId>,
    reached: &Reached<B>,
    needed: impl Fn(NodeId) -> bool,
) -> BTreeMap<NodeId, usize> {
    let parameters = reached.values().filter(|node| matches!(node.step, Step::Keep(Some(_))));
    let mut awaited: BTreeMap<NodeId, usize> = parameters.map(|node| (node.id, 0)).collect();
    let passed = reached.values().filter(|node| needed(node.id)).flat_map(|node| &node.parents);
    for id in roots.chain(passed.map(|parent| parent.node.id)) {
        awaited.entry(id).and_modify(|count| *count += 1);
    }
    awaited
}

/// Whether some tensors were computed from a tensor, other than the targets, that requires a gradient.
pub(crate) fn depends_on_others<'e, B: Backend>(
    roots: impl Iterator<Item = &'e Edge<B>>,
    targets: &BTreeSet<NodeId>,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Node<B>> = roots.map(|edge| &*edge.node).collect();
    while let Some(node) = open.pop() {
        // A tracked node that is older than all targets was computed from another tensor.
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
    /// The tensors that require a gradient and from which this tensor was computed, by their
    /// [`AutodiffTensor::node_id`]. If this tensor requires a gradient, it is one of them.
    pub fn sources(&self) -> Vec<NodeId> {
        let reached = reach(self.edge().into_iter(), |_| true);
        let kept = reached.values().filter(|node| matches!(node.step, Step::Keep(_)));
        kept.map(|node| node.id).collect()
    }

    /// Bytes that the graph of this tensor keeps alive until the backward pass. Tensors for which `storage`
    /// returns the same value share memory. They count once, with the size of the largest.
    pub fn held_bytes<S: Ord>(&self, storage: impl Fn(&B::Tensor) -> S) -> usize {
        let mut held = Held { storage, bytes: BTreeMap::new(), recipes: BTreeSet::new() };
        for node in reach(self.edge().into_iter(), |_| true).values() {
            match &node.step {
                Step::Op(_, saved) | Step::Given(Given { saved, .. }) => {
                    saved.visit(|kept| held.add(kept));
                }
                Step::Keep(_) | Step::Move(_) | Step::Refuse { .. } => {}
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
        let new = recipe.filter(|recipe| self.recipes.insert(recipe.id));
        new.iter().flat_map(|recipe| &recipe.args).for_each(|kept| self.add(kept));
    }
}
