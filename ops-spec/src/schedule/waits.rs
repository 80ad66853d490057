//! What a plan still has to compute, and what waits for what.
//!
//! A task waits for the barriers that lie between it and what is in memory. It is ready once all of them are
//! computed. Tasks are indexed by what they wait for, so that planning a kernel costs as much as what it
//! makes ready, however large the rest of the graph is.

use super::barrier::is_barrier;
use super::plan::Required;
use super::reduction::{Space, space};
use crate::ir::{DimSet, Graph, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Something to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// A reduction, contraction or indexing.
    Barrier(NodeId),
    /// A value that must be in memory.
    Store(Required),
}

/// The tasks of a graph.
pub(super) struct Waits<'g> {
    graph: &'g Graph,
    /// For each node, the barriers between it and the arguments. For a barrier, these are the barriers that
    /// its operands wait for.
    behind: Vec<Rc<[NodeId]>>,
    /// The tasks that wait for each barrier.
    tasks: BTreeMap<NodeId, Vec<Task>>,
    /// How many barriers that are not computed each task waits for.
    left: BTreeMap<Task, usize>,
    /// Barriers that are not computed.
    pending: BTreeSet<NodeId>,
    ready: Ready,
}

/// Tasks that wait for nothing.
#[derive(Default)]
pub(super) struct Ready {
    /// Reductions that run in a loop.
    pub(super) loops: BTreeMap<Space, BTreeSet<NodeId>>,
    /// Contractions and indexing.
    pub(super) whole: BTreeSet<NodeId>,
    /// Values that must be in memory, by dims.
    pub(super) stores: BTreeMap<DimSet, BTreeSet<Required>>,
}

impl<'g> Waits<'g> {
    pub(super) fn new(
        graph: &'g Graph,
        pending: BTreeSet<NodeId>,
        required: &BTreeSet<Required>,
    ) -> Waits<'g> {
        let behind = behind(graph);
        let mut waits = Waits {
            graph,
            behind,
            tasks: BTreeMap::new(),
            left: BTreeMap::new(),
            pending,
            ready: Ready::default(),
        };
        let barriers = waits.pending.iter().map(|id| Task::Barrier(*id));
        let all: Vec<Task> = barriers.chain(required.iter().map(|wanted| Task::Store(*wanted))).collect();
        for task in all {
            let behind = waits.waits_for(task);
            behind.iter().for_each(|barrier| waits.tasks.entry(*barrier).or_default().push(task));
            waits.left.insert(task, behind.len());
            if behind.is_empty() {
                waits.ready.insert(graph, task);
            }
        }
        waits
    }

    pub(super) fn ready(&self) -> &Ready {
        &self.ready
    }

    pub(super) fn is_done(&self) -> bool {
        self.pending.is_empty()
    }

    /// The barriers that a task waits for, or has waited for.
    pub(super) fn waits_for(&self, task: Task) -> Rc<[NodeId]> {
        match task {
            Task::Barrier(id) => self.behind[id.0 as usize].clone(),
            Task::Store(Required { node, .. }) => seen(self.graph, &self.behind, node),
        }
    }

    /// The tasks that wait for these barriers and no others.
    pub(super) fn released_by<'a>(&self, barriers: impl IntoIterator<Item = &'a NodeId>) -> Vec<Task> {
        let mut release = Release { waits: self, left: BTreeMap::new() };
        barriers.into_iter().flat_map(|id| release.add(*id)).collect()
    }

    /// The reductions of a loop: those that are ready, and those that wait for others of the loop only.
    pub(super) fn closure(&self, of: Space) -> BTreeSet<NodeId> {
        let mut release = Release { waits: self, left: BTreeMap::new() };
        let mut members = BTreeSet::new();
        let mut open: Vec<NodeId> = self.ready.loops.get(&of).into_iter().flatten().copied().collect();
        while let Some(id) = open.pop() {
            members.insert(id);
            open.extend(release.add(id).into_iter().filter_map(|task| match task {
                Task::Barrier(id) => (space(self.graph, id) == Some(of)).then_some(id),
                Task::Store(_) => None,
            }));
        }
        members
    }

    /// Notes that barriers are computed.
    pub(super) fn computed<'a>(&mut self, barriers: impl IntoIterator<Item = &'a NodeId>) {
        for id in barriers {
            self.pending.remove(id);
            self.ready.remove(self.graph, Task::Barrier(*id));
            for task in self.tasks.remove(id).unwrap_or_default() {
                let Some(left) = self.left.get_mut(&task) else { continue };
                *left -= 1;
                if *left == 0 {
                    self.ready.insert(self.graph, task);
                }
            }
        }
    }

    /// Notes that a value is in memory.
    pub(super) fn stored(&mut self, wanted: Required) {
        self.left.remove(&Task::Store(wanted));
        self.ready.remove(self.graph, Task::Store(wanted));
    }
}

/// What tasks would wait for if some barriers were computed.
struct Release<'w, 'g> {
    waits: &'w Waits<'g>,
    left: BTreeMap<Task, usize>,
}

impl Release<'_, '_> {
    /// The tasks that waited for this barrier last.
    fn add(&mut self, id: NodeId) -> Vec<Task> {
        let mut released = vec![];
        for task in self.waits.tasks.get(&id).into_iter().flatten() {
            let Some(all) = self.waits.left.get(task) else { continue };
            let left = self.left.entry(*task).or_insert(*all);
            *left -= 1;
            if *left == 0 {
                released.push(*task);
            }
        }
        released
    }
}

impl Ready {
    fn insert(&mut self, graph: &Graph, task: Task) {
        match task {
            Task::Store(wanted) => drop(self.stores.entry(wanted.dims).or_default().insert(wanted)),
            Task::Barrier(id) => match space(graph, id) {
                Some(space) => drop(self.loops.entry(space).or_default().insert(id)),
                None => drop(self.whole.insert(id)),
            },
        }
    }

    fn remove(&mut self, graph: &Graph, task: Task) {
        match task {
            Task::Store(wanted) => {
                self.stores.get_mut(&wanted.dims).map(|stores| stores.remove(&wanted));
            }
            Task::Barrier(id) => match space(graph, id) {
                Some(space) => drop(self.loops.get_mut(&space).map(|loops| loops.remove(&id))),
                None => drop(self.whole.remove(&id)),
            },
        }
    }
}

/// For each node, the barriers that its operands wait for. Nodes that wait for the same share one list.
fn behind(graph: &Graph) -> Vec<Rc<[NodeId]>> {
    let none: Rc<[NodeId]> = Rc::from([]);
    let mut behind: Vec<Rc<[NodeId]>> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let mut all = none.clone();
        for operand in node.operands() {
            let more = seen(graph, &behind, operand);
            if all.is_empty() || more.is_empty() || Rc::ptr_eq(&all, &more) {
                all = if all.is_empty() { more } else { all };
            } else {
                all = all.iter().chain(more.iter()).copied().collect::<BTreeSet<_>>().into_iter().collect();
            }
        }
        behind.push(all);
    }
    behind
}

/// What a user of a node waits for.
fn seen(graph: &Graph, behind: &[Rc<[NodeId]>], id: NodeId) -> Rc<[NodeId]> {
    if is_barrier(graph, id) { Rc::from([id]) } else { behind[id.0 as usize].clone() }
}
