//! A sweep as one kernel, for backends that have such a kernel.
//!
//! Such a kernel goes along the axis of its scans, one step after the other. At each step it runs the passes
//! over all columns of all rows, and keeps the states for the next step. So neither what the scans take nor
//! the states are stored, but for the states that other kernels read.

use super::bind::Bound;
use super::executor::{Current, Executor, shape_of};
use super::{BoundLoop, Kernels, Labeled, Write};
use crate::{AxisId, BoundAxis, DType, Result};
use tensor_op_spec::ir::DimSet;
use tensor_op_spec::prim::Scan;
use tensor_op_spec::schedule::{BufferId, Carry, Source, StepSum, Sweep, Swept};

/// A kernel that goes along an axis step by step.
#[derive(Debug)]
pub struct BoundSweep<'s, T> {
    /// The passes of a step. `along` is one of the outer axes. What the passes read of the states, and what
    /// they write for the scans, has no axes: no memory holds it.
    pub nest: BoundLoop<'s, T>,
    /// The axis of the steps.
    pub along: BoundAxis,
    /// Whether the last element is the first step.
    pub reverse: bool,
    /// What goes from step to step.
    pub carried: Vec<Carried>,
}

/// A float that goes from step to step, at each point.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// How.
    pub how: Carry,
    /// The writes of a pass that give what it takes.
    pub operands: Vec<usize>,
    /// The read of passes that is the value, if they read it.
    pub value: Option<usize>,
    /// The write that stores it: at each step, or without the axis of the steps only at the last one. No pass
    /// writes it.
    pub out: Option<usize>,
}

/// What a backend needs to know about a sweep, to say whether it should be one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepSize {
    /// Number of states that are kept at the same time.
    pub points: usize,
    /// Number of steps.
    pub steps: usize,
    /// Whether neighbours in memory are steps, and not points.
    pub is_along_memory: bool,
}

impl<'a, K: Kernels> Executor<'a, K> {
    /// Runs a sweep as one kernel, if the backend has one for it. Returns the kernel after the sweep, whose
    /// first one is `first`.
    pub(super) fn run_sweep(&mut self, sweep: &'a Sweep, first: Current) -> Result<Option<Current>> {
        let kernels = &self.schedule.kernels[sweep.kernels.clone()];
        let is_needed = kernels.iter().any(|kernel| kernel.is_needed(&self.needed));
        if !is_needed
            || !self.kernels.sweeps(&self.sweep_size(sweep)?)
            || !sweep.sources().all(|source| self.is_there(source))
        {
            return Ok(None);
        }
        let needed = self.needed.clone();
        self.need_operands(sweep);
        let (mut bound, ids) = self.bind_sweep(sweep, first)?;
        let is_done = self.kernels.run_sweep(&mut bound)?;
        self.needed = needed;
        for value in &sweep.carried {
            self.buffers[value.out.0 as usize] = None;
        }
        if !is_done {
            return Ok(None);
        }
        for (write, id) in bound.nest.writes.into_iter().zip(ids) {
            if !sweep.local.contains(&id) {
                self.keep_swept(sweep, id, write.value)?;
            }
        }
        self.free(sweep.kernels.end - 1);
        Ok(Some(kernels.iter().fold(first, Current::after)))
    }

    fn sweep_size(&self, sweep: &Sweep) -> Result<SweepSize> {
        let steps = self.binding.size(sweep.dim);
        let points = self.binding.len(sweep.nest.outer.union(sweep.nest.inner))? / steps.max(1);
        let mut axes = sweep.carried.iter().map(|value| self.buffer_form(value.out).0);
        let is_along_memory = axes.any(|axes| {
            axes.iter().rfind(|bound| bound.size != 1).is_some_and(|bound| bound.axis.dim == sweep.dim)
        });
        Ok(SweepSize { points, steps, is_along_memory })
    }

    /// The results that the kernel itself takes are needed as those of other kernels are.
    fn need_operands(&mut self, sweep: &Sweep) {
        let of_carried = sweep.carried.iter().map(|value| (value.out, &value.operands[..]));
        let of_sums = sweep.sums.iter().map(|sum| (sum.out, std::slice::from_ref(&sum.operand)));
        for (out, operands) in of_carried.chain(of_sums) {
            let is_needed = self.needed[out.0 as usize];
            operands.iter().for_each(|id| self.needed[id.0 as usize] |= is_needed);
        }
    }

    /// The operands of a sweep, and the buffers of its writes.
    fn bind_sweep(
        &mut self,
        sweep: &'a Sweep,
        first: Current,
    ) -> Result<(BoundSweep<'a, K::Tensor>, Vec<BufferId>)> {
        for value in &sweep.carried {
            let dtype = self.dtypes.compute(self.schedule.buffer(value.out).kind);
            let tensor = self.kernels.empty(&Default::default(), dtype)?;
            self.buffers[value.out.0 as usize] = Some(Labeled { tensor, axes: Vec::new() });
        }
        let Bound { mut nest, mut ids, sources } =
            self.bind_inside(&sweep.nest, first, Some(&sweep.local))?;
        let results = ids.clone();
        let write = |id: &BufferId| results.iter().position(|own| own == id);
        let mut store = |id: BufferId, axes: Vec<BoundAxis>, dtype: DType| -> Result<usize> {
            let tensor = self.kernels.empty(&shape_of(&axes), dtype)?;
            nest.writes.push(Write { value: Labeled { tensor, axes }, over: None });
            ids.push(id);
            Ok(nest.writes.len() - 1)
        };
        let mut carried = Vec::new();
        for Swept { how, operands, out: id } in sweep.carried.iter().filter(|own| self.is_needed(own.out)) {
            let source = Source::Buffer(*id);
            let is_stored = self.is_result(*id) || self.is_read_from(sweep.kernels.end, source);
            let (axes, dtype) = self.buffer_form(*id);
            let out = if is_stored { Some(store(*id, axes, dtype)?) } else { None };
            let value = sources.iter().position(|own| *own == source);
            carried.push(Carried {
                how: *how,
                operands: operands.iter().filter_map(write).collect(),
                value,
                out,
            });
        }
        for StepSum { operand, out: id } in sweep.sums.iter().filter(|own| self.is_needed(own.out)) {
            let dtype = self.dtypes.compute(self.schedule.buffer(*id).kind);
            let out = Some(store(*id, self.axes_of_sum(sweep, *id), dtype)?);
            let (how, operands) = (Carry::Scan(Scan::Sum), write(operand).into_iter().collect());
            carried.push(Carried { how, operands, value: None, out });
        }
        let axis = AxisId { dim: sweep.dim, part: 0 };
        let along = BoundAxis { axis, size: self.binding.size(sweep.dim) };
        Ok((BoundSweep { nest, along, reverse: sweep.reverse, carried }, ids))
    }

    /// The axes of a sum over the steps: first those that are summed afterwards.
    fn axes_of_sum(&self, sweep: &Sweep, id: BufferId) -> Vec<BoundAxis> {
        let points = sweep.nest.outer.union(sweep.nest.inner).difference(DimSet::one(sweep.dim));
        let summed = points.difference(self.schedule.buffer(id).dims);
        [self.binding.axes(summed), self.buffer_form(id).0].concat()
    }

    /// Keeps what a sweep has written. What it has summed over the steps is summed over the other dims, too.
    fn keep_swept(&mut self, sweep: &Sweep, id: BufferId, value: Labeled<K::Tensor>) -> Result<()> {
        if !sweep.sums.iter().any(|sum| sum.out == id) {
            self.buffers[id.0 as usize] = Some(value);
            return Ok(());
        }
        let (axes, dtype) = self.buffer_form(id);
        let summed: Vec<usize> = (0..value.axes.len() - axes.len()).collect();
        let tensor = if summed.is_empty() { value.tensor } else { K::sum(value.tensor, &summed)? };
        self.buffers[id.0 as usize] = Some(Labeled { tensor: K::cast(tensor, dtype)?, axes });
        Ok(())
    }
}
