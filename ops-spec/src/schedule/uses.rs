//! Who writes and who reads each buffer, and the orders of kernels that this allows.

use super::{BufferId, Schedule};
use std::collections::{BTreeMap, BTreeSet};

/// The uses of the buffers of a schedule.
pub(super) struct Uses<'s> {
    pub(super) schedule: &'s Schedule,
    /// For each buffer, the kernel that fills it.
    writers: Vec<Option<usize>>,
    /// For each buffer, the kernels that read it.
    readers: Vec<Vec<usize>>,
}

impl Uses<'_> {
    pub(super) fn new(schedule: &Schedule) -> Uses<'_> {
        let count = schedule.buffers.len();
        let mut uses = Uses { schedule, writers: vec![None; count], readers: vec![Vec::new(); count] };
        for (at, kernel) in schedule.kernels.iter().enumerate() {
            kernel.written().for_each(|id| uses.writers[id.0 as usize] = Some(at));
            kernel.read_buffers().for_each(|id| uses.readers[id.0 as usize].push(at));
        }
        uses
    }

    pub(super) fn writer(&self, id: BufferId) -> Option<usize> {
        self.writers[id.0 as usize]
    }

    pub(super) fn readers(&self, id: BufferId) -> &[usize] {
        &self.readers[id.0 as usize]
    }

    /// A kernel outside of a group that needs one of the group and is needed by another one.
    pub(super) fn between(&self, group: &BTreeSet<usize>) -> Option<usize> {
        let (first, last) = (*group.first()?, *group.last()?);
        let kernels = &self.schedule.kernels;
        let mut needing = group.clone();
        for (at, kernel) in kernels.iter().enumerate().take(last).skip(first) {
            let mut needed = kernel.read_buffers().filter_map(|id| self.writer(id));
            if needed.any(|needed| needing.contains(&needed)) {
                needing.insert(at);
            }
        }
        let mut needed = group.clone();
        for at in (first..last).rev() {
            let readers = kernels[at].written().flat_map(|id| self.readers(id));
            if readers.copied().any(|reader| needed.contains(&reader)) {
                needed.insert(at);
            }
        }
        needing.intersection(&needed).copied().find(|at| !group.contains(at))
    }

    /// The kernels in an order that respects their data and keeps each group together, as near as possible to
    /// the present order. `None` if there is none: a kernel outside of a group needs one of the group and is
    /// needed by another one.
    pub(super) fn order(&self, groups: &[&BTreeSet<usize>]) -> Option<Vec<usize>> {
        let in_group = |at: usize| groups.iter().find(|group| group.contains(&at));
        let unit = |at: usize| in_group(at).and_then(|group| group.first().copied()).unwrap_or(at);
        // What each unit, a group or a kernel alone, still waits for.
        let mut waits: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (at, kernel) in self.schedule.kernels.iter().enumerate() {
            let needed = kernel.read_buffers().filter_map(|id| self.writer(id)).map(unit);
            waits.entry(unit(at)).or_default().extend(needed.filter(|other| *other != unit(at)));
        }
        let mut order = Vec::with_capacity(self.schedule.kernels.len());
        while !waits.is_empty() {
            let next = *waits.iter().find(|(_, needed)| needed.is_empty())?.0;
            waits.remove(&next);
            for needed in waits.values_mut() {
                needed.remove(&next);
            }
            match in_group(next) {
                Some(group) => order.extend(group.iter().copied()),
                None => order.push(next),
            }
        }
        Some(order)
    }
}
