//! The order of kernels and what is stored between them.
//!
//! Reductions, contractions and indexing are barriers: their results exist only after a whole kernel. Everything else is
//! recomputed where it is used, except what must be in memory (results of the op, operands of contractions and indexing) and what
//! would be computed too often (`invariant.rs`).

use super::contraction;
use super::reduction::{Group, best_group};
use super::{
    Buffer, BufferId, Class, Contraction, Index, Kernel, Leaf, Loop, Pass, PassResult, Schedule, Source,
    Target,
};
use crate::ir::{ArgType, DimSet, Graph, NodeId, Op};
use crate::prim::Fold;
use std::collections::{BTreeMap, BTreeSet};

/// Splits a graph into kernels. The graph is simplified, and free of gradient markers.
pub fn schedule(graph: &Graph) -> Schedule {
    let mut planner = Planner::new(graph);
    while planner.plan_barrier() {}
    planner.plan_outputs();
    Schedule { kernels: planner.kernels, buffers: planner.buffers }
}

/// A value that must be in memory, over these dims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Required {
    pub(super) node: NodeId,
    pub(super) dims: DimSet,
}

/// The state of planning.
pub(super) struct Planner<'g> {
    pub(super) graph: &'g Graph,
    /// Barriers that no kernel computes yet, in topological order.
    pub(super) pending: Vec<NodeId>,
    /// What must be in memory and is not yet.
    pub(super) required: Vec<Required>,
    /// What finished kernels have stored.
    stored: BTreeMap<NodeId, BufferId>,
    buffers: Vec<Buffer>,
    kernels: Vec<Kernel>,
}

impl<'g> Planner<'g> {
    fn new(graph: &'g Graph) -> Planner<'g> {
        let pending: Vec<NodeId> =
            live_nodes(graph).into_iter().filter(|id| is_barrier(graph, *id)).collect();
        let mut required: BTreeSet<Required> = BTreeSet::new();
        for output in &graph.outputs {
            required.insert(Required { node: output.node, dims: graph.output_dims(output) });
        }
        for operand in pending.iter().flat_map(|id| memory_operands(graph, *id)) {
            if !is_tensor(graph, operand) {
                required.insert(Required { node: operand, dims: graph.node(operand).dims });
            }
        }
        let required = required.into_iter().collect();
        Planner {
            graph,
            pending,
            required,
            stored: BTreeMap::new(),
            buffers: Vec::new(),
            kernels: Vec::new(),
        }
    }

    /// Plans the next kernel for pending barriers. Indexing of what is in memory comes first, since loops can use its result;
    /// then loops, since they may store operands of contractions and indexing on their way. Returns whether there was one.
    fn plan_barrier(&mut self) -> bool {
        if let Some(id) = self.pending.iter().copied().find(|id| self.is_ready_index(*id)) {
            self.plan_memory_kernel(id);
            return true;
        }
        if let Some(group) = best_group(self) {
            self.add_group(group);
            return true;
        }
        let ready = |id: &NodeId| {
            let operands = memory_operands(self.graph, *id);
            !operands.is_empty() && operands.iter().all(|operand| self.frontier(*operand).is_empty())
        };
        let Some(id) = self.pending.iter().copied().find(ready) else {
            assert!(self.pending.is_empty(), "a graph without cycles always has a barrier that is ready");
            return false;
        };
        self.plan_memory_kernel(id);
        true
    }

    fn is_ready_index(&self, id: NodeId) -> bool {
        let in_memory = |node: &NodeId| is_tensor(self.graph, *node) || self.stored.contains_key(node);
        self.graph.reduction(id).is_none() && memory_operands(self.graph, id).iter().all(in_memory)
    }

    /// Plans a kernel that reads whole operands from memory, and puts them there first.
    fn plan_memory_kernel(&mut self, id: NodeId) {
        self.pending.retain(|p| *p != id);
        for operand in memory_operands(self.graph, id) {
            self.store(operand);
        }
        self.add_memory_kernel(id);
    }

    /// Puts a value into memory, unless it is there.
    fn store(&mut self, node: NodeId) {
        if !is_tensor(self.graph, node) && !self.stored.contains_key(&node) {
            let nest = self.pointwise(&[Required { node, dims: self.graph.node(node).dims }]);
            self.commit(Kernel::Loop(nest));
        }
    }

    fn add_memory_kernel(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let out = self.buffer(id, node.dims);
        if let Op::At { source, dim, index } = node.op {
            let kernel = Index { source: self.leaf(source), index: self.leaf(index), dim, out };
            self.commit(Kernel::Gather(kernel));
        } else if let Op::ScatterAdd { source, dim, index } = node.op {
            let kernel = Index { source: self.leaf(source), index: self.leaf(index), dim, out };
            self.commit(Kernel::Scatter(kernel));
        } else {
            self.add_contraction(id, out);
        }
    }

    fn add_contraction(&mut self, id: NodeId, out: BufferId) {
        let [lhs, rhs] = contraction::operands(self.graph, id).expect("only contractions get here");
        let (l, r, result) = (self.graph.node(lhs).dims, self.graph.node(rhs).dims, self.graph.node(id).dims);
        let common = l.intersection(r);
        self.stored.insert(id, out);
        let fused: Vec<Required> = (self.required.iter().copied())
            .filter(|w| w.dims == result && self.depends(w.node, id) && self.frontier(w.node).is_empty())
            .collect();
        let epilogue = (!fused.is_empty()).then(|| self.pointwise(&fused));
        self.commit(Kernel::Contraction(Contraction {
            lhs: self.leaf(lhs),
            rhs: self.leaf(rhs),
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
        let values = group.levels().into_iter().flat_map(|level| {
            let folds = group.folds_at(level).chain(group.columns_at(level));
            let folded = folds.flat_map(|id| self.graph.node(id).operands());
            folded.chain(group.elements_at(level).map(|wanted| wanted.node)).collect::<Vec<_>>()
        });
        let values: Vec<NodeId> = values.collect();
        self.store_invariants(&values, group.outer.union(group.inner), group.inner);
        let passes = group.levels().into_iter().map(|level| {
            let folds = group.folds_at(level).map(|id| self.fold(id, |fold| Target::Fold { fold, node: id }));
            let mut results: Vec<PassResult> = folds.collect();
            for id in group.columns_at(level) {
                let buffer = self.buffer(id, group.inner);
                results.push(self.fold(id, |fold| Target::Column { fold, buffer }));
            }
            for wanted in group.elements_at(level) {
                let buffer = self.buffer(wanted.node, wanted.dims);
                results.push(PassResult { value: wanted.node, target: Target::Element(buffer) });
            }
            results
        });
        let mut passes: Vec<Vec<PassResult>> = passes.collect();
        let rows = group.rows.iter().map(|wanted| {
            let buffer = self.buffer(wanted.node, wanted.dims);
            PassResult { value: wanted.node, target: Target::Row(buffer) }
        });
        passes.push(rows.collect());
        passes.retain(|results| !results.is_empty());
        let passes =
            passes.into_iter().map(|results| self.pass(results, group.inner, &group.folds)).collect();
        let class = group.class();
        self.pending.retain(|id| !group.folds.contains(id) && !group.columns.contains(id));
        self.commit(Kernel::Loop(Loop { class, outer: group.outer, inner: group.inner, passes }));
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
        let results = wanted.iter().map(|w| {
            let buffer = self.buffer(w.node, w.dims);
            PassResult { value: w.node, target: Target::Element(buffer) }
        });
        let results = results.collect();
        let pass = self.pass(results, inner, &[]);
        Loop { class: Class::Pointwise, outer: DimSet::EMPTY, inner, passes: vec![pass] }
    }

    /// Puts what a loop would compute too often into memory: one kernel for each set of dims.
    fn store_invariants(&mut self, values: &[NodeId], space: DimSet, vary: DimSet) {
        let mut invariants = self.invariants(values, space, vary);
        while let Some(first) = invariants.first() {
            let dims = self.graph.node(*first).dims;
            let wanted: Vec<Required> = (invariants.extract_if(.., |id| self.graph.node(*id).dims == dims))
                .map(|node| Required { node, dims })
                .collect();
            let nest = self.pointwise(&wanted);
            self.commit(Kernel::Loop(nest));
        }
    }

    fn fold(&self, id: NodeId, target: impl Fn(Fold) -> Target) -> PassResult {
        let (fold, _, value) = self.graph.reduction(id).expect("groups hold reductions");
        PassResult { value, target: target(fold) }
    }

    /// A buffer for a value. It can be read once the kernel that fills it is committed.
    fn buffer(&mut self, node: NodeId, dims: DimSet) -> BufferId {
        let outputs = (self.graph.outputs.iter().enumerate())
            .filter(|(_, output)| output.node == node && self.graph.output_dims(output) == dims)
            .map(|(index, _)| index);
        let buffer = Buffer { node, dims, outputs: outputs.collect() };
        self.required.retain(|wanted| *wanted != Required { node, dims });
        self.buffers.push(buffer);
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Adds a kernel; later kernels read what it stores.
    fn commit(&mut self, kernel: Kernel) {
        for id in kernel.written() {
            let buffer = &self.buffers[id.0 as usize];
            if buffer.dims == self.graph.node(buffer.node).dims {
                self.stored.insert(buffer.node, id);
            }
        }
        self.kernels.push(kernel);
    }

    fn pass(&self, results: Vec<PassResult>, inner: DimSet, statistics: &[NodeId]) -> Pass {
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut stack: Vec<NodeId> = results.iter().rev().map(|r| r.value).collect();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            if statistics.contains(&id) {
                leaves.push(Leaf { node: id, source: Source::Statistic });
            } else if let Some(source) = self.source(id) {
                leaves.push(Leaf { node: id, source });
            } else {
                stack.extend(self.graph.node(id).operands().into_iter().rev());
            }
        }
        let (elements, uniforms) = leaves
            .into_iter()
            .partition(|leaf| !self.graph.node(leaf.node).dims.intersection(inner).is_empty());
        Pass { uniforms, elements, results }
    }

    fn leaf(&self, node: NodeId) -> Leaf {
        Leaf { node, source: self.source(node).expect("operands were put into memory") }
    }

    /// Where a value can be read, if it need not be computed.
    pub(super) fn source(&self, id: NodeId) -> Option<Source> {
        if let Some(buffer) = self.stored.get(&id) {
            return Some(Source::Buffer(*buffer));
        }
        match self.graph.node(id).op {
            Op::Input(arg) => Some(Source::Arg(arg)),
            Op::Len(dims) => Some(Source::Len(dims)),
            Op::Iota(dim) => Some(Source::Iota(dim)),
            Op::Literal(_)
            | Op::Apply(..)
            | Op::Cast(_)
            | Op::Reduce(..)
            | Op::At { .. }
            | Op::ScatterAdd { .. }
            | Op::StopGrad(_)
            | Op::Given { .. }
            | Op::Seed(_) => None,
        }
    }

    /// The pending barriers that a value waits for.
    pub(super) fn frontier(&self, id: NodeId) -> BTreeSet<NodeId> {
        self.frontier_behind(id, &[])
    }

    /// The pending barriers that a value would wait for if these were stored.
    pub(super) fn frontier_behind(&self, id: NodeId, stored: &[NodeId]) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if self.stored.contains_key(&id) || stored.contains(&id) || !seen.insert(id) {
                continue;
            }
            if is_barrier(self.graph, id) {
                found.insert(id);
            } else {
                stack.extend(self.graph.node(id).operands());
            }
        }
        found
    }

    fn depends(&self, id: NodeId, on: NodeId) -> bool {
        let mut seen = BTreeSet::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if id == on {
                return true;
            }
            if seen.insert(id) {
                stack.extend(self.graph.node(id).operands());
            }
        }
        false
    }
}

/// Whether a value is an argument in memory: a scalar argument is none.
fn is_tensor(graph: &Graph, id: NodeId) -> bool {
    let Op::Input(arg) = graph.node(id).op else { return false };
    match graph.args[arg].ty {
        ArgType::Tensor { .. } => true,
        ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => false,
    }
}

fn live_nodes(graph: &Graph) -> Vec<NodeId> {
    let mut live = vec![false; graph.nodes.len()];
    graph.outputs.iter().for_each(|output| live[output.node.0 as usize] = true);
    for id in graph.ids().rev() {
        if live[id.0 as usize] {
            graph.node(id).operands().iter().for_each(|operand| live[operand.0 as usize] = true);
        }
    }
    graph.ids().filter(|id| live[id.0 as usize]).collect()
}

pub(super) fn is_barrier(graph: &Graph, id: NodeId) -> bool {
    match graph.node(id).op {
        Op::Reduce(..) | Op::At { .. } | Op::ScatterAdd { .. } => true,
        Op::Input(_)
        | Op::Literal(_)
        | Op::Len(_)
        | Op::Iota(_)
        | Op::Apply(..)
        | Op::Cast(_)
        | Op::StopGrad(_)
        | Op::Given { .. }
        | Op::Seed(_) => false,
    }
}

/// The operands that a barrier needs in memory as a whole; none for a reduction that runs in a loop.
pub(super) fn memory_operands(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    if let Op::At { source, index, .. } | Op::ScatterAdd { source, index, .. } = graph.node(id).op {
        return vec![source, index];
    }
    contraction::operands(graph, id).map_or(vec![], |operands| operands.to_vec())
}
