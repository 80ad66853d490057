//! Guard words around tensors, for tests: while a thread watches, each buffer that it makes lies between
//! elements that are looked at when it is given back.
//!
//! Compiled with the feature `guards` alone. Data that comes in is copied between guard words too, so that a
//! result which takes the memory of an argument is watched as any other.

use crate::array::Stored;
use crate::parallel::Shared;
use crate::tensor::{NdArrayTensor, with_array};
use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{DType, Result};

/// Guard words on either side: enough for a vector register of the smallest elements, and a multiple that
/// keeps alignment.
const WORDS: usize = 64;

thread_local! {
    static WATCH: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

/// What a thread looks out for.
#[derive(Debug)]
struct Watch {
    fill: Fill,
    found: Mutex<Vec<Breach>>,
}

/// What guard words hold, and new buffers until something is written there. A kernel that writes one of them
/// is found with the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// 0, `false`.
    Zeros,
    /// 1, `true`.
    Ones,
}

/// A guard word that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Of the buffer.
    pub dtype: DType,
    /// How many elements the buffer holds for its tensor.
    pub len: usize,
    /// Where the word is, counted from the first element.
    pub at: isize,
}

/// Runs with guard words around what this thread makes, and says which of them were written. Buffers that
/// outlive the run are not looked at.
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

/// Writes an element of a tensor's buffer, of guard words too, for a kernel that is wrong on purpose. Returns
/// whether it was: not so if the tensor has no guard words, or holds another type, or the place is beyond
/// them.
///
/// # Safety
/// Nobody reads or writes the tensor's buffer on another thread meanwhile, and no reference to its elements
/// is alive.
pub unsafe fn write<T: Stored>(tensor: &NdArrayTensor, at: isize, value: T) -> bool {
    let Some(array) = T::of_tensor(tensor) else { return false };
    let Some(guard) = array.guard() else { return false };
    let place = array.layout().offset as isize + at;
    if place < 0 || place >= (guard.len + 2 * WORDS) as isize {
        return false;
    }
    // SAFETY: the place is inside of the buffer, which the tensor keeps alive, and whose address was taken to
    // be written; the caller promises that nobody else refers to it.
    unsafe { guard.start.at(place).write(value) };
    true
}

/// Whether a tensor lies between guard words.
pub fn has_guards(tensor: &NdArrayTensor) -> bool {
    with_array!(tensor, array => array.guard().is_some())
}

/// The guard words of a buffer: [`WORDS`] before its elements and as many behind them.
#[derive(Debug)]
pub(crate) struct Guard<T> {
    watch: Arc<Watch>,
    start: Shared<T>,
    len: usize,
}

/// A buffer whose own elements start at the offset.
pub(crate) struct Around<T> {
    pub(crate) elements: Vec<T>,
    pub(crate) guard: Guard<T>,
    pub(crate) offset: usize,
}

impl<T: Stored> Guard<T> {
    /// Room for so many elements between guard words, if this thread watches.
    pub(crate) fn around(len: usize) -> Result<Option<Around<T>>> {
        let Some(watch) = WATCH.with_borrow(Clone::clone) else { return Ok(None) };
        let mut elements = T::pool().take(len + 2 * WORDS)?;
        elements.fill(word(watch.fill));
        let start = Shared(elements.as_mut_ptr());
        Ok(Some(Around { elements, guard: Guard { watch, start, len }, offset: WORDS }))
    }

    /// Looks at the words of the buffer.
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
