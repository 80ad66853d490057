//! Which reductions share a kernel.
//!
//! A loop over `outer` rows of `inner` elements can fold any number of values along the row, one after the other, fold others over
//! the rows, and store on its way what is needed in memory. The group that gets most out of one traversal is planned first.

use super::Class;
use super::plan::{Planner, Required, memory_operands};
use crate::ir::{ArgType, Axis, DimId, DimSet, Graph, NodeId};
use crate::prim::Fold;
use std::collections::{BTreeMap, BTreeSet};

/// Reductions of one loop.
pub(super) struct Group {
    pub(super) outer: DimSet,
    pub(super) inner: DimSet,
    /// Reductions along the row.
    pub(super) folds: Vec<NodeId>,
    /// Reductions over all rows.
    pub(super) columns: Vec<NodeId>,
    /// What is stored at each point, and in which pass.
    elements: Vec<(Required, usize)>,
    /// What is stored once per row.
    pub(super) rows: Vec<Required>,
    /// How many of these are reductions that only later kernels need.
    spilled: usize,
    /// The pass of each reduction.
    levels: BTreeMap<NodeId, usize>,
}

impl Group {
    /// Levels in order; each is a pass.
    pub(super) fn levels(&self) -> Vec<usize> {
        let levels = self.levels.values().chain(self.elements.iter().map(|(_, level)| level));
        (0..=levels.copied().max().unwrap_or(0)).collect()
    }

    pub(super) fn folds_at(&self, level: usize) -> impl Iterator<Item = NodeId> {
        self.folds.iter().copied().filter(move |id| self.levels[id] == level)
    }

    pub(super) fn columns_at(&self, level: usize) -> impl Iterator<Item = NodeId> {
        self.columns.iter().copied().filter(move |id| self.levels[id] == level)
    }

    pub(super) fn elements_at(&self, level: usize) -> impl Iterator<Item = Required> {
        self.elements.iter().filter(move |(_, at)| *at == level).map(|(wanted, _)| *wanted)
    }

    pub(super) fn class(&self) -> Class {
        match (self.folds.is_empty(), self.columns.is_empty()) {
            (true, true) => Class::Pointwise,
            (false, true) => Class::Row,
            (true, false) if self.elements.is_empty() => Class::Column,
            (_, false) => Class::Mixed,
        }
    }

    /// What one traversal gets done. A reduction that is stored for a later kernel is none the better for it.
    fn work(&self) -> usize {
        self.folds.len() + self.columns.len() + self.elements.len() + self.rows.len() - self.spilled
    }
}

/// The group that computes most, among those that need nothing but what is stored; the first of equals.
pub(super) fn best_group(planner: &Planner<'_>) -> Option<Group> {
    let mut best: Option<Group> = None;
    for seed in &planner.pending {
        if let Some(group) = group_of(planner, *seed)
            && best.as_ref().is_none_or(|b| group.work() > b.work())
        {
            best = Some(group);
        }
    }
    best
}

/// The loop that folds `seed` along its rows, and all else that fits; or, if memory order says so, a loop over columns.
fn group_of(planner: &Planner<'_>, seed: NodeId) -> Option<Group> {
    let (space, inner) = reduction(planner.graph, seed)?;
    let outer = space.difference(inner);
    let mut members: Vec<NodeId> = Vec::new();
    let mut columns: Vec<NodeId> = Vec::new();
    // Pending is in topological order, so one walk finds what depends on earlier members.
    for id in &planner.pending {
        let Some((s, r)) = reduction(planner.graph, *id) else { continue };
        if s != space || !operand_frontier(planner, *id).iter().all(|b| members.contains(b)) {
            continue;
        }
        if r == inner {
            members.push(*id);
        } else if r == outer && !outer.is_empty() && folds_by_column(planner.graph, *id) {
            columns.push(*id);
        }
    }
    if !members.contains(&seed) {
        return None;
    }
    let elements = storable(planner, space, &members);
    let feeds_back = elements.iter().any(|w| !planner.frontier(w.node).is_empty())
        || members.iter().chain(&columns).any(|id| !operand_frontier(planner, *id).is_empty());
    let by_column = members.iter().all(|id| folds_by_column(planner.graph, *id));
    if !feeds_back && by_column && !outer.is_empty() && is_leading(planner.graph, inner, outer) {
        (members, columns) = (columns, members);
        return Some(finish(planner, [inner, outer], members, columns, elements));
    }
    Some(finish(planner, [outer, inner], members, columns, elements))
}

fn finish(
    planner: &Planner<'_>,
    [outer, inner]: [DimSet; 2],
    folds: Vec<NodeId>,
    columns: Vec<NodeId>,
    elements: Vec<Required>,
) -> Group {
    let mut rows = storable(planner, outer, &folds);
    rows.retain(|w| !elements.contains(w) && planner.frontier(w.node).iter().any(|b| folds.contains(b)));
    let asked_for = rows.len();
    for id in &folds {
        let wanted = Required { node: *id, dims: outer };
        if !rows.contains(&wanted)
            && used_later(planner, *id, &folds, &columns, &[&elements[..], &rows[..]].concat())
        {
            rows.push(wanted);
        }
    }
    let mut levels = BTreeMap::new();
    for id in folds.iter().chain(&columns) {
        let level = level_of(&levels, &operand_frontier(planner, *id));
        levels.insert(*id, level);
    }
    // A reduction that is itself stored at each point is known only after its own pass.
    let level = |wanted: Required| (wanted, level_of(&levels, &planner.frontier(wanted.node)));
    let elements = elements.into_iter().map(level).collect();
    let spilled = rows.len() - asked_for;
    Group { outer, inner, folds, columns, elements, rows, spilled, levels }
}

/// One more than the level of what it waits for.
fn level_of<'a>(levels: &BTreeMap<NodeId, usize>, waits_for: impl IntoIterator<Item = &'a NodeId>) -> usize {
    waits_for.into_iter().map(|id| levels.get(id).map_or(0, |level| level + 1)).max().unwrap_or(0)
}

/// Whether a fold can run over the rows with one accumulator a column; an index would need two.
fn folds_by_column(graph: &Graph, id: NodeId) -> bool {
    match graph.reduction(id) {
        Some((Fold::Sum | Fold::Prod | Fold::Max | Fold::Min | Fold::Any | Fold::All, ..)) => true,
        Some((Fold::ArgMax | Fold::ArgMin, ..)) | None => false,
    }
}

/// The dims of the operand and the reduced dims, of a reduction that runs in a loop.
fn reduction(graph: &Graph, id: NodeId) -> Option<(DimSet, DimSet)> {
    let (_, dims, operand) = graph.reduction(id)?;
    memory_operands(graph, id).is_empty().then(|| (graph.node(operand).dims, dims))
}

fn operand_frontier(planner: &Planner<'_>, id: NodeId) -> BTreeSet<NodeId> {
    planner.graph.node(id).operands().into_iter().flat_map(|operand| planner.frontier(operand)).collect()
}

/// Values over exactly these dims that must be in memory and need no other barriers.
fn storable(planner: &Planner<'_>, dims: DimSet, members: &[NodeId]) -> Vec<Required> {
    let fits = |w: &&Required| w.dims == dims && planner.frontier(w.node).iter().all(|b| members.contains(b));
    planner.required.iter().filter(fits).copied().collect()
}

/// Whether something outside of this kernel reads the reduction, with `stored` in memory.
fn used_later(
    planner: &Planner<'_>,
    id: NodeId,
    folds: &[NodeId],
    columns: &[NodeId],
    stored: &[Required],
) -> bool {
    let nodes: Vec<NodeId> = stored.iter().map(|w| w.node).filter(|node| *node != id).collect();
    let reads = |value: NodeId| planner.frontier_behind(value, &nodes).contains(&id);
    let by_barrier = planner
        .pending
        .iter()
        .filter(|other| !folds.contains(other) && !columns.contains(other))
        .any(|other| planner.graph.node(*other).operands().into_iter().any(reads));
    let by_result = planner.required.iter().any(|w| !stored.contains(w) && reads(w.node));
    by_barrier || by_result
}

/// Whether `first` comes before `second` in the memory order of the argument, or result, that has most of their dims.
fn is_leading(graph: &Graph, first: DimSet, second: DimSet) -> bool {
    let tensors = graph.args.iter().filter_map(|arg| match &arg.ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => Some(axes),
        ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
    });
    let orders =
        tensors.chain(graph.outputs.iter().map(|output| &output.axes)).map(|axes| memory_order(graph, axes));
    let both = first.union(second);
    let shared = |order: &Vec<DimId>| order.iter().filter(|d| both.contains(**d)).count();
    let orders: Vec<Vec<DimId>> = orders.collect();
    // `max_by_key` gives the last of equals; the first declared counts.
    let Some(order) = orders.iter().rev().max_by_key(|order| shared(order)) else { return false };
    let last_of_first = order.iter().rposition(|d| first.contains(*d));
    let first_of_second = order.iter().position(|d| second.contains(*d));
    matches!((last_of_first, first_of_second), (Some(a), Some(b)) if a < b)
}

/// Dims of declared axes in memory order. `Axis` dims lie somewhere in the group: they count as last.
fn memory_order(graph: &Graph, axes: &[Axis]) -> Vec<DimId> {
    let mut order = Vec::new();
    for axis in axes {
        match axis {
            Axis::Dim(dim) => {
                order.push(*dim);
                if graph.group() == Some(*dim) {
                    order.extend(graph.axis_dims().iter());
                }
            }
            Axis::Parts(parts) => order.extend(parts),
        }
    }
    order
}
