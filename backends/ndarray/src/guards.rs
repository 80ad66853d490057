//! Guard words around tensors, for tests. While a thread watches, each buffer that it allocates has guard
//! words before and after its elements. They are checked when the buffer is released.
//!
//! This is only compiled with the feature `guards`. Input data is also copied into buffers with guard words,
//! so that a result that reuses the memory of an argument is watched like any other.

use crate::array::Stored;
use crate::parallel::Shared;
use crate::tensor::{NdArrayTensor, with_array};
use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{DType, Result};

/// Number of guard words on either side. They fill a vector register of the smallest elements, and keep the
/// alignment.
const WORDS: usize = 64;

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

/// Writes an element of a tensor's buffer, or one of its guard words, to simulate a wrong kernel. Returns
/// whether it did so. It doesn't if the tensor has no guard words or another element type, or if the position
/// is beyond the guard words.
///
/// # Safety
/// Meanwhile no other thread reads or writes the tensor's buffer, and there is no reference to its elements.
pub unsafe fn write<T: Stored>(tensor: &NdArrayTensor, at: isize, value: T) -> bool {
    let Some(array) = T::of_tensor(tensor) else { return false };
    let Some(guard) = array.guard() else { return false };
    let place = array.layout().offset as isize + at;
    if place < 0 || place >= (guard.len + 2 * WORDS) as isize {
        return false;
    }
    // SAFETY: the position is inside of the buffer. The tensor keeps the buffer alive, and its address was
    // taken for writing. The caller guarantees that there are no other references to it.
    unsafe { guard.start.at(place).write(value) };
    true
}

/// Whether a tensor has guard words.
pub fn has_guards(tensor: &NdArrayTensor) -> bool {
    with_array!(tensor, array => array.guard().is_some())
}

/// The guard words of a buffer: [`WORDS`] before its elements and as many after them.
#[derive(Debug)]
pub(crate) struct Guard<T> {
    watch: Arc<Watch>,
    start: Shared<T>,
    len: usize,
}

/// A buffer with guard words. Its own elements start at the offset.
pub(crate) struct Around<T> {
    pub(crate) elements: Vec<T>,
    pub(crate) guard: Guard<T>,
    pub(crate) offset: usize,
}

impl<T: Stored> Guard<T> {
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

fn word<T: Stored>(fill: Fill) -> T {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuDevice, NdArray};
    use tensor_op_core::{Backend, Shape, TensorData};
    use tensor_op_spec::ir::Scalar;

    #[test]
    fn what_is_written_around_a_tensor_is_told() {
        for (fill, value) in [(Fill::Zeros, 1.0f32), (Fill::Ones, 0.0)] {
            for at in [-64isize, -1, 5, 68] {
                let ((), found) = watch(fill, || {
                    let made =
                        NdArray::full(Shape::new(&[5]), Scalar::Float(3.0), DType::F32, &CpuDevice).unwrap();
                    // SAFETY: no other thread knows of the tensor.
                    assert!(unsafe { write(&made, at, value) });
                    assert_eq!(made.into_data().unwrap().into_vec::<f32>().unwrap(), [3.0; 5]);
                });
                assert_eq!(found, [Breach { dtype: DType::F32, len: 5, at }]);
            }
        }
    }

    #[test]
    fn what_is_written_inside_is_not() {
        let (data, found) = watch(Fill::Ones, || {
            let held = NdArrayTensor::from_data(TensorData::new(vec![1.0f64, 2.0], [2]).unwrap());
            // SAFETY: no other thread knows of the tensor.
            assert!(unsafe {
                write(&held, 1, 7.0f64) && !write(&held, 66, 7.0f64) && !write(&held, 0, 7.0f32)
            });
            held.into_data().unwrap()
        });
        assert_eq!((data.into_vec::<f64>().unwrap(), found), (vec![1.0, 7.0], vec![]));
        let free = NdArrayTensor::from_data(TensorData::scalar(1.0f64));
        // SAFETY: as above.
        assert!(!has_guards(&free) && !unsafe { write(&free, 0, 2.0f64) });
    }
}
