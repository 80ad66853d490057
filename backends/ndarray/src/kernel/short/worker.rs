//! One thread's part of a loop over short rows.

use super::nests::Short;
use crate::block::ByKind;
use crate::block::fold::Fold as Folds;
use crate::block::rows::{self, Rows};
use crate::kernel::fold::Columns;
use crate::kernel::kept::Kept;
use crate::kernel::plan::Dest;
use crate::kernel::real::Real;
use crate::kernel::split::{SplitPass, SplitWorker};
use crate::kernel::worker::ColumnTarget;
use crate::parallel;
use std::ops::Range;
use tensor_op_core::Result;
use tensor_op_spec::prim::Fold;

/// The buffers of one thread.
pub(crate) struct ShortWorker<'s, E: Real> {
    short: &'s Short<'s, E>,
    split: SplitWorker<'s, E>,
    /// What passes keep of a block.
    kept: Option<Kept<E>>,
}

impl<'s, E: Real> ShortWorker<'s, E> {
    pub(crate) fn new(short: &'s Short<'s, E>) -> Result<ShortWorker<'s, E>> {
        let split = SplitWorker::new(&short.split, short.rows_of_block());
        let kept = Kept::of(&short.split.each, short.per_block * short.rows.span())?;
        Ok(ShortWorker { short, split, kept })
    }

    /// Moves the start of all rows.
    pub(crate) fn move_to(&mut self, offsets: &[isize]) {
        self.split.move_to(offsets);
    }

    /// Runs all passes over these groups of rows.
    pub(crate) fn run(&mut self, groups: Range<usize>, mut columns: Option<&mut [Columns<E>]>) {
        let (per_block, rows) = (self.short.per_block, self.short.rows);
        for block in 0..groups.len().div_ceil(per_block) {
            let block = parallel::piece(block, per_block, groups.len());
            let block = groups.start + block.start..groups.start + block.end;
            self.kept.iter().for_each(|kept| self.split.keep_at(kept.place(block.start * rows.span())));
            for index in 0..self.short.split.passes.len() {
                self.pass(index, &block, columns.as_deref_mut());
            }
        }
    }

    /// Runs a pass over a block of groups of rows.
    pub(crate) fn pass(&mut self, index: usize, block: &Range<usize>, columns: Option<&mut [Columns<E>]>) {
        let (pass, rows) = (&self.short.split.passes[index], self.short.rows);
        self.split.once_per_row(pass, block.start * rows.inner..block.end * rows.inner, rows);
        self.at_elements(pass, block, columns);
    }

    /// Computes the elements of a pass, and folds them.
    fn at_elements(
        &mut self,
        pass: &SplitPass<'_>,
        groups: &Range<usize>,
        columns: Option<&mut [Columns<E>]>,
    ) {
        let Some(index) = pass.each else { return };
        let rows = self.short.rows;
        self.split.elements(pass, index, groups.start * rows.span()..groups.end * rows.span());
        self.fold(index, groups.len() * rows.inner);
        if let Some(columns) = columns {
            self.split.fold_columns(index, &mut ColumnTarget { columns, first: 0, row_len: Some(rows.len) });
        }
    }

    /// Folds the rows of a block, of which there are `count`.
    fn fold(&mut self, index: usize, count: usize) {
        let (rows, room) = (self.short.rows, self.split.room);
        let dests = &self.short.split.each.passes[index].results;
        let (values, ByKind { floats, ints, bools }) = self.split.results();
        for (fold, statistic, values) in folded(&dests.floats, values.floats) {
            let place = statistic * room..statistic * room + count;
            match position(fold) {
                Some(replaces) => rows::best(values, rows, replaces, &mut ints[place]),
                None => numbers(fold, values, rows, &mut floats[place]),
            }
        }
        for (fold, statistic, values) in folded(&dests.ints, values.ints) {
            let out = &mut ints[statistic * room..][..count];
            match position(fold) {
                Some(replaces) => rows::best(values, rows, replaces, out),
                None => numbers(fold, values, rows, out),
            }
        }
        for (fold, statistic, values) in folded(&dests.bools, values.bools) {
            rows::flags(values, rows, fold == Fold::Any, &mut bools[statistic * room..][..count]);
        }
    }
}

/// The results that are folded, with their folds and statistics.
fn folded<'v, T>(dests: &[Dest], values: &[&'v [T]]) -> impl Iterator<Item = (Fold, usize, &'v [T])> {
    dests
        .iter()
        .zip(values)
        .filter_map(|(dest, values)| dest.folded().map(|(fold, statistic)| (fold, statistic, *values)))
}

/// Which element replaces the best one before it, if a fold finds a position.
fn position<T: Folds>(fold: Fold) -> Option<fn(T, T) -> bool> {
    match fold {
        Fold::ArgMax => Some(T::is_above),
        Fold::ArgMin => Some(T::is_below),
        Fold::Sum | Fold::Prod | Fold::Max | Fold::Min | Fold::Any | Fold::All => None,
    }
}

/// Folds rows of numbers to numbers.
fn numbers<T: Folds>(fold: Fold, values: &[T], rows: Rows, out: &mut [T]) {
    match fold {
        Fold::Sum => rows::sum(values, rows, out),
        Fold::Prod => rows::prod(values, rows, out),
        Fold::Max => rows::max(values, rows, out),
        Fold::Min => rows::min(values, rows, out),
        Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => {
            unreachable!("positions and flags are folded by other functions")
        }
    }
}
