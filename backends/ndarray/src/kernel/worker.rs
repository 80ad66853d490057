//! One thread's part of a loop: calls bodies block by block, with operands as slices.
//!
//! A contiguous operand of the type that bodies compute with is passed where it lies. Anything else (strided, broadcast, halves,
//! small ints, indices) is read into a buffer that stays in the first-level cache, and results go the same way back.

use super::fold::{Accumulator, Columns, Single};
use super::plan::{Dest, LoopPlan, PassPlan, RowUniform, UniformSource};
use super::side::{Cursor, Side};
use super::stream::{Lanes, Real};
use crate::block::{BLOCK, BlockArgs, ByKind};
use std::ops::Range;
use tensor_op_spec::ir::Kind;

/// Rows up to this length are read into a buffer once and kept for all passes.
const KEPT_ROW: usize = 8 * BLOCK;
/// Blocks of rows whose innermost axis is shorter than this go across its ends.
const SHORT_RUN: usize = 256;

/// The buffers of one thread.
pub(crate) struct Worker<'p, E: Real> {
    plan: &'p LoopPlan<'p, E>,
    floats: Side<E>,
    ints: Side<i64>,
    bools: Side<bool>,
    /// Uniforms of each pass.
    uniforms: Vec<ByKind<Vec<E>, Vec<i64>, Vec<bool>>>,
    /// Folds of this row that are done.
    statistics: Vec<Single<E>>,
    /// Folds of this pass, by statistic.
    accumulators: Vec<Option<Accumulator<E>>>,
    /// Elements up to the end of a run of the innermost axis, at which blocks stop; `usize::MAX` to go across.
    run: usize,
}

/// Accumulators of columns, and which columns a block holds.
pub(crate) struct ColumnTarget<'c, E: Real> {
    /// One per fold.
    pub(crate) columns: &'c mut [Columns<E>],
    /// The column of the first accumulator.
    pub(crate) first: usize,
    /// If a block holds whole rows, one after the other: their length.
    pub(crate) row_len: Option<usize>,
}

impl<'p, E: Real> Worker<'p, E> {
    /// For rows, or for parts of one row (which are not kept between passes).
    pub(crate) fn new(plan: &'p LoopPlan<'p, E>, whole_rows: bool) -> Worker<'p, E> {
        let len = plan.inner.len();
        let keep = whole_rows && len <= KEPT_ROW;
        let last = plan.inner.rank().checked_sub(1).map_or(1, |axis| plan.inner.size(axis));
        let run = if plan.inner.rank() <= 1 || last >= SHORT_RUN { last } else { usize::MAX };
        Worker {
            plan,
            floats: Side::new(plan, len, keep, |pass| (&pass.elements.floats, &pass.results.floats)),
            ints: Side::new(plan, len, keep, |pass| (&pass.elements.ints, &pass.results.ints)),
            bools: Side::new(plan, len, keep, |pass| (&pass.elements.bools, &pass.results.bools)),
            uniforms: plan.passes.iter().map(|pass| pass.uniforms.clone()).collect(),
            statistics: plan.empty_statistics(),
            accumulators: vec![None; plan.statistics],
            run,
        }
    }

    /// Runs all passes over one row, whose operands start at these offsets.
    pub(crate) fn row(&mut self, offsets: &[isize], mut columns: Option<ColumnTarget<'_, E>>) {
        let len = self.plan.inner.len();
        for index in 0..self.plan.passes.len() {
            self.begin(index, offsets);
            if self.plan.passes[index].per_row {
                self.per_row(index, offsets);
            } else {
                self.part(index, offsets, 0..len, columns.as_mut());
                self.end(index);
            }
        }
    }

    /// Sets the uniforms of a pass and starts its folds.
    pub(crate) fn begin(&mut self, index: usize, offsets: &[isize]) {
        let pass = &self.plan.passes[index];
        for uniform in &pass.row_uniforms {
            self.set_uniform(index, *uniform, offsets);
        }
        self.each_fold(index, |accumulators, statistic, start| accumulators[statistic] = Some(start));
    }

    /// Makes statistics of the folds of a pass.
    pub(crate) fn end(&mut self, index: usize) {
        let statistics = std::mem::take(&mut self.statistics);
        let mut statistics = statistics;
        self.each_fold(index, |accumulators, statistic, start| {
            statistics[statistic] = accumulators[statistic].take().unwrap_or(start).finish();
        });
        self.statistics = statistics;
    }

    /// The folds of a pass over what this worker has seen.
    pub(crate) fn take_accumulators(&mut self) -> Vec<Option<Accumulator<E>>> {
        std::mem::replace(&mut self.accumulators, vec![None; self.plan.statistics])
    }

    /// Statistics of the row, from elsewhere.
    pub(crate) fn set_statistics(&mut self, statistics: &[Single<E>]) {
        self.statistics.copy_from_slice(statistics);
    }

    fn each_fold(
        &mut self,
        index: usize,
        mut visit: impl FnMut(&mut Vec<Option<Accumulator<E>>>, usize, Accumulator<E>),
    ) {
        let results = &self.plan.passes[index].results;
        for dest in &results.floats {
            if let Dest::Fold { fold, statistic } = *dest {
                visit(&mut self.accumulators, statistic, Accumulator::floats(fold));
            }
        }
        for dest in &results.ints {
            if let Dest::Fold { fold, statistic } = *dest {
                visit(&mut self.accumulators, statistic, Accumulator::ints(fold));
            }
        }
        for dest in &results.bools {
            if let Dest::Fold { fold, statistic } = *dest {
                visit(&mut self.accumulators, statistic, Accumulator::bools(fold));
            }
        }
    }

    fn set_uniform(&mut self, pass: usize, uniform: RowUniform, offsets: &[isize]) {
        let values = &mut self.uniforms[pass];
        let slot = uniform.slot;
        match uniform.source {
            UniformSource::Operand(operand) => {
                let (plan, offset) = (self.plan, offsets[operand]);
                match uniform.kind {
                    Kind::Float => values.floats[slot] = plan.operands[operand].read(offset),
                    Kind::Int => values.ints[slot] = plan.operands[operand].read(offset),
                    Kind::Bool => values.bools[slot] = plan.operands[operand].read(offset),
                }
            }
            UniformSource::Statistic(statistic) => match self.statistics[statistic] {
                Single::Float(value) => values.floats[slot] = value,
                Single::Int(value) => values.ints[slot] = value,
                Single::Bool(value) => values.bools[slot] = value,
            },
        }
    }

    /// Runs a pass over part of a row.
    pub(crate) fn part(
        &mut self,
        index: usize,
        offsets: &[isize],
        range: Range<usize>,
        mut columns: Option<&mut ColumnTarget<'_, E>>,
    ) {
        let mut start = range.start;
        let mut cursor = Cursor::new(self.plan, offsets);
        while start < range.end {
            let to_end_of_run = if self.run == usize::MAX { BLOCK } else { self.run - start % self.run };
            let len = (range.end - start).min(BLOCK).min(to_end_of_run);
            cursor.move_to(start, len);
            self.block(index, &cursor, columns.as_deref_mut());
            start += len;
        }
    }

    /// Runs a pass over one block across the ends of runs, which holds whole rows.
    pub(crate) fn one_block(
        &mut self,
        index: usize,
        offsets: &[isize],
        range: Range<usize>,
        target: &mut ColumnTarget<'_, E>,
    ) {
        let mut cursor = Cursor::new(self.plan, offsets);
        cursor.move_to(range.start, range.len());
        self.block(index, &cursor, Some(target));
    }

    /// Runs a pass over one block.
    fn block(&mut self, index: usize, cursor: &Cursor<'_, E>, columns: Option<&mut ColumnTarget<'_, E>>) {
        let pass = &self.plan.passes[index];
        self.floats.prepare(cursor, &pass.elements.floats, &pass.results.floats);
        self.ints.prepare(cursor, &pass.elements.ints, &pass.results.ints);
        self.bools.prepare(cursor, &pass.elements.bools, &pass.results.bools);
        self.call(index, cursor.len);
        self.consume(pass, cursor, columns);
    }

    /// Evaluates a pass that has one value per row, and writes its results.
    pub(crate) fn per_row(&mut self, index: usize, offsets: &[isize]) {
        let pass = &self.plan.passes[index];
        let mut cursor = Cursor::new(self.plan, offsets);
        cursor.move_to(0, 1);
        self.floats.prepare(&cursor, &[], &pass.results.floats);
        self.ints.prepare(&cursor, &[], &pass.results.ints);
        self.bools.prepare(&cursor, &[], &pass.results.bools);
        self.call(index, 1);
        self.floats.store_rows(&cursor, &pass.results.floats);
        self.ints.store_rows(&cursor, &pass.results.ints);
        self.bools.store_rows(&cursor, &pass.results.bools);
    }

    fn call(&mut self, index: usize, len: usize) {
        let uniforms = &self.uniforms[index];
        // SAFETY: `prepare` has just made these slices for this block: elements lie in memory that nobody writes during the
        // call or in buffers of this worker, results in memory of this block's own points or in other such buffers.
        let (floats, ints, bools) =
            unsafe { (self.floats.slices(), self.ints.slices(), self.bools.slices()) };
        let mut args = BlockArgs {
            len,
            uniforms: ByKind {
                floats: &uniforms.floats[..],
                ints: &uniforms.ints[..],
                bools: &uniforms.bools[..],
            },
            elements: ByKind { floats: floats.0, ints: ints.0, bools: bools.0 },
            results: ByKind { floats: floats.1, ints: ints.1, bools: bools.1 },
        };
        self.plan.passes[index].body.run(&mut args);
    }

    /// Does with the results of a block what the plan says.
    fn consume(
        &mut self,
        pass: &PassPlan<'_, E>,
        cursor: &Cursor<'_, E>,
        columns: Option<&mut ColumnTarget<'_, E>>,
    ) {
        self.floats.store_elements(cursor, &pass.results.floats);
        self.ints.store_elements(cursor, &pass.results.ints);
        self.bools.store_elements(cursor, &pass.results.bools);
        let accumulators = &mut self.accumulators;
        self.floats.each_folded(&pass.results.floats, |statistic, values: &[E]| {
            if let Some(Some(accumulator)) = accumulators.get_mut(statistic) {
                accumulator.add_floats(values, cursor.start);
            }
        });
        self.ints.each_folded(&pass.results.ints, |statistic, values: &[i64]| {
            if let Some(Some(accumulator)) = accumulators.get_mut(statistic) {
                accumulator.add_ints(values, cursor.start);
            }
        });
        self.bools.each_folded(&pass.results.bools, |statistic, values: &[bool]| {
            if let Some(Some(accumulator)) = accumulators.get_mut(statistic) {
                accumulator.add_bools(values);
            }
        });
        let Some(target) = columns else { return };
        self.floats.each_column(&pass.results.floats, |column, values: &[E]| {
            target.add(cursor.start, values, |row, at, columns| columns[column].add_floats(row, at));
        });
        self.ints.each_column(&pass.results.ints, |column, values: &[i64]| {
            target.add(cursor.start, values, |row, at, columns| columns[column].add_ints(row, at));
        });
        self.bools.each_column(&pass.results.bools, |column, values: &[bool]| {
            target.add(cursor.start, values, |row, at, columns| columns[column].add_bools(row, at));
        });
    }
}

impl<E: Real> ColumnTarget<'_, E> {
    /// Adds a block that starts at this element, row by row if it holds several.
    fn add<T: Lanes>(&mut self, start: usize, values: &[T], add: impl Fn(&[T], usize, &mut [Columns<E>])) {
        match self.row_len {
            None => add(values, start - self.first, self.columns),
            Some(row_len) => values.chunks(row_len).for_each(|row| add(row, 0, self.columns)),
        }
    }
}
