//! Which reductions share a kernel.
//!
//! A loop over `outer` rows of `inner` elements can fold any number of values along the row, one after the
//! other, fold others over the rows, and store on its way what is needed in memory. The group that gets most
//! out of one traversal is planned first.

use super::barrier::{is_barrier, memory_operands};
use super::plan::{Planner, Required};
use super::waits::Task;
use crate::ir::{ArgType, Axis, DimId, DimSet, Graph, NodeId, Op};
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

/// What one pass computes.
#[derive(Default)]
pub(super) struct Level {
    pub(super) folds: Vec<NodeId>,
    pub(super) columns: Vec<NodeId>,
    pub(super) elements: Vec<Required>,
}

impl Group {
    /// Levels in order; each is a pass.
    pub(super) fn levels(&self) -> Vec<Level> {
        let levels = self.levels.values().chain(self.elements.iter().map(|(_, level)| level));
        let count = levels.max().map_or(1, |last| last + 1);
        let mut levels: Vec<Level> = (0..count).map(|_| Level::default()).collect();
        self.folds.iter().for_each(|id| levels[self.levels[id]].folds.push(*id));
        self.columns.iter().for_each(|id| levels[self.levels[id]].columns.push(*id));
        self.elements.iter().for_each(|(wanted, level)| levels[*level].elements.push(*wanted));
        levels
    }

    /// What one traversal gets done. A reduction that is stored for a later kernel is none the better for it.
    fn work(&self) -> usize {
        self.folds.len() + self.columns.len() + self.elements.len() + self.rows.len() - self.spilled
    }
}

/// The dims of a reduction's operand, and those that it reduces.
pub(super) type Space = (DimSet, DimSet);

/// The group that computes most, among those that need nothing but what is stored; the first of equals.
pub(super) fn best_group(planner: &Planner<'_>) -> Option<Group> {
    let spaces = planner.waits.ready().loops.iter();
    let mut spaces: Vec<(NodeId, Space)> =
        spaces.filter_map(|(space, ids)| Some((*ids.first()?, *space))).collect();
    spaces.sort_unstable();
    let groups = spaces.into_iter().map(|(_, space)| group_of(planner, space));
    groups.reduce(|best, group| if group.work() > best.work() { group } else { best })
}

/// The loop that folds along its rows, and all else that fits; or, if memory order says so, a loop over
/// columns.
fn group_of(planner: &Planner<'_>, (space, inner): Space) -> Group {
    let outer = space.difference(inner);
    let ready = planner.waits.ready();
    let members = planner.waits.closure((space, inner));
    let by_column = !outer.is_empty() && members.iter().all(|id| folds_by_column(planner.graph, *id));
    if by_column && is_window(planner, &members, inner, outer) {
        // What waits for these reductions is computed by later kernels.
        let first = ready.loops.get(&(space, inner)).cloned().unwrap_or_default();
        return finish(planner, [inner, outer], BTreeSet::new(), first, BTreeSet::new());
    }
    let released = planner.waits.released_by(&members);
    let mut elements: BTreeSet<Required> = ready.stores.get(&space).cloned().unwrap_or_default();
    let mut columns = BTreeSet::new();
    let mut feeds_back = false;
    for id in ready.loops.get(&(space, outer)).into_iter().flatten() {
        if !outer.is_empty() && folds_by_column(planner.graph, *id) {
            columns.insert(*id);
        }
    }
    for task in released {
        match task {
            Task::Barrier(id) if members.contains(&id) => feeds_back = true,
            Task::Barrier(id) => {
                if !outer.is_empty()
                    && self::space(planner.graph, id) == Some((space, outer))
                    && folds_by_column(planner.graph, id)
                {
                    columns.insert(id);
                    feeds_back = true;
                }
            }
            Task::Store(wanted) if wanted.dims == space => {
                elements.insert(wanted);
                feeds_back = true;
            }
            Task::Store(_) => {}
        }
    }
    if !feeds_back && by_column && is_leading(planner.graph, inner, outer) {
        return finish(planner, [inner, outer], columns, members, elements);
    }
    finish(planner, [outer, inner], members, columns, elements)
}

fn finish(
    planner: &Planner<'_>,
    [outer, inner]: [DimSet; 2],
    folds: BTreeSet<NodeId>,
    columns: BTreeSet<NodeId>,
    elements: BTreeSet<Required>,
) -> Group {
    let released = planner.waits.released_by(&folds);
    let rows: BTreeSet<Required> = (released.into_iter())
        .filter_map(|task| match task {
            Task::Store(wanted) => (wanted.dims == outer && !elements.contains(&wanted)).then_some(wanted),
            Task::Barrier(_) => None,
        })
        .collect();
    let mut stored: BTreeSet<Required> = elements.union(&rows).copied().collect();
    let asked_for = rows.len();
    let mut rows: Vec<Required> = rows.into_iter().collect();
    for id in &folds {
        let wanted = Required { node: *id, dims: outer };
        if !rows.contains(&wanted) && used_later(planner, *id, [&folds, &columns], &stored) {
            rows.push(wanted);
            stored.insert(wanted);
        }
    }
    let mut levels = BTreeMap::new();
    for id in folds.union(&columns) {
        let level = level_of(&levels, planner.waits.waits_for(Task::Barrier(*id)).iter());
        levels.insert(*id, level);
    }
    // A reduction that is itself stored at each point is known only after its own pass.
    let level =
        |wanted: Required| (wanted, level_of(&levels, planner.waits.waits_for(Task::Store(wanted)).iter()));
    let elements = elements.into_iter().map(level).collect();
    let spilled = rows.len() - asked_for;
    let [folds, columns] = [folds, columns].map(|ids| ids.into_iter().collect());
    Group { outer, inner, folds, columns, elements, rows, spilled, levels }
}

/// One more than the level of what it waits for.
fn level_of<'a>(levels: &BTreeMap<NodeId, usize>, waits_for: impl IntoIterator<Item = &'a NodeId>) -> usize {
    waits_for.into_iter().map(|id| levels.get(id).map_or(0, |level| level + 1)).max().unwrap_or(0)
}

/// Whether a fold can run over the rows with one accumulator a column; an index would need two.
fn folds_by_column(graph: &Graph, id: NodeId) -> bool {
    graph.reduction(id).is_some_and(|(fold, ..)| !fold.finds_position())
}

/// The space of a reduction that runs in a loop.
pub(super) fn space(graph: &Graph, id: NodeId) -> Option<Space> {
    let (_, dims, operand) = graph.reduction(id)?;
    memory_operands(graph, id).is_empty().then(|| (graph.node(operand).dims, dims))
}

/// Whether something outside of this kernel reads the reduction, with `stored` in memory.
fn used_later(
    planner: &Planner<'_>,
    id: NodeId,
    kernel: [&BTreeSet<NodeId>; 2],
    stored: &BTreeSet<Required>,
) -> bool {
    let wants = |node: NodeId| {
        let dims = |dims| Required { node, dims };
        planner.required.range(dims(DimSet::EMPTY)..).take_while(move |w| w.node == node)
    };
    if wants(id).any(|wanted| !stored.contains(wanted)) {
        return true;
    }
    // A result that is stored over more dims than the value has can't be read back as that value.
    let is_stored = |node: NodeId| {
        let here = Required { node, dims: planner.graph.node(node).dims };
        stored.contains(&here) || planner.stored.contains_key(&node)
    };
    let mut seen = BTreeSet::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        for user in &planner.users[id.0 as usize] {
            if is_barrier(planner.graph, *user) {
                if kernel.iter().all(|ids| !ids.contains(user)) {
                    return true;
                }
            } else if !is_stored(*user) && seen.insert(*user) {
                if wants(*user).next().is_some() {
                    return true;
                }
                open.push(*user);
            }
        }
    }
    false
}

/// Whether reductions over `inner` reduce windows that move along `outer`. Windows are small, and their
/// elements overlap, so it is best to go through all windows for one place in them after the other.
fn is_window(planner: &Planner<'_>, members: &BTreeSet<NodeId>, inner: DimSet, outer: DimSet) -> bool {
    let moves = |id: NodeId| match &planner.graph.node(id).op {
        Op::Window { position, dim, .. } => {
            let dims = position.dims();
            let moves = planner.graph.longest(*dim, dims).is_some_and(|moving| outer.contains(moving));
            moves && !dims.intersection(inner).is_empty()
        }
        _ => false,
    };
    let mut open: Vec<NodeId> = members.iter().flat_map(|id| planner.graph.node(*id).operands()).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if moves(id) {
            return true;
        }
        if seen.insert(id) && !is_barrier(planner.graph, id) {
            open.extend(planner.graph.node(id).operands());
        }
    }
    false
}

/// Whether `first` comes before `second` in the memory order of the argument, or result, that has most of
/// their dims.
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
