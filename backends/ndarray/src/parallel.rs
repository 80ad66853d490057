//! Threads. The number and bounds of tasks depend on sizes alone, so results don't depend on how many threads
//! run them.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};
use tensor_op_core::{Error, ErrorKind, Result, is_waited_for};

/// With fewer elements than this, one thread finishes before the other threads have woken up.
const WORTH_THREADS: usize = 1 << 15;

/// The threads that the program has asked for. Otherwise loops run where they are called, which is rayon's
/// own pool outside of any other. Calls within a time limit have a pool of their own.
static POOL: RwLock<Option<Arc<ThreadPool>>> = RwLock::new(None);

/// The most threads that [`set_threads`] starts.
const MOST_THREADS: usize = 1024;

/// Sets how many threads the CPU's kernels use from now on, in the whole process. 0 stands for rayon's own
/// pool, which has a thread for each core, or as many as the variable `RAYON_NUM_THREADS` says. A loop that
/// runs already keeps its threads. `torch.set_num_threads`.
///
/// Results have the same bits with any number of threads.
///
/// # Errors
///
/// More than 1024 threads, and threads that the system does not start.
pub fn set_threads(count: usize) -> Result<()> {
    let failed = |message: String| Error::new(ErrorKind::Backend, message).with_op("set_threads");
    let pool = match count {
        0 => None,
        1..=MOST_THREADS => {
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            let pool = pool.map_err(|error| failed(format!("{count} threads can't be started: {error}")))?;
            Some(Arc::new(pool))
        }
        _ => return Err(failed(format!("{count} threads are more than {MOST_THREADS}"))),
    };
    *POOL.write().unwrap_or_else(PoisonError::into_inner) = pool;
    Ok(())
}

/// How many threads the CPU's kernels use. `torch.get_num_threads`.
pub fn threads() -> usize {
    match pool() {
        Some(pool) => pool.current_num_threads(),
        None => rayon::current_num_threads(),
    }
}

fn pool() -> Option<Arc<ThreadPool>> {
    let asked_for = POOL.read().unwrap_or_else(PoisonError::into_inner).clone();
    // Who waits for this call may be all threads of rayon's own pool, and then these can't work for it.
    asked_for.or_else(|| if is_waited_for() { APART.clone() } else { None })
}

/// As many threads as rayon's own pool has, for calls within a time limit. `None` if they can't be started.
static APART: LazyLock<Option<Arc<ThreadPool>>> = LazyLock::new(|| {
    ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok().map(Arc::new)
});

/// Runs a task that is cut into parts, on the threads that the program has asked for.
pub(crate) fn within<R: Send>(task: impl FnOnce() -> R + Send) -> R {
    match pool() {
        Some(pool) => pool.install(task),
        None => task(),
    }
}

/// Whether tasks run where they are called: the other threads are not worth waking up, or there are none.
fn is_serial(tasks: usize, elements: usize) -> bool {
    tasks <= 1 || elements < WORTH_THREADS || is_alone() || threads() == 1
}

/// Runs `task` for each of `0..tasks`, on threads if all of them together touch enough elements.
pub(crate) fn for_each(tasks: usize, elements: usize, task: impl Fn(usize) + Send + Sync) {
    if is_serial(tasks, elements) {
        (0..tasks).for_each(task);
    } else {
        spread(tasks, &task);
    }
}

/// Runs a task for each of `0..tasks` on threads. It is compiled once, not for each kernel.
fn spread(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    within(|| (0..tasks).into_par_iter().for_each(task));
}

/// Like [`for_each`], but returns an error if a task fails.
pub(crate) fn try_for_each(
    tasks: usize,
    elements: usize,
    task: impl Fn(usize) -> Result<()> + Send + Sync,
) -> Result<()> {
    if is_serial(tasks, elements) { (0..tasks).try_for_each(task) } else { try_spread(tasks, &task) }
}

/// Like [`spread`], but returns an error if a task fails.
fn try_spread(tasks: usize, task: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    within(|| (0..tasks).into_par_iter().try_for_each(task))
}

/// Fewer tasks leave threads of a large machine without work. The number is fixed, so that sums have the same
/// bits on all machines.
pub(crate) const ENOUGH_TASKS: usize = 16;

/// The part of `0..len` that is the `index`-th piece of this length.
pub(crate) fn piece(index: usize, piece: usize, len: usize) -> std::ops::Range<usize> {
    index * piece..len.min((index + 1) * piece)
}

/// A pointer that tasks share. Each task writes to its own elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<T>(pub(crate) *mut T);

// SAFETY: a `Shared` is only an address. Each place that uses it explains why no two threads access the same
// element.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The address of the element at this offset. (It is a method, so that closures capture the whole value
    /// and not the bare pointer.)
    pub(crate) fn at(self, offset: isize) -> *mut T {
        self.0.wrapping_offset(offset)
    }
}

/// The results of `task` for each of `0..tasks`, in order. They run on threads if all of them together touch
/// enough elements.
pub(crate) fn map<R: Send>(tasks: usize, elements: usize, task: impl Fn(usize) -> R + Send + Sync) -> Vec<R> {
    if is_serial(tasks, elements) { (0..tasks).map(task).collect() } else { map_spread(tasks, &task) }
}

/// The results of a task for each of `0..tasks`, which run on threads.
fn map_spread<R: Send>(tasks: usize, task: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let slots: Vec<Mutex<Option<R>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    spread(tasks, &|at| {
        let result = task(at);
        *slots[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    // Each task has filled its slot, or its panic has come out of `spread`.
    slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Combines neighbouring parts, then neighbouring results of that, until one is left. The order depends only
/// on the number of parts.
pub(crate) fn tree<R>(mut parts: Vec<R>, combine: impl Fn(R, R) -> R) -> Option<R> {
    while parts.len() > 1 {
        let mut pairs = parts.into_iter();
        let mut combined = Vec::new();
        while let Some(first) = pairs.next() {
            combined.push(match pairs.next() {
                Some(second) => combine(first, second),
                None => first,
            });
        }
        parts = combined;
    }
    parts.pop()
}

thread_local! {
    /// Whether the thread runs a task that does all of its work by itself.
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling task does all of its work on its own thread.
pub(crate) fn is_alone() -> bool {
    IS_ALONE.get()
}

/// The results of `task` for each of `0..tasks`, in order. Each task runs on one thread, also its loops and
/// products. If there are fewer tasks than threads, they run one after the other, and each uses all threads.
pub(crate) fn each_alone<R: Send>(tasks: usize, task: impl Fn(usize) -> R + Send + Sync) -> Vec<R> {
    let threads = threads();
    if threads == 1 || tasks < threads || is_alone() {
        return (0..tasks).map(task).collect();
    }
    let alone = |index| {
        let _alone = Alone::new();
        task(index)
    };
    map_spread(tasks, &alone)
}

/// Marks the thread as alone for as long as the value lives, also if the task panics.
struct Alone {
    before: bool,
}

impl Alone {
    fn new() -> Alone {
        Alone { before: IS_ALONE.replace(true) }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        IS_ALONE.set(self.before);
    }
}
