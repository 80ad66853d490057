//! The kernels that can run together around a scan.

use super::levels::Levels;
use super::{Carry, StepSum, Sweep, Swept};
use crate::ir::{DimId, DimSet, Graph, Kind, NodeId, Scalar};
use crate::prim::Fold;
use crate::schedule::barrier::leaf;
use crate::schedule::pass::pass;
use crate::schedule::uses::Uses;
use crate::schedule::{Buffer, BufferId, Kernel, Loop, Recurrence, Source, Target, View};
use std::collections::{BTreeMap, BTreeSet};

/// The kernels of a sweep, by their place in the schedule.
pub(super) struct Search<'g> {
    pub(super) graph: &'g Graph,
    uses: &'g Uses<'g>,
    dim: DimId,
    reverse: bool,
    /// The dims of the states.
    space: DimSet,
    /// The dims that folds go over, once there is a fold.
    columns: Option<DimSet>,
    allowed: Allowed,
    pub(super) members: BTreeSet<usize>,
}

/// What a search may take in.
#[derive(Clone, Copy)]
struct Allowed {
    /// Folds over any dims, and not only over the last ones.
    any_columns: bool,
    /// Values of the step before.
    delays: bool,
}

impl<'g> Search<'g> {
    /// The sweep that starts from a scan, and takes in what is computed around it. `None` if it has no states
    /// of floats, or one state.
    pub(super) fn around(
        graph: &'g Graph,
        uses: &'g Uses<'g>,
        groups: &[BTreeSet<usize>],
        at: usize,
        scan: &Recurrence,
    ) -> Option<Search<'g>> {
        let out = uses.schedule.buffer(scan.out);
        let (dim, reverse, space) = (scan.dim, scan.reverse, out.dims);
        if out.kind != Kind::Float || space == DimSet::one(dim) {
            return None;
        }
        let search = |allowed: Allowed| {
            let (columns, members) = (None, BTreeSet::from([at]));
            let mut search = Search { graph, uses, dim, reverse, space, columns, allowed, members };
            search.grow(groups);
            search
        };
        let mut found = search(Allowed { any_columns: true, delays: true });
        if !found.folds_last() && found.has_memory() {
            found = search(Allowed { any_columns: false, ..found.allowed });
        }
        if found.stores_delays() {
            found = search(Allowed { delays: false, ..found.allowed });
        }
        Some(found)
    }

    fn grow(&mut self, groups: &[BTreeSet<usize>]) {
        while let Some(next) = self.neighbours().into_iter().find(|next| self.takes(groups, *next)) {
            if let Kernel::Loop(nest) = &self.uses.schedule.kernels[next]
                && nest.has_folds()
            {
                self.columns = Some(nest.inner);
            }
            self.members.insert(next);
        }
    }

    /// The kernels that write or read values of the sweep.
    fn neighbours(&self) -> BTreeSet<usize> {
        let touched = self.kernels().flat_map(|kernel| kernel.read_buffers().chain(kernel.written()));
        let wide = touched.filter(|id| self.uses.schedule.buffer(*id).dims == self.space);
        let users = wide.flat_map(|id| self.uses.readers(id).iter().copied().chain(self.uses.writer(id)));
        users.filter(|at| !self.members.contains(at)).collect()
    }

    /// Whether a kernel can be a part of the sweep, beside other kernels that run together.
    fn takes(&self, groups: &[BTreeSet<usize>], at: usize) -> bool {
        let joins = match &self.uses.schedule.kernels[at] {
            Kernel::Scan(scan) => {
                let out = self.uses.schedule.buffer(scan.out);
                let own = (self.dim, self.reverse, self.space, Kind::Float);
                (scan.dim, scan.reverse, out.dims, out.kind) == own
            }
            Kernel::Loop(nest) => self.joins(nest),
            Kernel::View(view) => self.allowed.delays && self.delay(view).is_some(),
            Kernel::Contraction(_) | Kernel::Order(_) => false,
            Kernel::Gather(_) | Kernel::Scatter(..) => false,
        };
        if !joins || self.waits_for_sums(at) || groups.iter().any(|group| group.contains(&at)) {
            return false;
        }
        let with: BTreeSet<usize> = self.members.iter().copied().chain([at]).collect();
        let all: Vec<&BTreeSet<usize>> = groups.iter().chain([&with]).collect();
        self.uses.order(&all).is_some()
    }

    /// Whether a kernel reads a sum over the steps of another one, or the reverse: such a sum is complete
    /// after all steps.
    fn waits_for_sums(&self, at: usize) -> bool {
        let reads = |kernel: &Kernel, of: &Kernel| {
            let mut targets = of.passes().iter().flat_map(|pass| &pass.targets);
            targets.any(|target| match *target {
                Target::Column { buffer, .. } => kernel.read_buffers().any(|id| id == buffer),
                Target::Element(_) | Target::Row(_) | Target::Fold { .. } | Target::Kept(_) => false,
            })
        };
        let own = &self.uses.schedule.kernels[at];
        self.kernels().any(|member| reads(own, member) || reads(member, own))
    }

    fn joins(&self, nest: &Loop) -> bool {
        let mut targets = nest.passes.iter().flat_map(|pass| &pass.targets);
        let are_taken = targets.all(|target| match *target {
            Target::Element(_) | Target::Row(_) => true,
            Target::Fold { fold, .. } => !fold.finds_position(),
            Target::Column { fold, buffer } => {
                fold == Fold::Sum && self.uses.schedule.buffer(buffer).kind == Kind::Float
            }
            Target::Kept(_) => false,
        });
        let has_steps = nest.outer.contains(self.dim);
        let has_columns = || {
            let is_last = self.allowed.any_columns || self.are_last(nest.inner);
            has_steps && is_last && self.columns.is_none_or(|columns| columns == nest.inner)
        };
        let has_rows = nest.passes.iter().flat_map(|pass| &pass.targets).any(|target| match target {
            Target::Fold { .. } | Target::Row(_) => true,
            Target::Element(_) | Target::Column { .. } | Target::Kept(_) => false,
        });
        let is_pointwise = nest.outer == DimSet::EMPTY;
        are_taken
            && nest.outer.union(nest.inner) == self.space
            && if has_rows { has_columns() } else { is_pointwise || has_steps }
    }

    /// The value outside, if a view reads each element at the step before.
    fn delay(&self, view: &View) -> Option<Scalar> {
        let [(dim, position)] = &view.positions[..] else { return None };
        let behind = if self.reverse { 1 } else { -1 };
        let buffer = self.uses.schedule.buffer(view.out);
        let is_behind = *dim == self.dim
            && position.shift(self.dim) == Some(behind)
            && (buffer.dims, buffer.kind) == (self.space, Kind::Float);
        position.outside.filter(|_| is_behind)
    }

    /// Whether dims are the last ones of a state in memory.
    fn are_last(&self, columns: DimSet) -> bool {
        let points: Vec<DimId> = self.space.difference(DimSet::one(self.dim)).iter().collect();
        points.iter().rev().take(columns.len()).all(|dim| columns.contains(*dim))
    }

    fn folds_last(&self) -> bool {
        self.columns.is_none_or(|columns| self.are_last(columns))
    }

    /// Whether values over all points and steps are read or written.
    fn has_memory(&self) -> bool {
        let is_wide = |id: BufferId| self.uses.schedule.buffer(id).dims == self.space;
        let is_outer = |id: BufferId| self.uses.writer(id).is_none_or(|at| !self.members.contains(&at));
        self.kernels().any(|kernel| {
            kernel.written().any(|id| is_wide(id) && self.is_stored(id))
                || kernel.read_buffers().any(|id| is_wide(id) && is_outer(id))
        })
    }

    /// Whether somebody else needs a value of the step before, which no kernel stores.
    fn stores_delays(&self) -> bool {
        let is_needed = |view: &View| self.is_stored(view.out);
        self.kernels().any(|kernel| matches!(kernel, Kernel::View(view) if is_needed(view)))
    }

    /// The sweep, whose kernels are not next to each other yet. `None` if a value takes another kernel.
    pub(super) fn sweep(&self, buffers: &mut Vec<Buffer>) -> Option<Sweep> {
        let before = buffers.len();
        let mut draft = Draft { search: self, buffers, levels: Levels::new(self), passes: Vec::new() };
        let (mut carried, mut sums, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for kernel in self.kernels() {
            carried.extend(match kernel {
                Kernel::Scan(scan) => Some(draft.scan(scan)?),
                Kernel::View(view) => Some(draft.delay(view)?),
                Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::Order(_) => None,
                Kernel::Gather(_) | Kernel::Scatter(..) => None,
            });
            for (value, target) in kernel.passes().iter().flat_map(|pass| pass.results()) {
                let level = draft.levels.of(value)?;
                match target {
                    Target::Fold { .. } => draft.add(level, value, target),
                    Target::Element(id) if self.is_stored(id) => draft.add(level, value, target),
                    Target::Row(id) if self.is_stored(id) => rows.push((value, target)),
                    Target::Column { buffer, .. } => {
                        sums.push(StepSum { operand: draft.local(level, value), out: buffer });
                    }
                    Target::Element(_) | Target::Row(_) | Target::Kept(_) => {}
                }
            }
        }
        let Draft { passes, .. } = draft;
        let passes = passes.into_iter().chain([rows]).filter(|results| !results.is_empty()).collect();
        let local = (before as u32..buffers.len() as u32).map(BufferId).collect();
        let (dim, reverse) = (self.dim, self.reverse);
        Some(Sweep { kernels: 0..0, dim, reverse, nest: self.nest(passes), carried, sums, local })
    }

    fn nest(&self, passes: Vec<Vec<(NodeId, Target)>>) -> Loop {
        let inner = self.columns.unwrap_or_else(|| self.space.difference(DimSet::one(self.dim)));
        let folds = passes.iter().flatten().filter_map(|(_, target)| target.folded());
        let statistics: BTreeMap<NodeId, usize> = folds.zip(0..).collect();
        let source =
            |id: NodeId| statistics.get(&id).copied().map(Source::Statistic).or_else(|| self.source(id));
        let passes = passes.iter().map(|results| pass(self.graph, inner, results, source)).collect();
        Loop { outer: self.space.difference(inner), inner, passes }
    }

    fn kernels(&self) -> impl Iterator<Item = &'g Kernel> {
        self.members.iter().map(|at| &self.uses.schedule.kernels[*at])
    }

    /// Whether somebody else needs a value of the sweep.
    fn is_stored(&self, id: BufferId) -> bool {
        let is_read = self.uses.readers(id).iter().any(|at| !self.members.contains(at));
        is_read || !self.uses.schedule.buffer(id).outputs.is_empty()
    }

    /// Where a value can be read that no pass computes: memory that a kernel reads, or what goes from step to
    /// step.
    pub(super) fn source(&self, id: NodeId) -> Option<Source> {
        let read = self.kernels().flat_map(Kernel::read_buffers);
        let others = read.filter(|id| self.uses.writer(*id).is_some_and(|at| !self.members.contains(&at)));
        let is_it = |buffer: &BufferId| self.uses.schedule.buffer(*buffer).is_value(self.graph, id);
        let carried = self.kernels().filter_map(carried);
        leaf(self.graph, id).or_else(|| carried.chain(others).find(is_it).map(Source::Buffer))
    }

    /// Whether a value is the state of a scan of the sweep.
    pub(super) fn is_state(&self, id: NodeId) -> bool {
        let mut scans = self.kernels().filter_map(Kernel::scan);
        scans.any(|scan| self.uses.schedule.buffer(scan.out).node == id)
    }

    /// Whether a pass of the sweep folds this value along its columns.
    pub(super) fn is_folded(&self, id: NodeId) -> bool {
        let mut targets = self.kernels().flat_map(Kernel::passes).flat_map(|pass| &pass.targets);
        targets.any(|target| target.folded() == Some(id))
    }
}

/// What a kernel of a sweep carries from step to step.
fn carried(kernel: &Kernel) -> Option<BufferId> {
    match kernel {
        Kernel::Scan(scan) => Some(scan.out),
        Kernel::View(view) => Some(view.out),
        Kernel::Loop(_) | Kernel::Contraction(_) | Kernel::Order(_) => None,
        Kernel::Gather(_) | Kernel::Scatter(..) => None,
    }
}

/// The passes of a sweep so far.
struct Draft<'s, 'g, 'b> {
    search: &'s Search<'g>,
    buffers: &'b mut Vec<Buffer>,
    levels: Levels<'s, 'g>,
    passes: Vec<Vec<(NodeId, Target)>>,
}

impl Draft<'_, '_, '_> {
    fn scan(&mut self, scan: &Recurrence) -> Option<Swept> {
        let node = self.search.uses.schedule.buffer(scan.out).node;
        let level = self.levels.of(node)? - 1;
        let operands = self.search.graph.node(node).operands();
        let operands = operands.into_iter().map(|operand| self.local(level, operand)).collect();
        Some(Swept { how: Carry::Scan(scan.scan), operands, out: scan.out })
    }

    fn delay(&mut self, view: &View) -> Option<Swept> {
        let outside = self.search.delay(view)?;
        let source = self.search.graph.node(self.search.uses.schedule.buffer(view.out).node).operands()[0];
        let level = self.levels.of(source)?;
        Some(Swept { how: Carry::Delay(outside), operands: vec![self.local(level, source)], out: view.out })
    }

    /// A buffer that is stored nowhere, for a result of a pass.
    fn local(&mut self, level: usize, node: NodeId) -> BufferId {
        let (kind, dims) = (self.search.graph.node(node).kind, self.search.graph.node(node).dims);
        self.buffers.push(Buffer { node, kind, dims, outputs: vec![], windows: vec![] });
        let buffer = BufferId(self.buffers.len() as u32 - 1);
        self.add(level, node, Target::Element(buffer));
        buffer
    }

    fn add(&mut self, level: usize, value: NodeId, target: Target) {
        self.passes.resize_with(self.passes.len().max(level + 1), Vec::new);
        self.passes[level].push((value, target));
    }
}
