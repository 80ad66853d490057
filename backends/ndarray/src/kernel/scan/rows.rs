//! Rows, in vectors of neighbours if a scan can combine these, else a few rows at a time. If there
//! are only a few long ones, pieces of them take the place of rows.

use super::job::{Job, Three, moved};
use super::step::{BLOCK, Step};
use crate::parallel;
use crate::tensor::Stored;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// How many rows run side by side. More would share the lines of the cache that they map to.
const SIDE_BY_SIDE: usize = 4;
/// Number of elements per task.
const TASK: usize = 1 << 14;
/// Elements of a piece.
const PIECE: usize = 1 << 13;
/// With as many rows, threads have enough to do without pieces.
const MANY: usize = 32;
/// How often a thread looks for a value before it lets others run.
const PATIENCE: usize = 1 << 10;

pub(super) fn scan<E: Stored, S: Step<E>>(job: &Job<E>, step: S) {
    let rows = job.rows.len();
    let is_cut = S::GROUPS && rows < MANY && job.len >= 2 * PIECE;
    let (piece, count) = if is_cut { (PIECE, job.len.div_ceil(PIECE)) } else { (job.len, 1) };
    let pieces = Pieces { job, piece, count };
    if is_cut { pieces.scan_in_order(step) } else { pieces.scan(step) }
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

    /// Scans rows, a few of them at a time.
    fn scan<S: Step<E>>(&self, step: S) {
        let per_task = (TASK / self.piece).max(1).next_multiple_of(SIDE_BY_SIDE);
        let elements = self.job.rows.len() * self.job.len;
        parallel::for_each(self.len().div_ceil(per_task), elements, |task| {
            let mut part = parallel::piece(task, per_task, self.len());
            while part.len() >= SIDE_BY_SIDE {
                let runs = std::array::from_fn(|at| self.run(part.start + at));
                part.start += SIDE_BY_SIDE;
                // SAFETY: the runs are rows of the result and the operands. No two tasks have the same one.
                unsafe { scanned(step, runs, self.job.strides, [None; SIDE_BY_SIDE]) };
            }
            for id in part {
                // SAFETY: as above.
                unsafe { scanned(step, [self.run(id)], self.job.strides, [None]) };
            }
        });
    }

    /// Scans pieces in their order. A thread takes the next few, reduces them, waits for the result before
    /// them, says what the result behind them is, and scans them while they are in its cache. So each element
    /// comes from memory once (Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled
    /// Look-back, 2016, whose sums depend on who is first; here each result has one before it that it waits
    /// for).
    fn scan_in_order<S: Step<E>>(&self, step: S) {
        let elements = self.job.rows.len() * self.job.len;
        let behind: Vec<OnceLock<S::State>> = vec![OnceLock::new(); self.len().div_ceil(SIDE_BY_SIDE)];
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        parallel::for_each(parallel::threads().min(behind.len()), elements, |_| {
            let _failing = Failing(&has_failed);
            loop {
                let group = next.fetch_add(1, Relaxed);
                let Some(own) = behind.get(group) else { break };
                let before = group.checked_sub(1).map(|last| &behind[last]);
                self.scan_group(step, group, || before.and_then(|slot| waited_for(slot, &has_failed)), own);
            }
        });
    }

    /// Scans neighbouring pieces. `before` waits for the result before them; the next group looks for the
    /// result behind them in `behind`.
    fn scan_group<S: Step<E>>(
        &self,
        step: S,
        group: usize,
        before: impl FnOnce() -> Option<S::State>,
        behind: &OnceLock<S::State>,
    ) {
        let part = parallel::piece(group, SIDE_BY_SIDE, self.len());
        let runs = std::array::from_fn(|at| self.run((part.start + at).min(part.end - 1)));
        // SAFETY: the runs are pieces of rows of the operands, which are only read.
        let ends: [_; SIDE_BY_SIDE] = unsafe { reduced(step, runs, self.job.strides) };
        let mut last = if part.start.is_multiple_of(self.count) { None } else { before() };
        let starts: [Option<S::State>; SIDE_BY_SIDE] = std::array::from_fn(|at| {
            let start = last.filter(|_| !(part.start + at).is_multiple_of(self.count));
            let (factors, own) = ends[at];
            last = Some(start.map_or(own, |y| step.behind(y, factors, own)));
            start
        });
        if let Some(last) = last {
            behind.get_or_init(|| last);
        }
        // SAFETY: the runs are pieces of rows of the result and the operands. No other group has the same.
        unsafe {
            if part.len() == SIDE_BY_SIDE {
                scanned(step, runs, self.job.strides, starts);
            } else {
                for at in 0..part.len() {
                    scanned(step, [runs[at]], self.job.strides, [starts[at]]);
                }
            }
        }
    }
}

/// A value that another thread has begun to compute. That thread waits for nobody but those that began before
/// it. `None` if one of them has failed: its panic comes out of the loop over all.
fn waited_for<T: Copy>(value: &OnceLock<T>, has_failed: &AtomicBool) -> Option<T> {
    let mut turns = 0;
    loop {
        match value.get() {
            Some(value) => return Some(*value),
            None if has_failed.load(Relaxed) => return None,
            None if turns < PATIENCE => {
                turns += 1;
                std::hint::spin_loop();
            }
            None => std::thread::yield_now(),
        }
    }
}

/// Tells those who wait if its thread panics.
struct Failing<'f>(&'f AtomicBool);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Relaxed);
        }
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
