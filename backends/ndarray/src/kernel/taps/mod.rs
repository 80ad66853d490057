//! Folds over few rows, such as those of the windows of a pool or of a convolution of single channels, and of
//! their gradients: each result is computed at once, in registers. [`columns`](super::columns) goes over all
//! results once for each row.
//!
//! A window that has elements only at multiples of a number has several phases along a run: columns in which
//! the same rows have elements. Each phase is folded alone.

mod along;
mod operands;
mod pattern;
mod source;

pub(super) use self::along::SumsAlong;

use self::operands::Operands;
use self::pattern::{Folded, folded};
use self::source::{Row, address, along};
use super::plan::{Dest, LoopPlan};
use super::real::Real;
use crate::block::taps::{Rows, chosen, equals, largest, products, scaled, smallest, sums};
use crate::nest::Nest;
use crate::parallel;
use std::ops::Range;

/// More rows are read one after the other.
const MOST_ROWS: usize = 1 << 14;
/// If nothing is a window, rows are as many streams of memory, of which processors follow few.
const MOST_STREAMS: usize = 16;
/// The buffers of a task have about so many elements, but room for at least 64 columns of all rows.
const BUFFERED: usize = 1 << 13;
/// The fewest and the most columns that are folded at once, where there are as many.
const COLUMNS: [usize; 2] = [1 << 6, 1 << 12];
/// Runs of fewer columns cost more than they hold: of windows, and of rows that lie in memory as they are.
const SHORTEST: [usize; 2] = [4, 16];
/// Elements of all rows per task.
const TASK: usize = 1 << 16;
/// With more tasks, buffers for many rows would be made too often.
const TASKS: usize = 64;

#[cfg(test)]
thread_local! {
    /// How many folds of each kind this thread has run.
    pub(crate) static RUNS: std::cell::Cell<[usize; 3]> = const { std::cell::Cell::new([0; 3]) };
}

/// What tests count.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ran {
    /// A fold of columns.
    Columns,
    /// One that leaves out what is outside.
    Guarded,
    /// Sums along rows.
    Along,
}

#[cfg(test)]
fn counted(kind: Ran) {
    let mut runs = RUNS.get();
    runs[kind as usize] += 1;
    RUNS.set(runs);
}

/// A fold that fits.
pub(super) struct Taps<'p, E> {
    plan: &'p LoopPlan<E>,
    operands: Operands<'p, E>,
    out: usize,
    /// Runs of columns, and the columns of one.
    runs: Nest,
    len: usize,
    /// Columns of a phase that are folded at once.
    piece: usize,
}

impl<'p, E: Real> Taps<'p, E> {
    /// `None` if the loop folds in another way.
    pub(super) fn of(plan: &'p LoopPlan<E>) -> Option<Taps<'p, E>> {
        let ([pass], [column]) = (&plan.passes[..], &plan.columns[..]) else { return None };
        let [Dest::Column(_)] = pass.results.floats[..] else { return None };
        if pass.dests().count() != 1 || pass.per_row || plan.operands[column.operand].in_place {
            return None;
        }
        let operands = Operands::of(plan, folded(pass, column.fold)?)?;
        let rows = plan.outer.len();
        let is_window = operands.are_windows();
        let most = if is_window { MOST_ROWS } else { MOST_STREAMS / operands.count() };
        if !(1..=most).contains(&rows) || plan.inner.rank() == 0 {
            return None;
        }
        let (runs, len, _) = plan.inner.split_inner();
        let [of_windows, of_rows] = SHORTEST;
        let shortest = if is_window { of_windows } else { of_rows };
        if len < shortest * operands.period && (runs.len() > 1 || operands.period > 1) {
            return None;
        }
        let [fewest, most] = COLUMNS;
        let piece = (BUFFERED / (rows * operands.count())).clamp(fewest, most).min(len);
        Some(Taps { plan, operands, out: column.operand, runs, len, piece })
    }

    /// Computes and writes all results.
    pub(super) fn run(&self) {
        #[cfg(test)]
        counted(if self.operands.is_guarded() { Ran::Guarded } else { Ran::Columns });
        match self.operands.fold {
            Folded::Sums => self.each(sums),
            Folded::Products => self.each(products),
            Folded::Scaled => self.each(scaled),
            Folded::Equals => self.each(equals),
            Folded::Chosen => self.each(chosen),
            Folded::Largest => self.each(largest),
            Folded::Smallest => self.each(smallest),
        }
    }

    fn each<const OPERANDS: usize>(&self, fold: fn(Rows<'_, E, OPERANDS>, &mut [E])) {
        let count = self.plan.outer.len();
        let rows: Vec<Vec<Row>> = self.operands.rows(0..count);
        let pieces = self.columns(0).div_ceil(self.piece.max(1));
        let all = self.runs.len() * pieces;
        let per_task = (TASK / (count * self.piece).max(1)).max(all.div_ceil(TASKS)).max(1);
        parallel::for_each(all.div_ceil(per_task), self.plan.inner.len() * count, |task| {
            let mut taken = self.operands.take(&rows, self.piece);
            let mut results = vec![E::default(); if self.is_direct() { 0 } else { self.piece }];
            let parts = parallel::piece(task, per_task, all);
            let mut run = self.runs.walk(parts.start / pieces);
            for part in parts {
                for phase in 0..self.operands.period {
                    let columns = parallel::piece(part % pieces, self.piece, self.columns(phase));
                    taken.read(&run.offsets, phase, &columns);
                    self.write(run.offsets[self.out], phase, columns, taken.folded(), &mut results, fold);
                }
                if (part + 1) % pieces == 0 {
                    run.next();
                }
            }
        });
    }

    /// The number of columns of a phase.
    fn columns(&self, phase: usize) -> usize {
        self.len.saturating_sub(phase).div_ceil(self.operands.period)
    }

    /// The distance of neighbouring results of a phase.
    fn step(&self) -> isize {
        along(self.plan, self.out) * self.operands.period as isize
    }

    /// Whether results are written where they belong at once.
    fn is_direct(&self) -> bool {
        self.plan.operands[self.out].dtype == E::NATIVE && self.step() == 1
    }

    /// Folds rows, and writes the results of these columns.
    fn write<const OPERANDS: usize>(
        &self,
        run: isize,
        phase: usize,
        columns: Range<usize>,
        rows: Rows<'_, E, OPERANDS>,
        results: &mut [E],
        fold: fn(Rows<'_, E, OPERANDS>, &mut [E]),
    ) {
        let first = along(self.plan, self.out) * phase as isize + self.step() * columns.start as isize;
        let to = address(self.plan, self.out, run + first);
        if self.is_direct() {
            // SAFETY: plans hold offsets of elements inside their operands' memory. The points of a result
            // are distinct, only this task writes these, and a fold over rows takes over no operand's memory.
            return fold(rows, unsafe { std::slice::from_raw_parts_mut(to.cast(), columns.len()) });
        }
        let results = &mut results[..columns.len()];
        fold(rows, results);
        // SAFETY: as above.
        unsafe { E::write(self.plan.operands[self.out].dtype, to, self.step(), results) };
    }
}
