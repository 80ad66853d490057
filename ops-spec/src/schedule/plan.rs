//! The order of kernels and what is stored between them.
//!
//! Reductions, contractions and indexing are barriers: their results exist only after a whole kernel.
//! Everything else is recomputed where it is used, except what must be in memory (results of the op, operands
//! of contractions and indexing) and what would be computed too often (`invariant.rs`).
//!
//! What a scan takes may be stored for the scan alone: if both run together, it is never stored, so no other
//! kernel may read it.

use super::barrier::{chain, is_barrier, is_stepwise, is_tensor, leaf, live_nodes, memory_operands};
use super::contraction;
use super::kept::Row;
use super::pass::pass;
use super::reduction::{Group, best_group};
use super::streams::with_streams;
use super::sweeps::with_sweeps;
use super::waits::{Task, Waits};
use super::{
    Buffer, BufferId, Contraction, CostModel, Index, Kernel, Loop, Ordering, Recurrence, Schedule, Source,
    Target, View,
};
use crate::ir::{DimId, DimSet, Graph, NodeId, Op};
use crate::prim::Fold;
use std::collections::{BTreeMap, BTreeSet};

/// Splits a graph into kernels. The graph is simplified, and free of gradient markers.
pub fn schedule(graph: &Graph, costs: CostModel) -> Schedule {
    let runs_together = |schedule: &Schedule| {
        let mut streams =
            schedule.streams.iter().flat_map(|stream| &schedule.kernels[stream.kernels.clone()]);
        !schedule.sweeps.is_empty() || streams.any(|kernel| matches!(kernel, Kernel::Scan(_)))
    };
    let has_scans = graph.nodes.iter().any(|node| matches!(node.op, Op::Scan { .. }));
    let together = has_scans.then(|| planned(graph, costs, true)).filter(runs_together);
    together.unwrap_or_else(|| planned(graph, costs, false))
}

/// With `forgets`, what a scan takes is stored for the scan alone. It costs time where the scan runs alone.
fn planned(graph: &Graph, costs: CostModel, forgets: bool) -> Schedule {
    let mut planner = Planner::new(graph, costs, forgets);
    while planner.plan_barrier() {}
    planner.plan_outputs();
    let Planner { kernels, buffers, .. } = planner;
    let schedule = Schedule { kernels, buffers, streams: Vec::new(), sweeps: Vec::new() };
    with_sweeps(graph, with_streams(schedule, costs.streams_scans), costs.sweeps)
}

/// A value that takes more steps than this is computed once.
const SHORT: usize = 16;

/// A value that must be in memory, over these dims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Required {
    pub(super) node: NodeId,
    pub(super) dims: DimSet,
}

/// The state of planning.
pub(super) struct Planner<'g> {
    pub(super) graph: &'g Graph,
    pub(super) costs: CostModel,
    /// Whether what scans take is stored for them alone.
    forgets: bool,
    /// The nodes that use each node.
    pub(super) users: Vec<Vec<NodeId>>,
    /// What must be in memory and is not yet.
    pub(super) required: BTreeSet<Required>,
    /// Barriers that no kernel computes yet, and what waits for them.
    pub(super) waits: Waits<'g>,
    /// What finished kernels have stored.
    pub(super) stored: BTreeMap<NodeId, BufferId>,
    /// Windows that are stored as a copy.
    copied: BTreeSet<NodeId>,
    /// Which results each value is.
    outputs: BTreeMap<Required, Vec<usize>>,
    buffers: Vec<Buffer>,
    kernels: Vec<Kernel>,
}

impl<'g> Planner<'g> {
    fn new(graph: &'g Graph, costs: CostModel, forgets: bool) -> Planner<'g> {
        let live = live_nodes(graph);
        let mut users = vec![vec![]; graph.nodes.len()];
        for id in &live {
            graph.node(*id).operands().iter().for_each(|operand| users[operand.0 as usize].push(*id));
        }
        let pending: BTreeSet<NodeId> = live.into_iter().filter(|id| is_barrier(graph, *id)).collect();
        let mut outputs: BTreeMap<Required, Vec<usize>> = BTreeMap::new();
        for (index, output) in graph.outputs.iter().enumerate() {
            let wanted = Required { node: output.node, dims: graph.output_dims(output) };
            outputs.entry(wanted).or_default().push(index);
        }
        // What a scan takes is computed beside it, so that they can run together.
        let operands =
            pending.iter().filter(|id| !is_stepwise(graph, **id)).flat_map(|id| memory_operands(graph, *id));
        let operands = operands.filter(|operand| !is_tensor(graph, *operand));
        let operands = operands.map(|node| Required { node, dims: graph.node(node).dims });
        let required = operands.chain(outputs.keys().copied()).collect();
        Planner {
            graph,
            costs,
            forgets,
            users,
            waits: Waits::new(graph, pending, &required),
            required,
            stored: BTreeMap::new(),
            copied: BTreeSet::new(),
            outputs,
            buffers: Vec::new(),
            kernels: Vec::new(),
        }
    }

    /// Plans the next kernel for pending barriers. Indexing of what is in memory comes first, since loops can
    /// use its result; then loops, since they may store operands of contractions and indexing on their way.
    /// Returns whether there was one.
    fn plan_barrier(&mut self) -> bool {
        let whole = &self.waits.ready().whole;
        if let Some(id) = whole.iter().copied().find(|id| self.is_ready_index(*id)) {
            self.plan_memory_kernel(id);
            return true;
        }
        if let Some(group) = best_group(self) {
            self.add_group(group);
            return true;
        }
        let Some(id) = self.waits.ready().whole.first().copied() else {
            assert!(self.waits.is_done(), "a graph without cycles always has a barrier that is ready");
            return false;
        };
        self.plan_memory_kernel(id);
        true
    }

    fn is_ready_index(&self, id: NodeId) -> bool {
        let in_memory = |node: &NodeId| self.is_stored(*node);
        self.graph.reduction(id).is_none() && memory_operands(self.graph, id).iter().all(in_memory)
    }

    /// Whether a value is in memory of its own.
    fn is_stored(&self, node: NodeId) -> bool {
        let is_view = matches!(self.graph.node(node).op, Op::Window { .. }) && !self.copied.contains(&node);
        is_tensor(self.graph, node) || self.stored.contains_key(&node) && !is_view
    }

    /// Plans a kernel that reads whole operands from memory, and puts them there first.
    fn plan_memory_kernel(&mut self, id: NodeId) {
        let operands = memory_operands(self.graph, id);
        let is_own = self.forgets && is_stepwise(self.graph, id);
        let is_new = |operand: &NodeId| is_own && !self.is_stored(*operand) && self.is_short(*operand);
        let own: BTreeSet<NodeId> = operands.iter().copied().filter(is_new).collect();
        let own = own.into_iter().map(|operand| (operand, self.stored.get(&operand).copied()));
        let own: Vec<(NodeId, Option<BufferId>)> = own.collect();
        operands.into_iter().for_each(|operand| self.store(operand));
        self.add_memory_kernel(id);
        for (operand, view) in own {
            self.forget(operand, view);
        }
    }

    /// Whether it takes few steps to compute a value from memory. Others are not computed again.
    fn is_short(&self, value: NodeId) -> bool {
        let (mut open, mut seen) = (vec![value], BTreeSet::new());
        while let Some(id) = open.pop() {
            if self.source(id).is_none() && seen.insert(id) {
                open.extend(self.graph.node(id).operands());
            }
            if seen.len() > SHORT {
                return false;
            }
        }
        true
    }

    /// Leaves a value that is stored for a scan to the scan: kernels that run together do not store it, so
    /// nobody else reads it. What reads a view reads the view.
    fn forget(&mut self, operand: NodeId, view: Option<BufferId>) {
        let stored = self.stored.get(&operand).map(|buffer| &self.buffers[buffer.0 as usize]);
        if stored.is_some_and(|buffer| buffer.outputs.is_empty()) {
            match view {
                Some(view) => self.stored.insert(operand, view),
                None => self.stored.remove(&operand),
            };
            self.copied.remove(&operand);
        }
    }

    /// Puts a value into memory, unless it is there. A view is memory for loops alone.
    fn store(&mut self, node: NodeId) {
        if !self.is_stored(node) {
            let nest = self.pointwise(&[Required { node, dims: self.graph.node(node).dims }]);
            self.commit(Kernel::Loop(nest));
        }
    }

    fn add_memory_kernel(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        if let Op::Window { .. } = node.op {
            return self.add_view(id);
        }
        let out = self.buffer(id, node.dims);
        let released = self.waits.released_by([&id]);
        self.waits.computed([&id]);
        match &node.op {
            Op::At { source, dim, index } => {
                self.commit(Kernel::Gather(self.indexing([*source, *index], *dim, false, out)));
            }
            Op::Scatter { fold, source, dim, index, once } => {
                self.commit(Kernel::Scatter(*fold, self.indexing([*source, *index], *dim, *once, out)));
            }
            Op::Scan { scan, dim, reverse, operands } => {
                let operands = operands.iter().map(|operand| self.stored_source(*operand)).collect();
                let (scan, dim, reverse) = (*scan, *dim, *reverse);
                self.commit(Kernel::Scan(Recurrence { scan, dim, reverse, operands, out }));
            }
            Op::Order { order, dim, operands } => {
                let operands = operands.iter().map(|operand| self.stored_source(*operand)).collect();
                self.commit(Kernel::Order(Ordering { order: *order, dim: *dim, operands, out }));
            }
            _ => self.add_contraction(id, out, &released),
        }
    }

    /// Plans a view. It is no result: a result is memory of its own.
    fn add_view(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let (base, positions) = chain(self.graph, id);
        self.waits.computed([&id]);
        self.buffers.push(Buffer {
            node: id,
            kind: node.kind,
            dims: node.dims,
            outputs: vec![],
            windows: vec![],
        });
        let out = BufferId(self.buffers.len() as u32 - 1);
        self.commit(Kernel::View(View { source: self.stored_source(base), positions, out }));
    }

    fn indexing(&self, operands: [NodeId; 2], dim: DimId, once: bool, out: BufferId) -> Index {
        let [source, index] = operands.map(|operand| self.stored_source(operand));
        let read = operands.map(|operand| self.graph.node(operand).dims);
        Index { source, index, dim, read: read[0].union(read[1]), once, out }
    }

    /// Plans a product, with what of `released` can be computed where it is at hand.
    fn add_contraction(&mut self, id: NodeId, out: BufferId, released: &[Task]) {
        let [lhs, rhs] =
            contraction::contraction_operands(self.graph, id).expect("only contractions get here");
        let (l, r, result) = (self.graph.node(lhs).dims, self.graph.node(rhs).dims, self.graph.node(id).dims);
        let common = l.intersection(r);
        self.stored.insert(id, out);
        let fused = released.iter().filter_map(|task| match task {
            Task::Store(wanted) if wanted.dims == result && self.required.contains(wanted) => Some(*wanted),
            Task::Store(_) | Task::Barrier(_) => None,
        });
        let fused: BTreeSet<Required> = fused.collect();
        let fused: Vec<Required> = fused.into_iter().collect();
        let epilogue = (!fused.is_empty()).then(|| self.pointwise(&fused));
        self.commit(Kernel::Contraction(Contraction {
            lhs: self.stored_source(lhs),
            rhs: self.stored_source(rhs),
            batch: common.intersection(result),
            m: l.difference(r),
            n: r.difference(l),
            k: common.difference(result),
            out,
            epilogue,
        }));
    }

    /// Plans the kernel of a group of reductions, with all that can be stored on its way.
    fn add_group(&mut self, group: Group) {
        let levels = group.levels();
        let values = levels.iter().flat_map(|level| {
            let folded =
                level.folds.iter().chain(&level.columns).flat_map(|id| self.graph.node(*id).operands());
            folded.chain(level.elements.iter().map(|wanted| wanted.node)).collect::<Vec<_>>()
        });
        let values: Vec<NodeId> = values.collect();
        self.store_invariants(&values, group.outer.union(group.inner), group.inner);
        let passes = levels.iter().map(|level| {
            let fold = |id: &NodeId| self.fold(*id, |fold| Target::Fold { fold, node: *id });
            let mut results: Vec<(NodeId, Target)> = level.folds.iter().map(fold).collect();
            for id in &level.columns {
                let buffer = self.buffer(*id, group.inner);
                results.push(self.fold(*id, |fold| Target::Column { fold, buffer }));
            }
            for wanted in &level.elements {
                results.push((wanted.node, Target::Element(self.buffer(wanted.node, wanted.dims))));
            }
            results
        });
        let mut passes: Vec<Vec<(NodeId, Target)>> = passes.collect();
        let rows = group.rows.iter();
        let rows = rows.map(|wanted| (wanted.node, Target::Row(self.buffer(wanted.node, wanted.dims))));
        passes.push(rows.collect());
        passes.retain(|results| !results.is_empty());
        let statistics = levels.iter().flat_map(|level| level.folds.iter().copied());
        let statistics: BTreeMap<NodeId, usize> = statistics.zip(0..).collect();
        let source = |id: NodeId| {
            let statistic = statistics.get(&id).copied().map(Source::Statistic);
            statistic.or_else(|| self.source(id))
        };
        let row = Row { graph: self.graph, costs: self.costs, inner: group.inner, source };
        let passes = row.passes(passes);
        self.waits.computed(group.folds.iter().chain(&group.columns));
        self.commit(Kernel::Loop(Loop { outer: group.outer, inner: group.inner, passes }));
    }

    /// Stores what is left once no barrier is pending: one kernel for each set of dims.
    fn plan_outputs(&mut self) {
        while let Some(first) = self.required.first() {
            let dims = first.dims;
            let wanted: Vec<Required> = self.required.iter().copied().filter(|w| w.dims == dims).collect();
            let nest = self.pointwise(&wanted);
            self.commit(Kernel::Loop(nest));
        }
    }

    /// A pointwise loop that stores values of the same dims.
    fn pointwise(&mut self, wanted: &[Required]) -> Loop {
        let inner = wanted.first().map_or(DimSet::EMPTY, |w| w.dims);
        let values: Vec<NodeId> = wanted.iter().map(|w| w.node).collect();
        self.store_invariants(&values, inner, inner);
        let results = wanted.iter();
        let results = results.map(|w| (w.node, Target::Element(self.buffer(w.node, w.dims))));
        let results: Vec<(NodeId, Target)> = results.collect();
        let pass = pass(self.graph, inner, &results, |id| self.source(id));
        Loop { outer: DimSet::EMPTY, inner, passes: vec![pass] }
    }

    /// Puts what a loop would compute too often into memory: one kernel for each set of dims.
    fn store_invariants(&mut self, values: &[NodeId], space: DimSet, vary: DimSet) {
        let mut invariants = self.invariants(values, space, vary);
        while let Some(first) = invariants.first() {
            let dims = self.graph.node(*first).dims;
            let wanted: BTreeSet<NodeId>;
            (wanted, invariants) = invariants.into_iter().partition(|id| self.graph.node(*id).dims == dims);
            let wanted: Vec<Required> = wanted.into_iter().map(|node| Required { node, dims }).collect();
            let nest = self.pointwise(&wanted);
            self.commit(Kernel::Loop(nest));
        }
    }

    fn fold(&self, id: NodeId, target: impl Fn(Fold) -> Target) -> (NodeId, Target) {
        let (fold, _, value) = self.graph.reduction(id).expect("groups hold reductions");
        (value, target(fold))
    }

    /// A buffer for a value. It can be read once the kernel that fills it is committed.
    fn buffer(&mut self, node: NodeId, dims: DimSet) -> BufferId {
        let wanted = Required { node, dims };
        let outputs = self.outputs.get(&wanted).cloned().unwrap_or_default();
        self.required.remove(&wanted);
        self.waits.stored(wanted);
        let windows = chain(self.graph, node).1.iter().map(|(_, position)| position.dims()).collect();
        self.buffers.push(Buffer { node, kind: self.graph.node(node).kind, dims, outputs, windows });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Adds a kernel; later kernels read what it stores.
    fn commit(&mut self, kernel: Kernel) {
        for id in kernel.written() {
            let buffer = &self.buffers[id.0 as usize];
            if buffer.is_value(self.graph, buffer.node) {
                self.stored.insert(buffer.node, id);
                if !matches!(kernel, Kernel::View(_)) {
                    self.copied.insert(buffer.node);
                }
            }
        }
        self.kernels.push(kernel);
    }

    fn stored_source(&self, node: NodeId) -> Source {
        self.source(node).expect("operands were put into memory")
    }

    /// Where a value can be read, if it need not be computed.
    pub(super) fn source(&self, id: NodeId) -> Option<Source> {
        self.stored.get(&id).copied().map(Source::Buffer).or_else(|| leaf(self.graph, id))
    }
}
