//! Rows whose elements lie beside each other in memory: one step is a loop along memory.

use super::job::{Job, Three, moved};
use super::step::Step;
use crate::parallel;
use crate::tensor::Stored;

/// Columns of a task. The results before stay in the first cache.
const COLUMNS: usize = 1 << 10;

pub(super) fn scan<E: Stored, S: Step<E>>(job: &Job<E>, step: S) {
    let (outer, columns, beside) = job.rows.split_inner();
    let beside = [beside[0], beside[1], beside[2]];
    let pieces = columns.div_ceil(COLUMNS);
    parallel::for_each(outer.len() * pieces, job.rows.len() * job.len, |task| {
        let offsets = [0, 1, 2].map(|operand| outer.offset(operand, task / pieces));
        let part = parallel::piece(task % pieces, COLUMNS, columns);
        let mut places = moved(job.at(offsets), beside, part.start);
        // SAFETY: the places are those of a part of the columns, which no other task has.
        unsafe { each(places, beside, part.len(), |_, _, b| b) };
        for _ in 1..job.len {
            let before = places[0];
            places = moved(places, job.strides, 1);
            // SAFETY: as above. The results before are those of the last turn.
            unsafe {
                each(places, beside, part.len(), |column, a, b| step.next(*before.offset(column), a, b));
            }
        }
    });
}

/// Writes the result of each column.
///
/// # Safety
///
/// Each operand has so many elements at this distance from each other. The result has them beside each other.
#[inline(always)]
unsafe fn each<E: Stored>(
    [out, a, b]: Three<*mut E>,
    [_, of_a, of_b]: Three<isize>,
    columns: usize,
    next: impl Fn(isize, E, E) -> E,
) {
    let with = |of_a: isize, of_b: isize| {
        for column in 0..columns as isize {
            // SAFETY: the column is one of these.
            unsafe { *out.offset(column) = next(column, *a.offset(column * of_a), *b.offset(column * of_b)) };
        }
    };
    // Loops with known distances become vector code.
    match (of_a, of_b) {
        (1, 1) => with(1, 1),
        (0, 1) => with(0, 1),
        (1, 0) => with(1, 0),
        (_, _) => with(of_a, of_b),
    }
}
