//! Scans as kernels whose states stay in registers, or in the cache of a core.
//!
//! A scan alone stores what it takes and what it gives. A sweep goes along the dim of the scan, one step
//! after the other, for all other elements at the same time. At each step it computes what the scan takes,
//! then the next state, then what follows from the state: values at each element, folds over some of the
//! dims, and sums over the steps. So nothing is stored but what other kernels read. The states of a
//! state-space model, which have a dim more than its results, never reach the memory.
//!
//! As in [`Fused`](super::Fused), programs are made from the graph, so that everything between two states is
//! in one pass, whatever kernels the schedule makes of it. The idea is that of the scan of Mamba (Gu and Dao,
//! 2023, arXiv 2312.00752); here what stands around the scan is any formula.

mod levels;
mod search;
#[cfg(test)]
mod tests;

use self::search::Search;
use super::uses::Uses;
use super::{BufferId, Kernel, Loop, Pass, Schedule, Source, Sweeps};
use crate::ir::{DimId, Graph, Scalar};
use crate::prim::Scan;
use std::collections::BTreeSet;
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
    /// What goes from step to step.
    pub carried: Vec<Swept>,
    /// The sums over the steps.
    pub sums: Vec<StepSum>,
    /// What passes write for `carried` and `sums`. It is stored nowhere.
    pub local: Vec<BufferId>,
}

impl Sweep {
    /// What its passes read, but for what goes from step to step.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        let is_carried = |source: &Source| self.carried.iter().any(|own| Source::Buffer(own.out) == *source);
        let read = self.nest.passes.iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        read.copied().filter(move |source| !is_carried(source))
    }

    fn is_wanted(&self, wanted: Sweeps) -> bool {
        let mut targets = self.nest.passes.iter().flat_map(|pass| &pass.targets);
        let has_delay = self.carried.iter().any(|own| matches!(own.how, Carry::Delay(_)));
        let folds = targets.any(|target| target.folded().is_some()) || !self.sums.is_empty();
        let is_last = self.nest.outer.union(self.nest.inner).iter().last() == Some(self.dim);
        match wanted {
            Sweeps::All => true,
            Sweeps::Folding => (folds || has_delay) && !is_last,
        }
    }

    /// What it stores for other kernels, or as a result.
    pub fn stored(&self, schedule: &Schedule) -> impl Iterator<Item = BufferId> {
        let kernels = schedule.kernels.iter().enumerate();
        let others = kernels.filter(|(at, _)| !self.kernels.contains(at)).map(|(_, kernel)| kernel);
        let read: BTreeSet<BufferId> = others.flat_map(Kernel::read_buffers).collect();
        let is_stored = move |id: &BufferId| read.contains(id) || !schedule.buffer(*id).outputs.is_empty();
        let carried = self.carried.iter().map(|own| own.out).filter(is_stored);
        let of_passes = self.nest.passes.iter().flat_map(Pass::written);
        let of_passes = of_passes.filter(|id| !self.local.contains(id));
        of_passes.chain(self.sums.iter().map(|sum| sum.out)).chain(carried)
    }
}

/// A value that goes from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// How.
    pub how: Carry,
    /// What it takes: results of one pass.
    pub operands: Vec<BufferId>,
    /// The value. It is stored if another kernel reads it, or if it is a result.
    pub out: BufferId,
}

/// How a value goes from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carry {
    /// It is a state. Its next step is taken after the pass that gives what it takes.
    Scan(Scan),
    /// It is what a pass has given at the step before. At the first step it is this number.
    Delay(Scalar),
}

/// A sum over the steps, and over other dims afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepSum {
    /// What is summed: a result of a pass.
    pub operand: BufferId,
    /// The sum.
    pub out: BufferId,
}

/// Finds which kernels of a schedule can run as sweeps of the wanted kind, and puts those of each next to
/// each other.
pub(super) fn with_sweeps(graph: &Graph, mut schedule: Schedule, wanted: Sweeps) -> Schedule {
    let uses = Uses::new(&schedule);
    let mut groups: Vec<BTreeSet<usize>> =
        schedule.streams.iter().map(|stream| stream.kernels.clone().collect()).collect();
    let mut buffers = schedule.buffers.clone();
    let (mut sweeps, mut refused) = (Vec::new(), BTreeSet::new());
    for (at, kernel) in schedule.kernels.iter().enumerate() {
        if let Some(scan) = kernel.scan()
            && !refused.contains(&at)
            && !groups.iter().any(|group| group.contains(&at))
            && let Some(search) = Search::around(graph, &uses, &groups, at, scan)
        {
            let before = buffers.len();
            match search.sweep(&mut buffers) {
                Some(sweep) if sweep.is_wanted(wanted) => {
                    groups.push(search.members);
                    sweeps.push(sweep);
                }
                // The scans of a sweep that is not wanted would find it again, each one.
                Some(_) => {
                    buffers.truncate(before);
                    refused.extend(search.members);
                }
                None => buffers.truncate(before),
            }
        }
    }
    if sweeps.is_empty() {
        return schedule;
    }
    let order = uses.order(&groups.iter().collect::<Vec<_>>());
    let order = order.expect("a sweep was taken only if there is one");
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
