//! Values that a pass over a row keeps for the later ones.
//!
//! A softmax needs its exponentials for the sum, and again for the result. A pass would compute them again
//! from what is in memory. What takes long to compute is kept at each element of the row instead.
//!
//! What is kept is what a later pass reads: of `0.5 * exp(x)`, the product. If several such values need one
//! exponential, it is the exponential.

use super::pass::pass;
use super::{CostModel, Kept, Pass, Source, Target};
use crate::ir::{DimSet, Graph, Kind, NodeId, Op};
use std::collections::{BTreeMap, BTreeSet};

/// What the passes of a loop read and compute.
pub(super) struct Row<'g, S> {
    pub(super) graph: &'g Graph,
    pub(super) costs: CostModel,
    pub(super) inner: DimSet,
    /// Where a value can be read, if no pass need compute it: in memory, or as a statistic.
    pub(super) source: S,
}

impl<S: Fn(NodeId) -> Option<Source>> Row<'_, S> {
    /// The passes with these results.
    pub(super) fn passes(&self, mut results: Vec<Vec<(NodeId, Target)>>) -> Vec<Pass> {
        let slow = self.slow_values(results.iter().flatten().map(|(value, _)| *value));
        let mut made_by: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut kept: BTreeSet<NodeId> = BTreeSet::new();
        for (at, own) in results.iter().enumerate() {
            let read = self.wanted(own, |id| made_by.contains_key(&id) && slow.contains(&id));
            for node in self.pass(own, |id| read.contains(&id)).computed_along_row() {
                made_by.entry(node).or_insert(at);
            }
            kept.extend(read);
        }
        for node in &kept {
            results[made_by[node]].push((*node, Target::Kept(Kept { node: *node, place: 0 })));
        }
        let from_earlier = |at: usize| {
            let (made_by, kept) = (&made_by, &kept);
            move |id: NodeId| kept.contains(&id) && made_by[&id] < at
        };
        let passes = results.iter().enumerate().map(|(at, own)| self.pass(own, from_earlier(at)));
        placed(passes.collect())
    }

    fn pass(&self, results: &[(NodeId, Target)], is_kept: impl Fn(NodeId) -> bool) -> Pass {
        pass(self.graph, self.inner, results, |id| {
            (self.source)(id).or_else(|| is_kept(id).then_some(Source::Kept(Kept { node: id, place: 0 })))
        })
    }

    /// What a pass with these results reads of what may be kept.
    fn wanted(&self, results: &[(NodeId, Target)], may_keep: impl Fn(NodeId) -> bool) -> BTreeSet<NodeId> {
        let mut wanted = self.highest(results.iter().map(|(value, _)| *value).collect(), &may_keep);
        while let Some(id) = self.overlapping(&wanted) {
            wanted.remove(&id);
            wanted.extend(self.highest(self.graph.node(id).operands(), &may_keep));
        }
        wanted
    }

    /// Of the floats that may be kept, those that are needed first to compute these values.
    fn highest(&self, values: Vec<NodeId>, may_keep: &impl Fn(NodeId) -> bool) -> BTreeSet<NodeId> {
        let mut highest = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = values;
        while let Some(id) = open.pop() {
            if (self.source)(id).is_some() || !seen.insert(id) {
                continue;
            }
            let node = self.graph.node(id);
            if node.kind == Kind::Float && may_keep(id) {
                highest.insert(id);
            } else {
                open.extend(node.operands());
            }
        }
        highest
    }

    /// A value that needs a slow one which another of these values needs too.
    fn overlapping(&self, wanted: &BTreeSet<NodeId>) -> Option<NodeId> {
        let slow: Vec<(NodeId, BTreeSet<NodeId>)> = wanted.iter().map(|id| (*id, self.slow(*id))).collect();
        let shares = |id: NodeId, own: &BTreeSet<NodeId>| {
            let mut others = slow.iter().filter(|(other, _)| *other != id);
            others.any(|(_, other)| own.iter().any(|slow| *slow != id && other.contains(slow)))
        };
        slow.iter().find(|(id, own)| shares(*id, own)).map(|(id, _)| *id)
    }

    /// The values that take long and from which this one is computed by what is cheap; or the value itself.
    fn slow(&self, id: NodeId) -> BTreeSet<NodeId> {
        let computed = self.computed([id], |id| !self.takes_long(id));
        computed.into_iter().filter(|id| self.takes_long(*id)).collect()
    }

    /// The values that take long themselves, or are computed from such values.
    fn slow_values(&self, results: impl IntoIterator<Item = NodeId>) -> BTreeSet<NodeId> {
        let mut slow = BTreeSet::new();
        // Operands have lower ids.
        for id in self.computed(results, |_| true) {
            let mut operands = self.graph.node(id).operands().into_iter();
            if self.takes_long(id) || operands.any(|operand| slow.contains(&operand)) {
                slow.insert(id);
            }
        }
        slow
    }

    fn takes_long(&self, id: NodeId) -> bool {
        matches!(self.graph.node(id).op, Op::Apply(prim, _) if self.costs.is_kept(prim))
    }

    /// What is computed along the row for these values; the operands only of those that `goes_on` names.
    fn computed(
        &self,
        values: impl IntoIterator<Item = NodeId>,
        goes_on: impl Fn(NodeId) -> bool,
    ) -> BTreeSet<NodeId> {
        let mut computed = BTreeSet::new();
        let mut open: Vec<NodeId> = values.into_iter().collect();
        while let Some(id) = open.pop() {
            let node = self.graph.node(id);
            let varies = !node.dims.intersection(self.inner).is_empty();
            if varies && (self.source)(id).is_none() && computed.insert(id) && goes_on(id) {
                open.extend(node.operands());
            }
        }
        computed
    }
}

/// The passes, with a place for each kept value. A place is free again after the last pass that reads it.
fn placed(mut passes: Vec<Pass>) -> Vec<Pass> {
    let mut last_reads = BTreeMap::new();
    for (at, pass) in passes.iter().enumerate() {
        last_reads.extend(pass.elements.iter().filter_map(kept).map(|kept| (kept.node, at)));
    }
    let mut places: Vec<Option<NodeId>> = Vec::new();
    for (at, pass) in passes.iter_mut().enumerate() {
        for source in &mut pass.elements {
            if let Source::Kept(Kept { node, place }) = source {
                *place = places.iter().position(|own| *own == Some(*node)).expect("it was kept");
            }
        }
        for place in &mut places {
            *place = place.filter(|node| last_reads.get(node).is_some_and(|last| *last >= at));
        }
        for target in &mut pass.targets {
            if let Target::Kept(Kept { node, place }) = target {
                let free = places.iter().position(Option::is_none).unwrap_or(places.len());
                places.resize(places.len().max(free + 1), None);
                (places[free], *place) = (Some(*node), free);
            }
        }
    }
    passes
}

fn kept(source: &Source) -> Option<Kept> {
    match source {
        Source::Kept(kept) => Some(*kept),
        Source::Arg(_) | Source::Buffer(_) | Source::Len(_) | Source::Iota(_) | Source::Statistic(_) => None,
    }
}

impl Pass {
    /// The values that it computes at each element.
    fn computed_along_row(&self) -> impl Iterator<Item = NodeId> {
        let first = self.program.hoisted();
        let steps = first..self.program.steps().len();
        steps.map(|step| self.nodes[self.program.step_value(step).0 as usize])
    }
}
