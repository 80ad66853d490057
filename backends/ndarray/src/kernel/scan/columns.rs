//! Rows whose elements lie beside each other in memory: one step is a loop along memory.

use super::job::{Job, Three, moved};
use super::step::Step;
use crate::parallel;
use crate::tensor::Stored;

/// Columns of a task. Their states stay in the first cache.
const COLUMNS: usize = 1 << 10;

pub(super) fn scan<E: Stored, S: Step<E>>(job: &Job<E>, step: S) {
    let (outer, columns, beside) = job.rows.split_inner();
    let beside = [beside[0], beside[1], beside[2]];
    let pieces = columns.div_ceil(COLUMNS);
    parallel::for_each(outer.len() * pieces, job.rows.len() * job.len, |task| {
        let offsets = [0, 1, 2].map(|operand| outer.offset(operand, task / pieces));
        let part = parallel::piece(task % pieces, COLUMNS, columns);
        let mut places = moved(job.at(offsets), beside, part.start);
        let mut states: Vec<S::State> = Vec::with_capacity(part.len());
        // SAFETY: the places are those of a part of the columns, which no other task has.
        states.extend(
            (0..part.len() as isize).map(|at| unsafe { step.first(*places[2].offset(at * beside[2])) }),
        );
        // SAFETY: as above.
        unsafe { each(step, places, beside, &mut states, |y, _, _| y) };
        for _ in 1..job.len {
            places = moved(places, job.strides, 1);
            // SAFETY: as above.
            unsafe { each(step, places, beside, &mut states, |y, a, b| step.next(y, a, b)) };
        }
    });
}

/// Takes a step in each column, and writes the results.
///
/// # Safety
///
/// Each operand has an element for each state, at this distance from each other. The result has them beside
/// each other.
#[inline(always)]
unsafe fn each<E: Stored, S: Step<E>>(
    step: S,
    [out, a, b]: Three<*mut E>,
    [_, of_a, of_b]: Three<isize>,
    states: &mut [S::State],
    next: impl Fn(S::State, E, E) -> S::State,
) {
    let with = |states: &mut [S::State], of_a: isize, of_b: isize| {
        for (column, state) in (0..).zip(states) {
            // SAFETY: the column is one of these.
            unsafe {
                *state = next(*state, *a.offset(column * of_a), *b.offset(column * of_b));
                *out.offset(column) = step.stored(*state);
            }
        }
    };
    // Loops with known distances become vector code.
    match (of_a, of_b) {
        (1, 1) => with(states, 1, 1),
        (0, 1) => with(states, 0, 1),
        (1, 0) => with(states, 1, 0),
        (_, _) => with(states, of_a, of_b),
    }
}
