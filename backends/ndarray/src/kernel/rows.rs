//! Pointwise loops and loops with reductions along rows: threads take rows, or, where there are few long ones, parts of them.

use super::columns;
use super::fold::{Accumulator, Single};
use super::plan::LoopPlan;
use super::stream::Real;
use super::worker::Worker;
use crate::parallel;

/// Elements per task.
const TASK: usize = 1 << 14;
/// Rows from this length on are shared between threads where there are few.
const LONG_ROW: usize = 1 << 16;
/// That many rows keep all threads busy.
const MANY_ROWS: usize = 16;

/// Runs a loop. How it is cut into tasks depends on its sizes alone.
pub(crate) fn run<E: Real>(plan: &LoopPlan<'_, E>) {
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    if !plan.columns.is_empty() {
        columns::run(plan);
    } else if rows < MANY_ROWS && len >= LONG_ROW {
        let mut walk = plan.outer.walk(0);
        for _ in 0..rows {
            long_row(plan, &walk.offsets);
            walk.next();
        }
    } else {
        many_rows(plan, rows, len);
    }
}

fn many_rows<E: Real>(plan: &LoopPlan<'_, E>, rows: usize, len: usize) {
    let per_task = (TASK / len.max(1)).max(1);
    parallel::for_each(rows.div_ceil(per_task), rows * len.max(1), |task| {
        let mut worker = Worker::new(plan, true);
        let range = parallel::piece(task, per_task, rows);
        let mut walk = plan.outer.walk(range.start);
        for _ in range {
            worker.row(&walk.offsets, None);
            walk.next();
        }
    });
}

fn long_row<E: Real>(plan: &LoopPlan<'_, E>, offsets: &[isize]) {
    let len = plan.inner.len();
    let mut statistics = plan.empty_statistics();
    for (index, pass) in plan.passes.iter().enumerate() {
        if pass.per_row {
            let mut worker = Worker::new(plan, false);
            worker.set_statistics(&statistics);
            worker.begin(index, offsets);
            worker.per_row(index, offsets);
            continue;
        }
        let parts = parallel::map(len.div_ceil(TASK), len, |task| {
            let mut worker = Worker::new(plan, false);
            worker.set_statistics(&statistics);
            worker.begin(index, offsets);
            worker.part(index, offsets, parallel::piece(task, TASK, len), None);
            worker.take_accumulators()
        });
        finish(&mut statistics, parts);
    }
}

/// Makes statistics of the folds of all parts of a row.
fn finish<E: Real>(statistics: &mut [Single<E>], parts: Vec<Vec<Option<Accumulator<E>>>>) {
    let merge = |a: Vec<Option<Accumulator<E>>>, b: Vec<Option<Accumulator<E>>>| {
        a.into_iter().zip(b).map(|(a, b)| Some(a?.merge(b?))).collect()
    };
    let Some(whole) = parallel::tree(parts, merge) else { return };
    for (statistic, accumulator) in statistics.iter_mut().zip(whole) {
        if let Some(accumulator) = accumulator {
            *statistic = accumulator.finish();
        }
    }
}
