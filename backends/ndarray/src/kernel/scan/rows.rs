//! Rows, in vectors of neighbours if a scan can combine these, else a few rows at a time. If there
//! are only a few long ones, pieces of them take the place of rows.

use super::job::{Job, Three, moved};
use super::step::{BLOCK, Step};
use crate::parallel;
use crate::tensor::Stored;
use std::slice;

/// How many rows run side by side. More would share the lines of the cache that they map to.
const SIDE_BY_SIDE: usize = 4;
/// Number of elements per task.
const TASK: usize = 1 << 14;
/// Elements of a piece.
const PIECE: usize = 1 << 13;
/// With as many rows, threads have enough to do without pieces.
const MANY: usize = 32;

pub(super) fn scan<E: Stored, S: Step<E>>(job: &Job<E>, step: S) {
    let rows = job.rows.len();
    let is_cut = S::GROUPS && rows < MANY && job.len >= 2 * PIECE;
    let (piece, count) = if is_cut { (PIECE, job.len.div_ceil(PIECE)) } else { (job.len, 1) };
    let pieces = Pieces { job, piece, count };
    if !is_cut {
        return pieces.scan(step, |_| None);
    }
    let before = pieces.carried(step);
    pieces.scan(step, |at| before[at]);
}

/// The rows, cut into pieces.
struct Pieces<'j, E> {
    job: &'j Job<E>,
    /// Elements of a piece; the last one of a row may have fewer.
    piece: usize,
    /// Pieces of a row.
    count: usize,
}

/// Something that is done side by side: where it starts, and its elements.
type Run<E> = (Three<*mut E>, usize);

impl<E: Stored> Pieces<'_, E> {
    fn run(&self, at: usize) -> Run<E> {
        let (row, piece) = (at / self.count, at % self.count);
        let offsets = [0, 1, 2].map(|operand| self.job.rows.offset(operand, row));
        let part = parallel::piece(piece, self.piece, self.job.len);
        (moved(self.job.at(offsets), self.job.strides, part.start), part.len())
    }

    fn len(&self) -> usize {
        self.job.rows.len() * self.count
    }

    /// Writes the results, given what comes before each piece.
    fn scan<S: Step<E>>(&self, step: S, before: impl Fn(usize) -> Option<S::State> + Sync) {
        let per_task = (TASK / self.piece).max(1).next_multiple_of(SIDE_BY_SIDE);
        let elements = self.job.rows.len() * self.job.len;
        let strides = self.job.strides;
        parallel::for_each(self.len().div_ceil(per_task), elements, |task| {
            let mut part = parallel::piece(task, per_task, self.len());
            while part.len() >= SIDE_BY_SIDE {
                let ids: [usize; SIDE_BY_SIDE] = std::array::from_fn(|at| part.start + at);
                let runs = ids.map(|id| self.run(id));
                part.start += SIDE_BY_SIDE;
                // SAFETY: the runs are rows, or pieces of rows, of the result and the operands. No two tasks
                // have the same one.
                unsafe { scanned(step, runs, strides, ids.map(&before)) };
            }
            for id in part {
                // SAFETY: as above.
                unsafe { scanned(step, [self.run(id)], strides, [before(id)]) };
            }
        });
    }

    /// What comes before each piece.
    fn carried<S: Step<E>>(&self, step: S) -> Vec<Option<S::State>> {
        let elements = self.job.rows.len() * self.job.len;
        let strides = self.job.strides;
        let ends = parallel::map(self.len().div_ceil(SIDE_BY_SIDE), elements, |task| {
            let part = parallel::piece(task, SIDE_BY_SIDE, self.len());
            let ids: [usize; SIDE_BY_SIDE] = std::array::from_fn(|at| (part.start + at).min(part.end - 1));
            // SAFETY: the runs are pieces of rows of the operands, which are only read.
            unsafe { reduced(step, ids.map(|id| self.run(id)), strides) }
        });
        let mut before: Vec<Option<S::State>> = Vec::with_capacity(self.len());
        for at in 0..self.len() {
            let last = at.checked_sub(1).filter(|_| at % self.count != 0);
            before.push(last.map(|last: usize| {
                let (factors, own) = ends[last / SIDE_BY_SIDE][last % SIDE_BY_SIDE];
                before[last].map_or(own, |y| step.behind(y, factors, own))
            }));
        }
        before
    }
}

/// Scans runs side by side, each from what comes before it.
///
/// # Safety
///
/// Each run has so many elements at its places, all that have an element in front of them.
unsafe fn scanned<E: Stored, S: Step<E>, const N: usize>(
    step: S,
    runs: [Run<E>; N],
    strides: Three<isize>,
    before: [Option<S::State>; N],
) {
    let done: [Done<S::State>; N] =
        // SAFETY: as the caller promises.
        std::array::from_fn(|run| unsafe { in_vectors(step, runs[run], strides, before[run]) });
    let runs: [Run<E>; N] = std::array::from_fn(|run| {
        let ((places, len), (count, _)) = (runs[run], done[run]);
        (moved(places, strides, count), len - count)
    });
    let shared = shared(&runs);
    let mut results = done.map(|(_, last)| last);
    let next = |y: Option<S::State>, run: usize, at: usize| {
        let [out, a, b] = moved(runs[run].0, strides, at);
        // SAFETY: the element is one of the run.
        unsafe {
            let y = y.map_or(step.first(*b), |y| step.next(y, *a, *b));
            *out = step.stored(y);
            Some(y)
        }
    };
    for at in 0..shared {
        for (run, y) in results.iter_mut().enumerate() {
            *y = next(*y, run, at);
        }
    }
    for (run, y) in results.iter_mut().enumerate() {
        for at in shared..runs[run].1 {
            *y = next(*y, run, at);
        }
    }
}

/// How many elements are done, and the last result so far.
type Done<T> = (usize, Option<T>);

/// Scans what the step can scan in vectors, if elements lie beside each other.
///
/// # Safety
///
/// The run has so many elements at its places, and nothing else writes them.
#[inline(always)]
unsafe fn in_vectors<E: Stored, S: Step<E>>(
    step: S,
    ([out, _, b], len): Run<E>,
    [of_out, _, of_b]: Three<isize>,
    before: Option<S::State>,
) -> Done<S::State> {
    let last = len as isize - 1;
    // SAFETY: the elements are those of the run, the last one first in memory if steps are backwards. The
    // result is a tensor of its own.
    unsafe {
        match (of_out, of_b) {
            (1, 1) => {
                let (from, to) = (slice::from_raw_parts(b, len), slice::from_raw_parts_mut(out, len));
                step.in_vectors::<false>(before, from, to)
            }
            (-1, -1) => {
                let (from, to) = (b.offset(-last), out.offset(-last));
                let (from, to) = (slice::from_raw_parts(from, len), slice::from_raw_parts_mut(to, len));
                step.in_vectors::<true>(before, from, to)
            }
            _ => (0, before),
        }
    }
}

/// The product of the factors of each run, and its last result.
///
/// # Safety
///
/// Each run has so many elements at its places.
unsafe fn reduced<E: Stored, S: Step<E>, const N: usize>(
    step: S,
    runs: [Run<E>; N],
    strides: Three<isize>,
) -> [(E, S::State); N] {
    // SAFETY: a run has at least one element.
    let starts = runs.map(|run| unsafe {
        let ([_, a, b], _) = run;
        let (count, total) = total_of_blocks(step, run, strides);
        total.map_or((1, (*a, step.first(*b))), |total| (count, (*a, total)))
    });
    let mut ends = starts.map(|(_, end)| end);
    let next = |(factors, y): (E, S::State), run: usize, at: usize| {
        let [_, a, b] = moved(runs[run].0, strides, at);
        // SAFETY: the element is one of the run.
        let (a, b) = unsafe { (*a, *b) };
        (step.times(factors, a), step.next(y, a, b))
    };
    // Side by side if none has blocks.
    let shared = if starts.iter().all(|(start, _)| *start == 1) { shared(&runs) } else { 1 };
    for at in 1..shared {
        for (run, end) in ends.iter_mut().enumerate() {
            *end = next(*end, run, at);
        }
    }
    for (run, end) in ends.iter_mut().enumerate() {
        for at in shared.max(starts[run].0)..runs[run].1 {
            *end = next(*end, run, at);
        }
    }
    ends
}

/// The elements that all runs have.
fn shared<E>(runs: &[Run<E>]) -> usize {
    runs.iter().map(|(_, len)| *len).min().unwrap_or(0)
}

/// What the whole blocks of a run give, if the step takes blocks.
///
/// # Safety
///
/// The run has so many elements at its places.
#[inline(always)]
unsafe fn total_of_blocks<E: Stored, S: Step<E>>(
    step: S,
    ([_, a, b], len): Run<E>,
    [_, _, of_b]: Three<isize>,
) -> Done<S::State> {
    let (mut at, mut last) = (0, None);
    while at + BLOCK <= len {
        // SAFETY: the elements are some of the run.
        let block = std::array::from_fn(|i| unsafe { *b.offset((at + i) as isize * of_b) });
        let Some(total) = step.total(block) else { break };
        // SAFETY: as above. A reduction has no factors, so that any will do.
        let factor = unsafe { *a };
        (at, last) = (at + BLOCK, Some(last.map_or(total, |y| step.behind(y, factor, total))));
    }
    (at, last)
}
