//! Loop-invariant code motion: what a kernel would compute again and again.
//!
//! A function of few dims in a kernel over many, such as the sine of a position in every head of every batch,
//! is computed once, stored, and read where it is used. Cheap values are not: computing them costs less than
//! another kernel.

use super::Cost;
use super::barrier::is_barrier;
use super::plan::Planner;
use crate::ir::{DimKind, DimSet, NodeId, Op};
use std::collections::{BTreeMap, BTreeSet};

impl Planner<'_> {
    /// The invariants of a loop over `space` that stores or folds these values: costly, of some dims of
    /// `vary` but not all of `space`, and computed from what is in memory.
    pub(super) fn invariants(&self, values: &[NodeId], space: DimSet, vary: DimSet) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut stack = values.to_vec();
        let made = self.made(values);
        while let Some(id) = stack.pop() {
            let Some(made) = made.get(&id).copied() else { continue };
            if !seen.insert(id) {
                continue;
            }
            let dims = self.graph.node(id).dims;
            let repeats = dims != space && !dims.intersection(vary).is_empty();
            if repeats && self.is_costly(made, space.difference(dims)) {
                found.insert(id);
            } else if !is_barrier(self.graph, id) {
                stack.extend(self.graph.node(id).operands());
            }
        }
        found
    }

    /// Whether it costs less to store a value than to compute it at each point of these other dims.
    fn is_costly(&self, made: Made, others: DimSet) -> bool {
        let size = |dim| match self.graph.dim(dim).kind {
            DimKind::Fixed(size) => Some(size),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) | DimKind::Computed(_) => {
                None
            }
        };
        let times: Option<usize> = others.iter().map(size).product();
        matches!(made, Made::By(cost) if self.costs.is_stored(cost, times))
    }

    /// How values, and what they are computed from, are made; without what is in memory.
    fn made(&self, values: &[NodeId]) -> BTreeMap<NodeId, Made> {
        let mut nodes = BTreeSet::new();
        let mut stack = values.to_vec();
        while let Some(id) = stack.pop() {
            if self.source(id).is_none() && nodes.insert(id) && !is_barrier(self.graph, id) {
                stack.extend(self.graph.node(id).operands());
            }
        }
        let mut made = BTreeMap::new();
        // Operands have lower ids.
        for id in nodes {
            let node = self.graph.node(id);
            let own = match &node.op {
                _ if is_barrier(self.graph, id) => Made::Later,
                Op::Apply(prim, _) => Made::By(Cost::of(*prim)),
                _ => Made::By(Cost::Cheap),
            };
            let operands = if own == Made::Later { vec![] } else { node.operands() };
            let all = operands.iter().filter_map(|operand| made.get(operand).copied()).fold(own, Made::max);
            made.insert(id, all);
        }
        made
    }
}

/// How a value is made from what is in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    /// Its costliest primitive is of this cost.
    By(Cost),
    /// It waits for a barrier.
    Later,
}
