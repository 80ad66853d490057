//! Loop-invariant code motion: what a kernel would compute again and again.
//!
//! A function of few dims in a kernel over many, such as the sine of a position in every head of every batch, is computed once, stored,
//! and read where it is used. Cheap values are not: computing them costs less than another kernel.

use super::plan::{Planner, is_barrier};
use crate::ir::{DimSet, NodeId, Op};
use std::collections::BTreeSet;

impl Planner<'_> {
    /// The invariants of a loop over `space` that stores or folds these values: costly, of some dims of `vary` but not all of `space`, and
    /// computed from what is in memory.
    pub(super) fn invariants(&self, values: &[NodeId], space: DimSet, vary: DimSet) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut stack = values.to_vec();
        while let Some(id) = stack.pop() {
            if self.source(id).is_some() || !seen.insert(id) {
                continue;
            }
            let dims = self.graph.node(id).dims;
            let repeats = dims != space && !dims.intersection(vary).is_empty();
            if repeats && self.frontier(id).is_empty() && self.is_costly(id) {
                found.insert(id);
            } else if !is_barrier(self.graph, id) {
                stack.extend(self.graph.node(id).operands());
            }
        }
        found
    }

    /// Whether a costly function is evaluated on the way from what is in memory to this value.
    fn is_costly(&self, id: NodeId) -> bool {
        let mut seen = BTreeSet::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if self.source(id).is_some() || !seen.insert(id) {
                continue;
            }
            let node = self.graph.node(id);
            if matches!(node.op, Op::Apply(prim, _) if prim.is_costly()) {
                return true;
            }
            stack.extend(node.operands());
        }
        false
    }
}
