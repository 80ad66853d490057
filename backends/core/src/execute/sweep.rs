//! A sweep as one kernel, for backends that have such a kernel.
//!
//! Such a kernel goes along the axis of its scans, one step after the other. At each step it runs the passes
//! over all columns of all rows, and keeps the states for the next step. So neither what the scans take nor
//! the states are stored, but for the states that other kernels read.

use super::bind::Bound;
use super::executor::{Current, Executor, shape_of};
use super::{BoundLoop, BoundPass, Kernels, Labeled, Write};
use crate::{AxisId, BoundAxis, Result, Value};
use tensor_op_spec::prim::Scan;
use tensor_op_spec::schedule::{BufferId, Source, Sweep};

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
    /// The scans. Each takes its next step after the pass that gives what it takes.
    pub states: Vec<State>,
}

/// A scan of floats, of which the kernel keeps the state of each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// How the next state follows.
    pub scan: Scan,
    /// The writes of a pass that give what the scan takes.
    pub operands: Vec<usize>,
    /// The read of later passes that is the state, if they read it.
    pub value: Option<usize>,
    /// The write that stores the states. No pass writes it.
    pub out: Option<usize>,
}

/// What a backend needs to know about a sweep, to say whether it should be one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepSize {
    /// Number of steps.
    pub steps: usize,
    /// Number of states that are kept at the same time.
    pub points: usize,
    /// Whether neighbours in memory are steps, and not points.
    pub is_along_memory: bool,
}

impl<'a, K: Kernels> Executor<'a, K> {
    /// Runs a sweep as one kernel, if the backend has one for it. Returns the kernel after the sweep, whose
    /// first one is `first`.
    pub(super) fn run_sweep(&mut self, sweep: &'a Sweep, first: Current) -> Result<Option<Current>> {
        let is_needed = sweep.scans.iter().any(|scan| self.is_needed(scan.out));
        if !is_needed || !self.kernels.sweeps(&self.sweep_size(sweep)?) || !self.has_all_read(sweep) {
            return Ok(None);
        }
        let needed = self.needed.clone();
        for scan in sweep.scans.iter().filter(|scan| needed[scan.out.0 as usize]) {
            scan.operands.iter().for_each(|id| self.needed[id.0 as usize] = true);
        }
        let (mut bound, ids) = self.bind_sweep(sweep, first)?;
        let is_done = self.kernels.run_sweep(&mut bound)?;
        self.needed = needed;
        for scan in &sweep.scans {
            self.buffers[scan.out.0 as usize] = None;
        }
        if !is_done {
            return Ok(None);
        }
        for (write, id) in bound.nest.writes.into_iter().zip(ids) {
            if !sweep.local.contains(&id) {
                self.buffers[id.0 as usize] = Some(write.value);
            }
        }
        let kernels = &self.schedule.kernels[sweep.kernels.clone()];
        let next = kernels.iter().fold(first, Current::after);
        self.free(sweep.kernels.end - 1);
        Ok(Some(next))
    }

    fn sweep_size(&self, sweep: &Sweep) -> Result<SweepSize> {
        let steps = self.binding.size(sweep.dim);
        let points = self.binding.len(sweep.nest.outer.union(sweep.nest.inner))? / steps.max(1);
        let mut axes = sweep.scans.iter().map(|scan| self.buffer_form(scan.out).0);
        let is_along_memory = axes.any(|axes| {
            axes.iter().rfind(|bound| bound.size != 1).is_some_and(|bound| bound.axis.dim == sweep.dim)
        });
        Ok(SweepSize { steps, points, is_along_memory })
    }

    /// Whether all that the passes read is there. What only unwanted results read is not there.
    fn has_all_read(&self, sweep: &Sweep) -> bool {
        let is_state = |id: BufferId| sweep.scans.iter().any(|scan| scan.out == id);
        let mut sources = sweep.nest.passes.iter().flat_map(|pass| pass.uniforms.iter().chain(&pass.elements));
        sources.all(|source| match *source {
            Source::Buffer(id) => {
                let at = id.0 as usize;
                is_state(id) || self.buffers[at].is_some() || self.unstored[at].is_some()
            }
            Source::Arg(arg) => !matches!(self.args[arg], Value::Shape(_)),
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => true,
        })
    }

    /// The operands of a sweep, and the buffers of its writes.
    fn bind_sweep(
        &mut self,
        sweep: &'a Sweep,
        first: Current,
    ) -> Result<(BoundSweep<'a, K::Tensor>, Vec<BufferId>)> {
        for scan in &sweep.scans {
            let tensor = self.kernels.empty(&Default::default(), self.buffer_dtype(scan.out))?;
            self.buffers[scan.out.0 as usize] = Some(Labeled { tensor, axes: Vec::new() });
        }
        let Bound { mut nest, mut ids, sources } = self.bind_inside(&sweep.nest, first, Some(&sweep.local))?;
        let mut states = Vec::new();
        for scan in sweep.scans.iter().filter(|scan| self.is_needed(scan.out)) {
            let write = |id: &BufferId| ids.iter().position(|own| own == id);
            let operands = scan.operands.iter().filter_map(write).collect();
            let value = sources.iter().position(|own| *own == Source::Buffer(scan.out));
            let out = if self.is_result(scan.out) || self.is_read_from(sweep.kernels.end, Source::Buffer(scan.out)) {
                let (axes, dtype) = self.buffer_form(scan.out);
                let tensor = self.kernels.empty(&shape_of(&axes), dtype)?;
                nest.writes.push(Write { value: Labeled { tensor, axes }, over: None });
                ids.push(scan.out);
                Some(nest.writes.len() - 1)
            } else {
                None
            };
            states.push(State { scan: scan.scan, operands, value, out });
        }
        nest.passes.retain(BoundPass::has_results);
        let axis = AxisId { dim: sweep.dim, part: 0 };
        let along = BoundAxis { axis, size: self.binding.size(sweep.dim) };
        Ok((BoundSweep { nest, along, reverse: sweep.reverse, states }, ids))
    }
}
