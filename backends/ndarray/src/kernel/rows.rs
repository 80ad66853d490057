//! Pointwise loops, and loops with reductions along rows. Each thread takes some of the rows. If there are
//! only a few long rows, threads take parts of a row.

use super::bands;
use super::columns;
use super::fold::{Accumulator, Single};
use super::kept::Kept;
use super::plan::LoopPlan;
use super::real::Real;
use super::short::{self, Short};
use super::split::Splits;
use super::taps::SumsAlong;
use super::tiles;
use super::worker::Worker;
use crate::parallel;
use std::ops::Range;
use tensor_op_core::Result;

/// Elements per task. They are so many that allocating a worker's buffers takes little of the time.
const TASK: usize = 1 << 15;
/// If there are few rows, those that are at least this long are shared between threads.
const LONG_ROW: usize = 1 << 16;
/// With at least this many rows, all threads are busy.
const MANY_ROWS: usize = 16;

/// Runs a loop.
pub(crate) fn run<E: Real>(plan: &LoopPlan<E>) -> Result<()> {
    run_split(plan, splits(plan)?.as_ref())
}

/// The programs of a loop that computes many rows at once. `None` if it runs row by row.
pub(super) fn splits<E: Real>(plan: &LoopPlan<E>) -> Result<Option<Splits>> {
    let is_split = (short::fits(plan) || bands::fits(plan)) && SumsAlong::of(plan).is_none();
    if is_split { Splits::new(plan) } else { Ok(None) }
}

/// Runs a loop with the programs that [`splits`] made. How it is cut into tasks depends on its sizes alone.
pub(super) fn run_split<E: Real>(plan: &LoopPlan<E>, splits: Option<&Splits>) -> Result<()> {
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    if !plan.columns.is_empty() {
        columns::run(plan, splits)?;
    } else if let Some(sums) = SumsAlong::of(plan) {
        sums.run();
    } else if let Some(short) = splits.and_then(|splits| Short::side_by_side(plan, splits)) {
        return short::run(&short);
    } else if bands::run(plan, splits)? {
        // The loop was run in bands.
    } else if tiles::run(plan, splits)? {
        // The loop was run in tiles.
    } else if let Some(splits) = splits {
        return short::run(&Short::new(plan, splits));
    } else if rows < MANY_ROWS && len >= LONG_ROW {
        let (mut walk, kept) = (plan.outer.walk(0), Kept::of(plan, len)?);
        for _ in 0..rows {
            long_row(plan, &walk.offsets, kept.as_ref());
            walk.next();
        }
    } else {
        return many_rows(plan, rows, len);
    }
    Ok(())
}

fn many_rows<E: Real>(plan: &LoopPlan<E>, rows: usize, len: usize) -> Result<()> {
    let per_task = per_task(len);
    parallel::try_for_each(rows.div_ceil(per_task), rows * len.max(1), |task| {
        each_row(plan, &mut Worker::new(plan)?, parallel::piece(task, per_task, rows));
        Ok(())
    })
}

/// Whether one worker runs the whole loop row by row.
pub(crate) fn is_simple<E: Real>(plan: &LoopPlan<E>) -> bool {
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    let is_other = !plan.columns.is_empty() || tiles::needs(plan) || SumsAlong::of(plan).is_some();
    !is_other && rows <= per_task(len) && len < LONG_ROW
}

/// Runs some rows of a loop.
pub(crate) fn each_row<E: Real>(plan: &LoopPlan<E>, worker: &mut Worker<'_, E>, rows: Range<usize>) {
    let mut walk = plan.outer.walk(rows.start);
    for _ in rows {
        worker.row(&walk.offsets, None);
        walk.next();
    }
}

/// Rows of this length per task.
fn per_task(len: usize) -> usize {
    (TASK / len.max(1)).max(1)
}

/// Runs a row on all threads. What passes keep of it is written and read at the same elements.
fn long_row<E: Real>(plan: &LoopPlan<E>, offsets: &[isize], kept: Option<&Kept<E>>) {
    let len = plan.inner.len();
    let mut statistics = plan.empty_statistics();
    let worker = |index: usize, statistics: &[Single<E>]| {
        let mut worker = Worker::of_parts(plan);
        kept.iter().for_each(|kept| worker.keep_at(kept.place(0)));
        worker.move_to(offsets);
        worker.set_statistics(statistics);
        worker.begin(index);
        worker
    };
    for (index, pass) in plan.passes.iter().enumerate() {
        if pass.per_row {
            worker(index, &statistics).per_row(index);
            continue;
        }
        let parts = parallel::map(len.div_ceil(TASK), len, |task| {
            let mut worker = worker(index, &statistics);
            worker.part(index, parallel::piece(task, TASK, len), None);
            worker.accumulated(index)
        });
        for (statistic, whole) in parallel::tree(parts, merge).unwrap_or_default() {
            statistics[statistic] = whole.finish();
        }
    }
}

/// Combines the folds of two neighbouring parts of a row.
fn merge<E: Real>(
    a: Vec<(usize, Accumulator<E>)>,
    b: Vec<(usize, Accumulator<E>)>,
) -> Vec<(usize, Accumulator<E>)> {
    a.into_iter().zip(b).map(|((statistic, a), (_, b))| (statistic, a.merge(b))).collect()
}
