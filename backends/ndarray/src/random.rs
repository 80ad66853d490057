//! Random elements. Each depends only on the draw and on its position, so threads can share the work.

use crate::array::Array;
use crate::parallel::{self, Shared};
use crate::tensor::{NdArrayTensor, Stored};
use tensor_op_core::{Draw, Result, match_dtype};

/// Elements per task.
const TASK: usize = 1 << 12;

/// A tensor of random floats.
pub(crate) fn random(draw: &Draw) -> Result<NdArrayTensor> {
    match_dtype!(draw.dtype(), T => fill::<T>(draw))
}

fn fill<T: Stored>(draw: &Draw) -> Result<NdArrayTensor> {
    let mut array = Array::<T>::recycled(draw.shape())?;
    let len = array.len();
    let place = Shared(array.as_mut_ptr().expect("a new buffer has one owner"));
    parallel::for_each(len.div_ceil(TASK), len, |task| {
        for i in parallel::piece(task, TASK, len) {
            // SAFETY: this is one of the array's `len` elements, and each task has its own elements.
            unsafe { *place.at(i as isize) = draw.element(i) };
        }
    });
    Ok(T::into_tensor(array))
}
