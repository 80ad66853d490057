//! Scans as kernels whose states stay in registers.
//!
//! A scan alone stores what it takes and what it gives. A sweep goes along the dim of the scan, one step after
//! the other, for all other elements at the same time. At each step it computes what the scan takes, then the
//! next state, then what follows from the state: values at each element, and folds over some of the dims. So
//! nothing is stored but what other kernels read. The states of a state-space model, which have a dim more
//! than its results, never reach the memory.
//!
//! As in [`Fused`](super::Fused), programs are made from the graph, so that everything between two states is
//! in one pass, whatever kernels the schedule makes of it. The idea is that of the scan of Mamba (Gu and Dao,
//! 2023, arXiv 2312.00752); here what stands around the scan is any formula.

use super::barrier::{is_barrier, leaf};
use super::pass::pass;
use super::uses::Uses;
use super::{Buffer, BufferId, Kernel, Loop, Recurrence, Schedule, Source, Target};
use crate::ir::{DimId, DimSet, Graph, Kind, NodeId};
use crate::prim::Scan;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Kernels that can run as one, step by step along a dim.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The kernels, by their place in the schedule.
    pub kernels: Range<usize>,
    /// The dim of the steps.
    pub dim: DimId,
    /// Whether the last element is the first step.
    pub reverse: bool,
    /// The passes of a step. The dim of the steps is one of its outer dims.
    pub nest: Loop,
    /// The scans. Each runs after the pass that writes what it takes, and before the passes that read it.
    pub scans: Vec<Swept>,
    /// What passes write for the scans. It is stored nowhere.
    pub local: Vec<BufferId>,
}

/// A scan of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// How.
    pub scan: Scan,
    /// What it takes: results of one pass.
    pub operands: Vec<BufferId>,
    /// The state. It is stored if another kernel reads it, or if it is a result.
    pub out: BufferId,
}

/// Finds which kernels of a schedule can run as sweeps, and puts those of each next to each other.
pub fn with_sweeps(graph: &Graph, mut schedule: Schedule) -> Schedule {
    let uses = Uses::new(&schedule);
    let mut groups: Vec<BTreeSet<usize>> =
        schedule.streams.iter().map(|stream| stream.kernels.clone().collect()).collect();
    let mut buffers = schedule.buffers.clone();
    let mut sweeps = Vec::new();
    for (at, kernel) in schedule.kernels.iter().enumerate() {
        if let Kernel::Scan(scan) = kernel
            && !groups.iter().any(|group| group.contains(&at))
            && let Some(search) = Search::around(graph, &uses, &groups, at, scan)
            && let Some(sweep) = search.sweep(&mut buffers)
        {
            groups.push(search.members);
            sweeps.push(sweep);
        }
    }
    if sweeps.is_empty() {
        return schedule;
    }
    let order = uses.order(&groups.iter().collect::<Vec<_>>()).expect("a sweep was taken only if there is one");
    let range = |group: &BTreeSet<usize>| {
        let start = order.iter().position(|at| group.contains(at)).unwrap_or(0);
        start..start + group.len()
    };
    let (of_streams, of_sweeps) = groups.split_at(schedule.streams.len());
    schedule.streams.iter_mut().zip(of_streams).for_each(|(stream, group)| stream.kernels = range(group));
    sweeps.iter_mut().zip(of_sweeps).for_each(|(sweep, group)| sweep.kernels = range(group));
    schedule.streams.sort_by_key(|stream| stream.kernels.start);
    sweeps.sort_by_key(|sweep| sweep.kernels.start);
    let mut kernels: Vec<Option<Kernel>> = schedule.kernels.into_iter().map(Some).collect();
    let kernels = order.into_iter().filter_map(|at| kernels[at].take()).collect();
    Schedule { kernels, buffers, sweeps, ..schedule }
}

/// The kernels of a sweep, by their place in the schedule.
struct Search<'g> {
    graph: &'g Graph,
    uses: &'g Uses<'g>,
    dim: DimId,
    reverse: bool,
    /// The dims of the states.
    space: DimSet,
    /// The dims that folds go over, once there is a fold.
    columns: Option<DimSet>,
    members: BTreeSet<usize>,
}

impl<'g> Search<'g> {
    /// The sweep that starts from a scan, and takes in what is computed around it. `None` if there is nothing
    /// to take in.
    fn around(
        graph: &'g Graph,
        uses: &'g Uses<'g>,
        groups: &[BTreeSet<usize>],
        at: usize,
        scan: &Recurrence,
    ) -> Option<Search<'g>> {
        let out = uses.schedule.buffer(scan.out);
        let (dim, reverse, space) = (scan.dim, scan.reverse, out.dims);
        let has_others = space != DimSet::one(dim);
        if out.kind != Kind::Float || !has_others {
            return None;
        }
        let members = BTreeSet::from([at]);
        let mut search = Search { graph, uses, dim, reverse, space, columns: None, members };
        while let Some(next) = search.neighbours().into_iter().find(|next| search.takes(groups, *next)) {
            if let Kernel::Loop(nest) = &uses.schedule.kernels[next]
                && nest.has_folds()
            {
                search.columns = Some(nest.inner);
            }
            search.members.insert(next);
        }
        (search.members.len() > 1).then_some(search)
    }

    /// The kernels that write or read values of the sweep.
    fn neighbours(&self) -> BTreeSet<usize> {
        let kernels = self.members.iter().map(|at| &self.uses.schedule.kernels[*at]);
        let touched = kernels.flat_map(|kernel| kernel.read_buffers().chain(kernel.written()));
        let wide = touched.filter(|id| self.uses.schedule.buffer(*id).dims == self.space);
        let users = wide.flat_map(|id| self.uses.readers(id).iter().copied().chain(self.uses.writer(id)));
        users.filter(|at| !self.members.contains(at)).collect()
    }

    /// Whether a kernel can be a part of the sweep, beside other kernels that run together.
    fn takes(&self, groups: &[BTreeSet<usize>], at: usize) -> bool {
        let joins = match &self.uses.schedule.kernels[at] {
            Kernel::Scan(scan) => {
                let out = self.uses.schedule.buffer(scan.out);
                (scan.dim, scan.reverse, out.dims, out.kind) == (self.dim, self.reverse, self.space, Kind::Float)
            }
            Kernel::Loop(nest) => self.joins(nest),
            Kernel::Contraction(_) | Kernel::View(_) | Kernel::Order(_) => false,
            Kernel::Gather(_) | Kernel::Scatter(..) => false,
        };
        if !joins || groups.iter().any(|group| group.contains(&at)) {
            return false;
        }
        let with: BTreeSet<usize> = self.members.iter().copied().chain([at]).collect();
        let all: Vec<&BTreeSet<usize>> = groups.iter().chain([&with]).collect();
        self.uses.order(&all).is_some()
    }

    fn joins(&self, nest: &Loop) -> bool {
        let mut targets = nest.passes.iter().flat_map(|pass| &pass.targets);
        let are_taken = targets.all(|target| match *target {
            Target::Element(_) | Target::Row(_) => true,
            Target::Fold { fold, .. } => !fold.finds_position(),
            Target::Kept(_) | Target::Column { .. } => false,
        });
        let is_pointwise = nest.outer == DimSet::EMPTY;
        let folds_columns = nest.outer.contains(self.dim)
            && !nest.inner.is_empty()
            && self.columns.is_none_or(|columns| columns == nest.inner);
        are_taken && nest.outer.union(nest.inner) == self.space && (is_pointwise || folds_columns)
    }

    /// The sweep, whose kernels are not next to each other yet. `None` if a value takes another kernel.
    fn sweep(&self, buffers: &mut Vec<Buffer>) -> Option<Sweep> {
        let before = buffers.len();
        let inner = self.columns.unwrap_or_else(|| self.space.difference(DimSet::one(self.dim)));
        let mut levels = Levels { search: self, known: BTreeMap::new() };
        let mut passes: Vec<Vec<(NodeId, Target)>> = Vec::new();
        let mut add = |level: usize, value: NodeId, target: Target| {
            passes.resize_with(passes.len().max(level + 1), Vec::new);
            passes[level].push((value, target));
        };
        let (mut scans, mut rows) = (Vec::new(), Vec::new());
        for kernel in self.kernels() {
            if let Kernel::Scan(scan) = kernel {
                let level = levels.of(self.uses.schedule.buffer(scan.out).node)? - 1;
                let mut operands = Vec::new();
                for node in self.graph.node(self.uses.schedule.buffer(scan.out).node).operands() {
                    let value = self.graph.node(node);
                    let buffer = Buffer { node, kind: value.kind, dims: value.dims, outputs: vec![], windows: vec![] };
                    buffers.push(buffer);
                    operands.push(BufferId(buffers.len() as u32 - 1));
                    add(level, node, Target::Element(BufferId(buffers.len() as u32 - 1)));
                }
                scans.push(Swept { scan: scan.scan, operands, out: scan.out });
            }
            for (value, target) in kernel.passes().iter().flat_map(|pass| pass.results()) {
                match target {
                    Target::Fold { node, .. } => add(levels.of(node)? - 1, value, target),
                    Target::Element(id) if self.is_stored(id) => add(levels.of(value)?, value, target),
                    Target::Row(id) if self.is_stored(id) => {
                        levels.of(value)?;
                        rows.push((value, target));
                    }
                    Target::Element(_) | Target::Row(_) | Target::Kept(_) | Target::Column { .. } => {}
                }
            }
        }
        passes.push(rows);
        passes.retain(|results| !results.is_empty());
        let folds = passes.iter().flatten().filter_map(|(_, target)| target.folded());
        let statistics: BTreeMap<NodeId, usize> = folds.zip(0..).collect();
        let source = |id: NodeId| statistics.get(&id).copied().map(Source::Statistic).or_else(|| self.source(id));
        let passes = passes.iter().map(|results| pass(self.graph, inner, results, source)).collect();
        let local = (before as u32..buffers.len() as u32).map(BufferId).collect();
        let nest = Loop { outer: self.space.difference(inner), inner, passes };
        Some(Sweep { kernels: 0..0, dim: self.dim, reverse: self.reverse, nest, scans, local })
    }

    fn kernels(&self) -> impl Iterator<Item = &'g Kernel> {
        self.members.iter().map(|at| &self.uses.schedule.kernels[*at])
    }

    /// Whether somebody else needs a value of the sweep.
    fn is_stored(&self, id: BufferId) -> bool {
        let is_read = self.uses.readers(id).iter().any(|at| !self.members.contains(at));
        is_read || !self.uses.schedule.buffer(id).outputs.is_empty()
    }

    /// Where a value can be read that no pass computes: memory from before the sweep, or a state.
    fn source(&self, id: NodeId) -> Option<Source> {
        let first = self.members.first().copied().unwrap_or(0);
        let before = self.uses.schedule.kernels[..first].iter().flat_map(Kernel::written);
        let others = self.kernels().flat_map(Kernel::read_buffers);
        let others = others.filter(|id| self.uses.writer(*id).is_some_and(|at| !self.members.contains(&at)));
        let states = self.kernels().filter_map(|kernel| match kernel {
            Kernel::Scan(scan) => Some(scan.out),
            Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::View(_) | Kernel::Order(_) => None,
            Kernel::Gather(_) | Kernel::Scatter(..) => None,
        });
        let is_it = |buffer: &BufferId| {
            let buffer = self.uses.schedule.buffer(*buffer);
            buffer.node == id && buffer.dims == self.graph.node(id).dims
        };
        leaf(self.graph, id).or_else(|| states.chain(before).chain(others).find(is_it).map(Source::Buffer))
    }

    fn is_state(&self, id: NodeId) -> bool {
        self.kernels().any(|kernel| matches!(kernel, Kernel::Scan(scan) if self.uses.schedule.buffer(scan.out).node == id))
    }

    fn is_folded(&self, id: NodeId) -> bool {
        let targets = self.kernels().flat_map(Kernel::passes).flat_map(|pass| &pass.targets);
        targets.filter_map(|target| target.folded()).any(|node| node == id)
    }
}

/// In which pass each value can be computed at the earliest: after the states and folds that it needs.
struct Levels<'s, 'g> {
    search: &'s Search<'g>,
    known: BTreeMap<NodeId, usize>,
}

impl Levels<'_, '_> {
    /// `None` if the value takes another kernel.
    fn of(&mut self, value: NodeId) -> Option<usize> {
        let mut open = vec![value];
        while let Some(id) = open.last().copied() {
            let Search { graph, .. } = *self.search;
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
            let missing: Vec<NodeId> =
                operands.iter().copied().filter(|operand| !self.known.contains_key(operand)).collect();
            if missing.is_empty() {
                let level = operands.iter().map(|operand| self.known[operand]).max().unwrap_or(0);
                self.known.insert(id, level + usize::from(waits));
            }
            open.extend(missing);
        }
        self.known.get(&value).copied()
    }
}
