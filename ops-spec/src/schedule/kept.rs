//! Values that a pass over a row keeps for the later ones.
//!
//! A softmax needs its exponentials for the sum, and again for the result. A pass would compute them again
//! from what is in memory. What takes long to compute is kept at each element of the row instead: a costly
//! primitive, or many cheap ones.
//!
//! Kept is the last value that a later pass needs: of `0.5 * exp(x)` the product, not the exponential. If two
//! such values share an exponential, the exponential is kept instead.

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
        if self.costs.kept.is_none() {
            return results.iter().map(|own| self.pass(own, |_| false)).collect();
        }
        // First which pass makes what, and what later ones want of it; then the passes.
        let slow = Slow::new(self, results.iter().flatten().map(|(value, _)| *value));
        let mut made_by: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut kept: BTreeSet<NodeId> = BTreeSet::new();
        for (at, own) in results.iter().enumerate() {
            let read = self.wanted(own, &slow, |id| made_by.contains_key(&id) && slow.is_needed_for(id));
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
    fn wanted(
        &self,
        results: &[(NodeId, Target)],
        slow: &Slow,
        may_keep: impl Fn(NodeId) -> bool,
    ) -> BTreeSet<NodeId> {
        let mut wanted = self.highest(results.iter().map(|(value, _)| *value).collect(), &may_keep);
        while let Some(id) = self.overlapping(&wanted, slow) {
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
    fn overlapping(&self, wanted: &BTreeSet<NodeId>, slow: &Slow) -> Option<NodeId> {
        let needs: Vec<(NodeId, BTreeSet<NodeId>)> =
            wanted.iter().map(|id| (*id, self.nearest(*id, slow))).collect();
        let shares = |id: NodeId, own: &BTreeSet<NodeId>| {
            let mut others = needs.iter().filter(|(other, _)| *other != id);
            others.any(|(_, other)| own.iter().any(|need| *need != id && other.contains(need)))
        };
        needs.iter().find(|(id, own)| shares(*id, own)).map(|(id, _)| *id)
    }

    /// The slow values from which this one is computed by what is cheap; or the value itself.
    fn nearest(&self, id: NodeId, slow: &Slow) -> BTreeSet<NodeId> {
        let computed = self.computed([id], |id| !slow.own.contains(&id));
        computed.intersection(&slow.own).copied().collect()
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

/// The values of a row that take long to compute.
struct Slow {
    /// Those with a costly primitive, or with many cheap ones since the last of these values.
    own: BTreeSet<NodeId>,
    /// These, and what is computed from them.
    all: BTreeSet<NodeId>,
}

/// So many cheap primitives take longer than to keep their result and to read it.
const MANY: usize = 16;

impl Slow {
    fn new<S: Fn(NodeId) -> Option<Source>>(
        row: &Row<'_, S>,
        results: impl IntoIterator<Item = NodeId>,
    ) -> Slow {
        let (mut own, mut all) = (BTreeSet::new(), BTreeSet::new());
        let mut steps: BTreeMap<NodeId, usize> = BTreeMap::new();
        // Operands have lower ids.
        for id in row.computed(results, |_| true) {
            let node = row.graph.node(id);
            let operands = node.operands();
            let count = 1 + operands.iter().filter_map(|operand| steps.get(operand)).sum::<usize>();
            let is_costly = matches!(node.op, Op::Apply(prim, _) if row.costs.is_kept(prim));
            let takes_long = is_costly || count >= MANY;
            if takes_long {
                own.insert(id);
            }
            if takes_long || operands.iter().any(|operand| all.contains(operand)) {
                all.insert(id);
            }
            steps.insert(id, if takes_long { 0 } else { count });
        }
        Slow { own, all }
    }

    /// Whether a value takes long, or is computed from such a value.
    fn is_needed_for(&self, id: NodeId) -> bool {
        self.all.contains(&id)
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
