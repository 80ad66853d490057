//! Guard words of buffers: how they get them, and their check when a buffer is released.

use crate::parallel::Shared;
use crate::pool::Pooled;
use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{DType, Result};

/// Number of guard words on either side. They fill a vector register of the smallest elements, and keep the
/// alignment.
pub(super) const WORDS: usize = 64;

thread_local! {
    static WATCH: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

/// The state of a watching thread.
#[derive(Debug)]
struct Watch {
    fill: Fill,
    found: Mutex<Vec<Breach>>,
}

/// The value of guard words, and of new buffers until something is written to them. If a kernel writes the
/// same value to a guard word, a run with the other value finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// 0, `false`.
    Zeros,
    /// 1, `true`.
    Ones,
}

/// A guard word that was overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The dtype of the buffer.
    pub dtype: DType,
    /// Number of elements that the buffer holds for its tensor.
    pub len: usize,
    /// Position of the word, counted from the first element.
    pub at: isize,
}

/// Runs a function with guard words around the buffers that this thread allocates, and reports which of them
/// were overwritten. Buffers that outlive the run are not checked.
pub fn watch<R>(fill: Fill, run: impl FnOnce() -> R) -> (R, Vec<Breach>) {
    struct Restore(Option<Arc<Watch>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            WATCH.set(self.0.take());
        }
    }
    let watch = Arc::new(Watch { fill, found: Mutex::default() });
    let restore = Restore(WATCH.replace(Some(Arc::clone(&watch))));
    let result = run();
    drop(restore);
    let found = std::mem::take(&mut *watch.found.lock().unwrap_or_else(PoisonError::into_inner));
    (result, found)
}

/// The guard words of a buffer: [`WORDS`] before its elements and as many after them.
#[derive(Debug)]
pub(crate) struct Guard<T> {
    watch: Arc<Watch>,
    pub(super) start: Shared<T>,
    pub(super) len: usize,
}

/// A buffer with guard words. Its own elements start at the offset.
pub(crate) struct Around<T> {
    pub(crate) elements: Vec<T>,
    pub(crate) guard: Guard<T>,
    pub(crate) offset: usize,
}

impl<T: Pooled> Guard<T> {
    /// A buffer for this many elements between guard words, if this thread watches.
    pub(crate) fn around(len: usize) -> Result<Option<Around<T>>> {
        let Some(watch) = WATCH.with_borrow(Clone::clone) else { return Ok(None) };
        let mut elements = T::pool().take(len + 2 * WORDS)?;
        elements.fill(word(watch.fill));
        let start = Shared(elements.as_mut_ptr());
        Ok(Some(Around { elements, guard: Guard { watch, start, len }, offset: WORDS }))
    }

    /// Checks the guard words of the buffer.
    pub(crate) fn check(&self, elements: &[T]) {
        let places = (0..WORDS).chain(WORDS + self.len..self.len + 2 * WORDS);
        let written = places.into_iter().filter(|place| elements[*place] != word(self.watch.fill));
        let breach =
            |place: usize| Breach { dtype: T::DTYPE, len: self.len, at: place as isize - WORDS as isize };
        let found = written.map(breach).next();
        self.watch.found.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
    }
}

fn word<T: Pooled>(fill: Fill) -> T {
    match fill {
        Fill::Zeros => T::from_i64(0),
        Fill::Ones => T::from_i64(1),
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Breach { dtype, len, at } = self;
        match usize::try_from(*at) {
            Ok(at) => write!(f, "element {at} of {len} {dtype} elements is written")?,
            Err(_) => write!(f, "element {at} of {len} {dtype} elements, before the first, is written")?,
        }
        Ok(())
    }
}
