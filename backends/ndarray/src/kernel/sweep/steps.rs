//! The steps of a sweep.

use crate::block::{BLOCK, BLOCK_OF_ROWS};
use crate::kernel::plan::LoopPlan;
use crate::kernel::real::Real;
use crate::kernel::scan::{LONG, Scanned, States, states};
use crate::kernel::short::{Short, ShortWorker};
use crate::kernel::split::Splits;
use crate::kernel::worker::Worker;
use crate::parallel::{self, Shared};
use std::ops::Range;
use tensor_op_core::{Element, Error, ErrorKind, Result};
use tensor_op_spec::schedule::Carry;

/// With so many tasks all threads are busy. The number is fixed, so that cuts depend on shapes alone.
const ENOUGH_TASKS: usize = 16;
/// Tasks of fewer points pay more for calls than they gain from threads.
const SMALLEST_TASK: usize = 1024;

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

/// A value that goes from step to step, at all points.
pub(super) struct Link<E> {
    pub(super) how: Carry,
    /// Where it is.
    pub(super) value: Shared<E>,
    /// What it takes: the factor and the summand of a recurrence, else twice the same.
    pub(super) operands: [Shared<E>; 2],
    /// The pass after which that is there.
    pub(super) after: usize,
    /// Whether it is a sum over the steps, which is as exact as other sums.
    pub(super) is_sum: bool,
}

impl<E: Real + Scanned> Steps<'_, E> {
    pub(super) fn run(&self) -> Result<()> {
        let (rows, len) = (self.plan.outer.len(), self.plan.inner.len());
        let has_rows = self.plan.statistics > 0 || self.plan.passes.iter().any(|pass| pass.per_row);
        if len <= BLOCK_OF_ROWS && rows > 1 { self.in_short_rows() } else { self.in_parts(has_rows) }
    }

    /// How many of some units of so many points a task takes.
    fn per_task(units: usize, points: usize) -> usize {
        units.div_ceil(ENOUGH_TASKS).max(SMALLEST_TASK.div_ceil(points))
    }

    /// Each task has some rows.
    fn in_short_rows(&self) -> Result<()> {
        let splits = Splits::new(self.plan)?;
        let splits = splits.ok_or_else(|| Error::new(ErrorKind::Backend, "a sweep runs programs"))?;
        let (short, len) = (Short::new(self.plan, &splits), self.plan.inner.len());
        let rows = self.plan.outer.len();
        let per_task = Self::per_task(rows, len).min((BLOCK_OF_ROWS / len).max(1));
        parallel::try_for_each(rows.div_ceil(per_task), rows * len * self.count, |task| {
            let range = parallel::piece(task, per_task, rows);
            let points = range.start * len..range.end * len;
            self.each_step(&mut Rows { worker: ShortWorker::new(&short)?, range }, points, &self.start());
            Ok(())
        })
    }

    /// Each task has a part of a row, or all of it.
    fn in_parts(&self, has_rows: bool) -> Result<()> {
        let (rows, len) = (self.plan.outer.len(), self.plan.inner.len());
        let per_task = if has_rows { len } else { Self::per_task(len, 1).min(BLOCK) };
        let parts = len.div_ceil(per_task);
        parallel::try_for_each(rows * parts, rows * len * self.count, |task| {
            let (row, range) = (task / parts, parallel::piece(task % parts, per_task, len));
            let points = row * len + range.start..row * len + range.end;
            let mut start = self.start();
            let offsets = (0..start.len()).map(|operand| self.plan.outer.offset(operand, row));
            start.iter_mut().zip(offsets).for_each(|(start, offset)| *start += offset);
            self.each_step(&mut Part { worker: Worker::of_parts(self.plan), range }, points, &start);
            Ok(())
        })
    }

    /// The offset of each operand at the first step.
    fn start(&self) -> Vec<isize> {
        let steps = if self.reverse { self.count as isize - 1 } else { 0 };
        self.apart.iter().map(|apart| steps * apart).collect()
    }

    /// All steps of some points, whose operands start at these offsets.
    fn each_step(&self, own: &mut impl Points, points: Range<usize>, start: &[isize]) {
        let mut offsets = start.to_vec();
        let direction = if self.reverse { -1 } else { 1 };
        let mut links: Vec<Own<'_, E>> = self.links.iter().map(|link| link.at(&points, self.count)).collect();
        for step in 0..self.count {
            own.move_to(&offsets);
            for pass in 0..self.passes {
                own.pass(pass);
                links.iter_mut().filter(|link| link.link.after == pass).for_each(Own::next);
            }
            self.each.iter().for_each(|pass| own.pass(*pass));
            if step + 1 == self.count {
                self.last.iter().for_each(|pass| own.pass(*pass));
            }
            links.iter_mut().for_each(Own::keep);
            offsets.iter_mut().zip(&self.apart).for_each(|(offset, apart)| *offset += direction * apart);
        }
    }
}

/// Some points, and what runs passes over them.
trait Points {
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

impl<E: Real> Points for Rows<'_, E> {
    fn move_to(&mut self, offsets: &[isize]) {
        self.worker.move_to(offsets);
    }
    fn pass(&mut self, index: usize) {
        self.worker.pass(index, &self.range, None);
    }
}

/// A part of a row.
struct Part<'p, E: Real> {
    worker: Worker<'p, E>,
    range: Range<usize>,
}

impl<E: Real> Points for Part<'_, E> {
    fn move_to(&mut self, offsets: &[isize]) {
        self.worker.move_to(offsets);
    }
    fn pass(&mut self, index: usize) {
        self.worker.pass(index, self.range.clone(), None);
    }
}

impl<E: Real + Scanned> Link<E> {
    /// The values of some points, before the first of so many steps.
    fn at(&self, points: &Range<usize>, steps: usize) -> Own<'_, E> {
        let mut own = Own { link: self, points: points.clone(), states: None };
        match self.how {
            Carry::Scan(scan) => own.states = Some(states(scan, self.is_sum || steps >= LONG)),
            Carry::Delay(outside) => own.value().fill(E::from_scalar(outside)),
        }
        own
    }
}

/// The values of some points, which go from step to step.
struct Own<'l, E> {
    link: &'l Link<E>,
    points: Range<usize>,
    /// The states of a scan.
    states: Option<Box<dyn States<E>>>,
}

impl<'l, E: Element> Own<'l, E> {
    fn value(&mut self) -> &'l mut [E] {
        let start = self.link.value.at(self.points.start as isize);
        // SAFETY: the memory has a value for each point. These points are those of one task, which calls no
        // body while it holds the slice, and holds one slice of a value.
        unsafe { std::slice::from_raw_parts_mut(start, self.points.len()) }
    }

    fn operand(&self, index: usize) -> &'l [E] {
        let start = self.link.operands[index].at(self.points.start as isize);
        // SAFETY: as above. Operands are other memory than values, and were written by a pass of this step.
        unsafe { std::slice::from_raw_parts(start, self.points.len()) }
    }

    /// The next state, if it is one.
    fn next(&mut self) {
        let (out, a, b) = (self.value(), self.operand(0), self.operand(1));
        self.states.iter_mut().for_each(|states| states.step(out, a, b));
    }

    /// Keeps what a pass has given for the next step, if it is that.
    fn keep(&mut self) {
        if self.states.is_none() {
            self.value().copy_from_slice(self.operand(1));
        }
    }
}
