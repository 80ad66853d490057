//! In which pass of a step each value can be computed.

use super::search::Search;
use crate::ir::NodeId;
use crate::schedule::barrier::is_barrier;
use std::collections::BTreeMap;

/// The first pass in which each value can be computed: after the states and folds that it needs.
pub(super) struct Levels<'s, 'g> {
    search: &'s Search<'g>,
    known: BTreeMap<NodeId, usize>,
}

impl<'s, 'g> Levels<'s, 'g> {
    pub(super) fn new(search: &'s Search<'g>) -> Levels<'s, 'g> {
        Levels { search, known: BTreeMap::new() }
    }

    /// `None` if the value takes another kernel.
    pub(super) fn of(&mut self, value: NodeId) -> Option<usize> {
        let Search { graph, .. } = *self.search;
        let mut open = vec![value];
        while let Some(id) = open.last().copied() {
            let waits = self.search.is_state(id) || self.search.is_folded(id);
            if !waits && self.search.source(id).is_some() {
                self.known.insert(id, 0);
            } else if !waits && is_barrier(graph, id) {
                return None;
            }
            if self.known.contains_key(&id) {
                open.pop();
                continue;
            }
            let operands = graph.node(id).operands();
            let is_missing = |operand: &NodeId| !self.known.contains_key(operand);
            let missing: Vec<NodeId> = operands.iter().copied().filter(is_missing).collect();
            if missing.is_empty() {
                let level = operands.iter().map(|operand| self.known[operand]).max().unwrap_or(0);
                self.known.insert(id, level + usize::from(waits));
            }
            open.extend(missing);
        }
        self.known.get(&value).copied()
    }
}
