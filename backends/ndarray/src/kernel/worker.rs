//! One thread's part of a loop: calls bodies block by block, with operands as slices.
//!
//! An operand that is contiguous and of the type that bodies compute with is used in place. Any other operand
//! (strided, broadcast, halves, small ints, indices) is first read into a buffer that stays in the cache.
//! Results are written in the same two ways.

use super::cursor::Cursor;
use super::fold::{Accumulator, Columns, Single};
use super::kept::{Kept, Place};
use super::plan::{Body, Dest, LoopPlan, PassPlan, RowUniform, UniformSource};
use super::real::Real;
use super::side::{Room, Side};
use crate::block::{BLOCK, BlockArgs, ByKind, Elements, Uniforms};
use crate::program::Machine;
use std::ops::Range;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// Rows up to this length are read into a buffer once and kept there for all passes.
const KEPT_ROW: usize = 8 * BLOCK;
/// Elements of a block that is read and written in place. It may be larger, because nothing of it has to stay
/// in the first-level cache.
const DIRECT_BLOCK: usize = 8 * BLOCK;
/// If the innermost axis is shorter than this, blocks go across its ends; up to a block they do if it costs
/// nothing.
const SHORT_RUN: usize = 256;

/// One thread's part of a loop.
pub(crate) struct Worker<'p, E: Real> {
    plan: &'p LoopPlan<E>,
    state: Box<State<E>>,
}

/// The buffers of one thread. A later call of the same loop may use them again.
pub(crate) struct State<E: Real> {
    cursor: Cursor,
    floats: Side<E>,
    ints: Side<i64>,
    bools: Side<bool>,
    /// Uniforms of each pass.
    uniforms: Vec<ByKind<Vec<E>, Vec<i64>, Vec<bool>>>,
    /// Finished folds of this row.
    statistics: Vec<Single<E>>,
    /// Folds of the current pass, by statistic.
    accumulators: Vec<Accumulator<E>>,
    /// The folds of each pass: the index of the statistic, and an accumulator that has seen no elements.
    folds: Vec<Vec<(usize, Accumulator<E>)>>,
    /// The most elements of a block, for each pass.
    blocks: Vec<usize>,
    /// Length of a run of the innermost axis. Blocks stop at the end of a run. `usize::MAX` if they go
    /// across.
    run: usize,
    /// Runs the passes that are programs.
    machine: Machine<E>,
    /// What passes keep of a row, if this worker has whole rows.
    _kept: Option<Kept<E>>,
}

/// Accumulators of columns, and the columns that a block holds.
pub(crate) struct ColumnTarget<'c, E: Real> {
    /// The accumulators of each fold.
    pub(crate) columns: &'c mut [Columns<E>],
    /// The column of the first accumulator.
    pub(crate) first: usize,
    /// The length of a row, if a block holds whole rows, one after the other.
    pub(crate) row_len: Option<usize>,
}

impl<E: Real> State<E> {
    /// Buffers for whole rows, or for parts of one row, in blocks of at most so many elements. Parts of a row
    /// are not kept between passes.
    fn new(plan: &LoopPlan<E>, whole_rows: bool, kept: Option<Kept<E>>, most: usize) -> Box<State<E>> {
        let len = plan.inner.len();
        let mut cursor = Cursor::new(plan.operands.len());
        cursor.kept = kept.as_ref().map_or(Place::NOWHERE, |kept| kept.place(0));
        let keep = whole_rows && len <= KEPT_ROW;
        let last = plan.inner.rank().checked_sub(1).map_or(1, |axis| plan.inner.size(axis));
        let crosses = last < SHORT_RUN || (last < BLOCK && plan.inner.rank() > 1 && plan.crosses_runs());
        let run = if plan.inner.rank() <= 1 || !crosses { last } else { usize::MAX };
        let room = Room { row: keep.then_some(len), block: len.clamp(1, most) };
        let blocks = |pass| if plan.is_direct(pass) { DIRECT_BLOCK } else { most };
        Box::new(State {
            cursor,
            floats: Side::new(plan, room, |pass| (&pass.elements.floats, &pass.results.floats)),
            ints: Side::new(plan, room, |pass| (&pass.elements.ints, &pass.results.ints)),
            bools: Side::new(plan, room, |pass| (&pass.elements.bools, &pass.results.bools)),
            uniforms: plan.passes.iter().map(|pass| pass.uniforms.clone()).collect(),
            statistics: plan.empty_statistics(),
            folds: plan.passes.iter().map(folds).collect(),
            blocks: plan.passes.iter().map(blocks).collect(),
            accumulators: vec![Accumulator::bools(Fold::Any); plan.statistics],
            run,
            machine: Machine::new(plan.passes.iter().map(|pass| pass.body.program()), len),
            _kept: kept,
        })
    }

    /// Forgets the rows that buffers hold, and takes the uniforms of another call of the loop.
    fn renew(&mut self, plan: &LoopPlan<E>) {
        self.floats.forget();
        self.ints.forget();
        self.bools.forget();
        for (own, pass) in self.uniforms.iter_mut().zip(&plan.passes) {
            own.floats.copy_from_slice(&pass.uniforms.floats);
            own.ints.copy_from_slice(&pass.uniforms.ints);
            own.bools.copy_from_slice(&pass.uniforms.bools);
        }
    }
}

impl<'p, E: Real> Worker<'p, E> {
    /// A worker for whole rows.
    pub(crate) fn new(plan: &'p LoopPlan<E>) -> Result<Worker<'p, E>> {
        let kept = Kept::of(plan, plan.inner.len())?;
        Ok(Worker { plan, state: State::new(plan, true, kept, BLOCK) })
    }

    /// A worker for parts of one row. If passes keep something, it must be told where.
    pub(crate) fn of_parts(plan: &'p LoopPlan<E>) -> Worker<'p, E> {
        Worker::of_blocks(plan, BLOCK)
    }

    /// The same, in blocks of at most so many elements.
    pub(crate) fn of_blocks(plan: &'p LoopPlan<E>, block: usize) -> Worker<'p, E> {
        Worker { plan, state: State::new(plan, false, None, block) }
    }

    /// Says where passes keep values.
    pub(crate) fn keep_at(&mut self, place: Place) {
        self.state.cursor.kept = place;
    }

    /// A worker with the buffers of an earlier call of the same loop.
    pub(crate) fn again(plan: &'p LoopPlan<E>, mut state: Box<State<E>>) -> Worker<'p, E> {
        state.renew(plan);
        Worker { plan, state }
    }

    /// The buffers, for a later call.
    pub(crate) fn into_state(self) -> Box<State<E>> {
        self.state
    }

    /// Runs all passes over the row whose operands start at these offsets.
    pub(crate) fn row(&mut self, offsets: &[isize], mut columns: Option<ColumnTarget<'_, E>>) {
        let len = self.plan.inner.len();
        self.move_to(offsets);
        for index in 0..self.plan.passes.len() {
            self.begin(index);
            if self.plan.passes[index].per_row {
                self.per_row(index);
            } else {
                self.part(index, 0..len, columns.as_mut());
                self.end(index);
            }
        }
    }

    /// Runs all passes over part of one row. None of the passes may reduce.
    pub(crate) fn part_of_row(&mut self, offsets: &[isize], range: Range<usize>) {
        self.move_to(offsets);
        for index in 0..self.plan.passes.len() {
            self.begin(index);
            self.part(index, range.clone(), None);
        }
    }

    /// Moves to the row whose operands start at these offsets.
    pub(crate) fn move_to(&mut self, offsets: &[isize]) {
        self.state.cursor.move_to_row(offsets);
    }

    /// Sets the uniforms of a pass and starts its folds.
    pub(crate) fn begin(&mut self, index: usize) {
        let plan = self.plan;
        for uniform in &plan.passes[index].row_uniforms {
            self.set_uniform(index, *uniform);
        }
        for (statistic, start) in &self.state.folds[index] {
            self.state.accumulators[*statistic] = *start;
        }
        if let Body::Program(program) = &plan.passes[index].body {
            self.state.machine.begin(index, program, uniforms(&self.state.uniforms[index]));
        }
    }

    /// Stores the finished folds of a pass as statistics.
    fn end(&mut self, index: usize) {
        for (statistic, _) in &self.state.folds[index] {
            self.state.statistics[*statistic] = self.state.accumulators[*statistic].finish();
        }
    }

    /// The folds of a pass over what this worker has read, each with the index of its statistic.
    pub(crate) fn accumulated(&self, index: usize) -> Vec<(usize, Accumulator<E>)> {
        self.state.folds[index]
            .iter()
            .map(|(statistic, _)| (*statistic, self.state.accumulators[*statistic]))
            .collect()
    }

    /// Sets the statistics of the row, which were computed elsewhere.
    pub(crate) fn set_statistics(&mut self, statistics: &[Single<E>]) {
        self.state.statistics.copy_from_slice(statistics);
    }

    fn set_uniform(&mut self, pass: usize, uniform: RowUniform) {
        let values = &mut self.state.uniforms[pass];
        let slot = uniform.slot;
        match uniform.source {
            UniformSource::Operand(operand) => {
                let (plan, cursor) = (self.plan, &self.state.cursor);
                match uniform.kind {
                    Kind::Float => values.floats[slot] = plan.at_row(cursor, operand),
                    Kind::Int => values.ints[slot] = plan.at_row(cursor, operand),
                    Kind::Bool => values.bools[slot] = plan.at_row(cursor, operand),
                }
            }
            UniformSource::Statistic(statistic) => match self.state.statistics[statistic] {
                Single::Float(value) => values.floats[slot] = value,
                Single::Int(value) => values.ints[slot] = value,
                Single::Bool(value) => values.bools[slot] = value,
            },
        }
    }

    /// Runs a pass over part of the row.
    pub(crate) fn part(
        &mut self,
        index: usize,
        range: Range<usize>,
        mut columns: Option<&mut ColumnTarget<'_, E>>,
    ) {
        let mut start = range.start;
        while start < range.end {
            let to_end_of_run = match self.state.run {
                usize::MAX => BLOCK,
                run if start == 0 => run,
                run => run - start % run,
            };
            let len = (range.end - start).min(self.state.blocks[index]).min(to_end_of_run);
            self.block(index, start..start + len, columns.as_deref_mut());
            start += len;
        }
    }

    /// Runs a pass over one block, which may go across the ends of runs.
    pub(crate) fn block(
        &mut self,
        index: usize,
        range: Range<usize>,
        columns: Option<&mut ColumnTarget<'_, E>>,
    ) {
        self.compute(index, range, &Elements::NONE);
        self.fold(index);
        self.fold_columns(index, columns);
    }

    /// Computes a block of a pass, and writes what goes to memory. `more` is what the pass takes of many
    /// rows, at each element; a program takes it as elements after the others of their kind.
    pub(crate) fn compute(&mut self, index: usize, range: Range<usize>, more: &Elements<'_, E>) {
        let (plan, pass) = (self.plan, &self.plan.passes[index]);
        self.state.cursor.move_to(&plan.inner, range.start, range.len());
        let cursor = &self.state.cursor;
        self.state.floats.prepare(plan, cursor, &pass.elements.floats, more.floats, &pass.results.floats);
        self.state.ints.prepare(plan, cursor, &pass.elements.ints, more.ints, &pass.results.ints);
        self.state.bools.prepare(plan, cursor, &pass.elements.bools, more.bools, &pass.results.bools);
        self.call(index, range.len());
        let cursor = &self.state.cursor;
        self.state.floats.store_elements(plan, cursor, &pass.results.floats);
        self.state.ints.store_elements(plan, cursor, &pass.results.ints);
        self.state.bools.store_elements(plan, cursor, &pass.results.bools);
    }

    /// Evaluates a pass that has one value per row, and writes its results.
    pub(crate) fn per_row(&mut self, index: usize) {
        let (plan, pass) = (self.plan, &self.plan.passes[index]);
        self.state.cursor.move_to(&plan.inner, 0, 1);
        let cursor = &self.state.cursor;
        self.state.floats.prepare(plan, cursor, &[], &[], &pass.results.floats);
        self.state.ints.prepare(plan, cursor, &[], &[], &pass.results.ints);
        self.state.bools.prepare(plan, cursor, &[], &[], &pass.results.bools);
        self.call(index, 1);
        self.state.floats.store_rows(plan, &self.state.cursor, &pass.results.floats);
        self.state.ints.store_rows(plan, &self.state.cursor, &pass.results.ints);
        self.state.bools.store_rows(plan, &self.state.cursor, &pass.results.bools);
    }

    fn call(&mut self, index: usize, len: usize) {
        // SAFETY: `prepare` has just made these slices for this block. Elements are in memory that nobody
        // writes during the call, or in buffers of this worker. Results are in memory that belongs to this
        // block alone, or in other such buffers.
        let (floats, ints, bools) =
            unsafe { (self.state.floats.slices(), self.state.ints.slices(), self.state.bools.slices()) };
        let PassPlan { body, elements: own, .. } = &self.plan.passes[index];
        let mut args = BlockArgs {
            len,
            uniforms: uniforms(&self.state.uniforms[index]),
            elements: ByKind { floats: floats.0, ints: ints.0, bools: bools.0 },
            of_rows: Elements::NONE,
            results: ByKind { floats: floats.1, ints: ints.1, bools: bools.1 },
        };
        match body {
            Body::Compiled(body) => body.run(&mut args),
            Body::OfRows(body) => {
                let (floats, ints, bools) = (
                    floats.0.split_at(own.floats.len()),
                    ints.0.split_at(own.ints.len()),
                    bools.0.split_at(own.bools.len()),
                );
                args.elements = ByKind { floats: floats.0, ints: ints.0, bools: bools.0 };
                args.of_rows = ByKind { floats: floats.1, ints: ints.1, bools: bools.1 };
                body.run_rows(&mut args);
            }
            Body::Program(program) => self.state.machine.run(index, program, &mut args),
        }
    }

    /// The results of the block that a pass has computed last.
    pub(crate) fn results(&self) -> Elements<'_, E> {
        // SAFETY: the body has finished writing them.
        unsafe {
            ByKind {
                floats: self.state.floats.results(),
                ints: self.state.ints.results(),
                bools: self.state.bools.results(),
            }
        }
    }

    /// Folds the results of a block along the row.
    fn fold(&mut self, index: usize) {
        let (pass, state) = (&self.plan.passes[index], &mut *self.state);
        let (cursor, accumulators) = (&state.cursor, &mut state.accumulators);
        if state.folds[index].is_empty() {
            return;
        }
        state.floats.each_folded(&pass.results.floats, |statistic, values| {
            accumulators[statistic].add_floats(values, cursor.start);
        });
        state.ints.each_folded(&pass.results.ints, |statistic, values| {
            accumulators[statistic].add_ints(values, cursor.start);
        });
        state.bools.each_folded(&pass.results.bools, |statistic, values| {
            accumulators[statistic].add_bools(values);
        });
    }

    /// Folds the results of a block over the rows.
    pub(crate) fn fold_columns(&mut self, index: usize, columns: Option<&mut ColumnTarget<'_, E>>) {
        let Some(target) = columns else { return };
        let (pass, cursor) = (&self.plan.passes[index], &self.state.cursor);
        self.state.floats.each_column(&pass.results.floats, |column, values: &[E]| {
            target.add(cursor.start, values, |rows, at, columns| columns[column].add_floats(rows, at));
        });
        self.state.ints.each_column(&pass.results.ints, |column, values: &[i64]| {
            target.add(cursor.start, values, |rows, at, columns| columns[column].add_ints(rows, at));
        });
        self.state.bools.each_column(&pass.results.bools, |column, values: &[bool]| {
            target.add(cursor.start, values, |rows, at, columns| columns[column].add_bools(rows, at));
        });
    }
}

fn uniforms<E>(values: &ByKind<Vec<E>, Vec<i64>, Vec<bool>>) -> Uniforms<'_, E> {
    ByKind { floats: &values.floats, ints: &values.ints, bools: &values.bools }
}

/// The folds of a pass: the index of the statistic, and an accumulator that has seen no elements.
fn folds<E: Real>(pass: &PassPlan<E>) -> Vec<(usize, Accumulator<E>)> {
    let folds = |dests: &[Dest], start: fn(Fold) -> Accumulator<E>| {
        let folds = dests.iter().filter_map(Dest::folded);
        folds.map(|(fold, statistic)| (statistic, start(fold))).collect::<Vec<_>>()
    };
    let mut all = folds(&pass.results.floats, Accumulator::floats);
    all.extend(folds(&pass.results.ints, Accumulator::ints));
    all.extend(folds(&pass.results.bools, Accumulator::bools));
    all
}

impl<E: Real> ColumnTarget<'_, E> {
    /// Folds in a block that starts at this element: part of a row, or several rows.
    fn add<T>(&mut self, start: usize, values: &[T], add: impl Fn(&[T], Range<usize>, &mut [Columns<E>])) {
        let columns = match self.row_len {
            None => start - self.first..start - self.first + values.len(),
            Some(row_len) => 0..row_len,
        };
        add(values, columns, self.columns);
    }
}
