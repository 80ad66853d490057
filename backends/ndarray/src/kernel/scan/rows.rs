//! Rows, a few at a time. If there are only a few long ones, pieces of them take the place of rows.

use super::job::{Job, Three, moved};
use super::step::Step;
use crate::parallel;
use crate::tensor::Stored;

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
    let is_cut = rows < MANY && job.len >= 2 * PIECE;
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
    let shared = runs.iter().map(|(_, len)| *len).min().unwrap_or(0);
    let mut results: [S::State; N] = std::array::from_fn(|run| {
        let [out, a, b] = runs[run].0;
        // SAFETY: a run has at least one element.
        unsafe {
            let first = before[run].map_or(step.first(*b), |y| step.next(y, *a, *b));
            *out = step.stored(first);
            first
        }
    });
    let next = |y: S::State, run: usize, at: usize| {
        let [out, a, b] = moved(runs[run].0, strides, at);
        // SAFETY: the element is one of the run.
        unsafe {
            let y = step.next(y, *a, *b);
            *out = step.stored(y);
            y
        }
    };
    for at in 1..shared {
        for (run, y) in results.iter_mut().enumerate() {
            *y = next(*y, run, at);
        }
    }
    for (run, y) in results.iter_mut().enumerate() {
        for at in shared.max(1)..runs[run].1 {
            *y = next(*y, run, at);
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
    let mut ends: [(E, S::State); N] = runs.map(|([_, a, b], _)| unsafe { (*a, step.first(*b)) });
    let next = |(factors, y): (E, S::State), run: usize, at: usize| {
        let [_, a, b] = moved(runs[run].0, strides, at);
        // SAFETY: the element is one of the run.
        let (a, b) = unsafe { (*a, *b) };
        (step.times(factors, a), step.next(y, a, b))
    };
    let shared = runs.iter().map(|(_, len)| *len).min().unwrap_or(0);
    for at in 1..shared {
        for (run, end) in ends.iter_mut().enumerate() {
            *end = next(*end, run, at);
        }
    }
    for (run, end) in ends.iter_mut().enumerate() {
        for at in shared.max(1)..runs[run].1 {
            *end = next(*end, run, at);
        }
    }
    ends
}
