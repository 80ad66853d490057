//! Memory for what passes keep at each element of a row for later passes.

use super::plan::LoopPlan;
use super::real::Real;
use crate::array::Array;
use crate::parallel::Shared;
use tensor_op_core::Result;

/// The kept values of some elements, one after the other.
pub(crate) struct Kept<E: Real> {
    /// Only accessed through `place`.
    _memory: Array<E>,
    place: Place,
}

/// Where the values of elements are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    start: Shared<u8>,
    /// The number of elements, which is the distance from one value to the next.
    len: usize,
    /// The position of the first of these elements.
    first: usize,
}

impl<E: Real> Kept<E> {
    /// Memory for so many elements, if passes of the loop keep something.
    pub(crate) fn of(plan: &LoopPlan<E>, len: usize) -> Result<Option<Kept<E>>> {
        if plan.kept == 0 {
            return Ok(None);
        }
        let mut memory = Array::<E>::recycled(&[plan.kept, len])?;
        let start = memory.as_mut_ptr().expect("a new buffer has one owner").cast();
        Ok(Some(Kept { _memory: memory, place: Place { start: Shared(start), len, first: 0 } }))
    }

    /// Where the values are, of elements from this position on.
    pub(crate) fn place(&self, first: usize) -> Place {
        Place { first, ..self.place }
    }
}

impl Place {
    /// No memory, for loops that keep nothing.
    pub(super) const NOWHERE: Place = Place { start: Shared(std::ptr::null_mut()), len: 0, first: 0 };

    /// The address of a value at the element with this position.
    pub(super) fn address<T>(self, value: usize, position: usize) -> *mut T {
        debug_assert!((self.first..self.first + self.len).contains(&position), "kept outside of its memory");
        self.start.at(((value * self.len + position - self.first) * size_of::<T>()) as isize).cast()
    }
}
