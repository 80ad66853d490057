//! The steps of a sweep.

use super::link::{Link, Own};
use crate::block::{BLOCK, BLOCK_OF_ROWS};
use crate::kernel::plan::LoopPlan;
use crate::kernel::real::Real;
use crate::kernel::scan::Scanned;
use crate::kernel::short::{Short, ShortWorker};
use crate::kernel::split::Splits;
use crate::kernel::worker::Worker;
use crate::parallel;
use std::ops::Range;
use tensor_op_core::{Error, ErrorKind, Result};

/// The steps of a sweep.
pub(super) struct Steps<'p, E: Real> {
    /// The passes over all points.
    pub(super) plan: &'p LoopPlan<E>,
    /// How far each operand moves with a step.
    pub(super) apart: Vec<isize>,
    /// Number of steps. At least one.
    pub(super) count: usize,
    /// Whether the last element is the first step.
    pub(super) reverse: bool,
    /// What goes from step to step.
    pub(super) links: Vec<Link<E>>,
    /// How many of the passes are those of a step. The others store values.
    pub(super) passes: usize,
    /// The pass that stores values at each step.
    pub(super) each: Option<usize>,
    /// The pass that stores values of the last step.
    pub(super) last: Option<usize>,
}

/// Whether each row fits into a block, and there are enough of them for all threads. One row may have any
/// length if no pass folds it: tasks take parts of it.
pub(super) fn fits<E>(plan: &LoopPlan<E>) -> bool {
    if plan.outer.rank() == 0 {
        return plan.statistics == 0 && !plan.passes.iter().any(|pass| pass.per_row);
    }
    plan.inner.len() <= BLOCK && plan.outer.len() >= parallel::ENOUGH_TASKS
}

impl<E: Real + Scanned> Steps<'_, E> {
    /// Runs all steps. The plan [`fits`].
    pub(super) fn run(&self) -> Result<()> {
        if self.plan.outer.rank() > 0 { self.in_rows() } else { self.in_parts() }
    }

    /// Each task has some rows, which it computes at once.
    fn in_rows(&self) -> Result<()> {
        let splits = Splits::new(self.plan)?;
        let splits = splits.ok_or_else(|| Error::new(ErrorKind::Backend, "a sweep runs programs"))?;
        let (short, len, rows) =
            (Short::new(self.plan, &splits), self.plan.inner.len(), self.plan.outer.len());
        let per_task =
            rows.div_ceil(parallel::ENOUGH_TASKS).max(BLOCK.div_ceil(len)).min(BLOCK_OF_ROWS / len);
        parallel::try_for_each(rows.div_ceil(per_task), rows * len * self.count, |task| {
            let range = parallel::piece(task, per_task, rows);
            let points = range.start * len..range.end * len;
            self.each_step(&mut Rows { worker: ShortWorker::new(&short)?, range }, &points);
            Ok(())
        })
    }

    /// Each task has a part of the points, which are one row that no pass folds.
    fn in_parts(&self) -> Result<()> {
        let len = self.plan.inner.len();
        parallel::try_for_each(len.div_ceil(BLOCK), len * self.count, |task| {
            let range = parallel::piece(task, BLOCK, len);
            self.each_step(&mut Part { worker: Worker::of_parts(self.plan), range: range.clone() }, &range);
            Ok(())
        })
    }

    /// All steps of some points.
    fn each_step(&self, task: &mut impl Task, points: &Range<usize>) {
        let steps_before = if self.reverse { self.count as isize - 1 } else { 0 };
        let direction = if self.reverse { -1 } else { 1 };
        let mut offsets: Vec<isize> = self.apart.iter().map(|apart| steps_before * apart).collect();
        let mut links: Vec<Own<'_, E>> = self.links.iter().map(|link| link.at(points, self.count)).collect();
        for step in 0..self.count {
            task.move_to(&offsets);
            for pass in 0..self.passes {
                task.pass(pass);
                links.iter_mut().for_each(|link| link.next_after(pass));
            }
            if let Some(pass) = self.each {
                task.pass(pass);
            }
            if let Some(pass) = self.last.filter(|_| step + 1 == self.count) {
                task.pass(pass);
            }
            links.iter_mut().for_each(Own::keep);
            offsets.iter_mut().zip(&self.apart).for_each(|(offset, apart)| *offset += direction * apart);
        }
    }
}

/// The points of a task, and what runs passes over them.
trait Task {
    /// Moves to a step, at which operands have these offsets.
    fn move_to(&mut self, offsets: &[isize]);
    /// Runs a pass.
    fn pass(&mut self, index: usize);
}

/// Rows that are computed at once.
struct Rows<'s, E: Real> {
    worker: ShortWorker<'s, E>,
    range: Range<usize>,
}

impl<E: Real> Task for Rows<'_, E> {
    fn move_to(&mut self, offsets: &[isize]) {
        self.worker.move_to(offsets);
    }
    fn pass(&mut self, index: usize) {
        self.worker.pass(index, &self.range, None);
    }
}

/// A part of one row.
struct Part<'p, E: Real> {
    worker: Worker<'p, E>,
    range: Range<usize>,
}

impl<E: Real> Task for Part<'_, E> {
    fn move_to(&mut self, offsets: &[isize]) {
        self.worker.move_to(offsets);
    }
    fn pass(&mut self, index: usize) {
        self.worker.begin(index);
        self.worker.part(index, self.range.clone(), None);
    }
}
