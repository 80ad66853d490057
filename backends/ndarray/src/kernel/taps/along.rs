//! Sums along rows of products with windows, such as the gradient of the weights of a convolution of single
//! channels. Each run of a window is read where it is, and a few rows take turns at each run, because most of
//! them read the same memory.

use super::operands::Operands;
use super::pattern::{Folded, folded};
use crate::block::taps::{SUMS, dots};
use crate::kernel::fold::Single;
use crate::kernel::plan::{Dest, LoopPlan};
use crate::kernel::real::Real;
use crate::kernel::worker::Worker;
use crate::nest::Nest;
use crate::parallel;
use std::ops::Range;
use tensor_op_spec::prim::Fold;

/// The fewest and the most rows that take turns, where there are as many: more of them if they are short.
const ROWS: [usize; 2] = [1 << 4, 1 << 10];
/// The fewest columns of a run, and the most that are read at once.
const COLUMNS: [usize; 2] = [8, 1 << 10];
/// After so many columns, sums in vectors of the elements' type are added to wide ones.
const EXACT: usize = 1 << 10;
/// Elements of all rows per task, at least.
const TASK: usize = 1 << 16;
/// Tasks that keep all threads busy.
const TASKS: usize = 64;

/// Sums that fit.
pub(crate) struct SumsAlong<'p, E> {
    plan: &'p LoopPlan<E>,
    operands: Operands<'p, E>,
    /// Runs of columns, and the columns of one.
    runs: Nest,
    len: usize,
    /// Columns that are read at once, and how many such pieces a run has.
    piece: usize,
    pieces: usize,
}

impl<'p, E: Real> SumsAlong<'p, E> {
    /// `None` if the loop does anything else.
    pub(crate) fn of(plan: &'p LoopPlan<E>) -> Option<SumsAlong<'p, E>> {
        let (pass, rest) = plan.passes.split_first()?;
        let [Dest::Fold { fold: Fold::Sum, .. }] = pass.results.floats[..] else { return None };
        let is_alone = plan.columns.is_empty() && plan.statistics == 1 && pass.dests().count() == 1;
        if !is_alone || plan.windows.is_empty() || pass.per_row || !rest.iter().all(|pass| pass.per_row) {
            return None;
        }
        let operands = Operands::of(plan, folded(pass, Fold::Sum)?)?;
        let (runs, len, _) = if plan.inner.rank() == 0 { return None } else { plan.inner.split_inner() };
        let [fewest, most] = COLUMNS;
        let fits = operands.fold == Folded::Products && operands.are_windows() && operands.one_is_beside();
        let piece = len.min(most);
        (fits && len >= fewest).then(|| SumsAlong {
            plan,
            operands,
            runs,
            len,
            piece,
            pieces: len.div_ceil(piece),
        })
    }

    /// Computes and writes all results. Sums are cut by sizes alone.
    pub(crate) fn run(&self) {
        #[cfg(test)]
        super::counted(super::Ran::Along);
        let (rows, parts) = (self.plan.outer.len(), self.runs.len() * self.pieces);
        let [fewest, most] = ROWS;
        let group = (TASK / self.plan.inner.len().max(1)).clamp(fewest, most);
        let groups = rows.div_ceil(group);
        let least = (TASK / (group * self.piece)).max(1);
        let per_chunk = parts.div_ceil(TASKS.div_ceil(groups.max(1))).max(least);
        let chunks = parts.div_ceil(per_chunk).max(1);
        let elements = rows * self.plan.inner.len();
        let sums = parallel::map(groups * chunks, elements, |task| {
            let rows = parallel::piece(task / chunks, group, rows);
            self.sums(rows, parallel::piece(task % chunks, per_chunk, parts))
        });
        parallel::for_each(groups, elements, |index| {
            let sums = sums[index * chunks..][..chunks].iter().cloned();
            let sums = sums.reduce(|a, b| a.iter().zip(b).map(|(a, b)| E::add_wide(*a, b)).collect());
            self.finish(parallel::piece(index, group, rows), &sums.unwrap_or_default());
        });
    }

    /// The sums of some rows over some pieces of runs.
    fn sums(&self, rows: Range<usize>, parts: Range<usize>) -> Vec<E::Wide> {
        let moves = self.operands.rows(rows.clone());
        let mut taken = self.operands.take::<2>(&moves, self.piece);
        let mut sums = vec![E::ZERO; rows.len()];
        let mut narrow = vec![[E::default(); SUMS]; rows.len()];
        let mut run = self.runs.walk(parts.start / self.pieces);
        let mut columns_of_narrow = 0;
        for part in parts {
            let columns = parallel::piece(part % self.pieces, self.piece, self.len);
            taken.read(&run.offsets, 0, &columns);
            dots(taken.folded(), columns.len(), &mut narrow);
            columns_of_narrow += columns.len();
            if columns_of_narrow >= EXACT {
                widen(&mut sums, &mut narrow);
                columns_of_narrow = 0;
            }
            if (part + 1) % self.pieces == 0 {
                run.next();
            }
        }
        widen(&mut sums, &mut narrow);
        sums
    }

    /// Runs the passes that take the sums.
    fn finish(&self, rows: Range<usize>, sums: &[E::Wide]) {
        let mut worker = Worker::of_parts(self.plan);
        let mut walk = self.plan.outer.walk(rows.start);
        for sum in sums {
            worker.move_to(&walk.offsets);
            worker.set_statistics(&[Single::Float(E::narrow(*sum))]);
            for pass in 1..self.plan.passes.len() {
                worker.begin(pass);
                worker.per_row(pass);
            }
            walk.next();
        }
    }
}

/// Adds sums in vectors to wide ones, and starts again.
fn widen<E: Real>(sums: &mut [E::Wide], narrow: &mut [[E; SUMS]]) {
    for (sum, lanes) in sums.iter_mut().zip(narrow) {
        let lanes = std::mem::replace(lanes, [E::default(); SUMS]);
        *sum = lanes.iter().fold(*sum, |sum, lane| E::add_wide(sum, lane.widen()));
    }
}
