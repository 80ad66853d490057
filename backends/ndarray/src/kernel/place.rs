//! Scatters in which no place gets more than one element, such as the gradient of a sort.

use super::index::{INDEX, Indexed, OUT, Reader, SOURCE, Started, TASK, not_computed};
use crate::array::Array;
use crate::parallel::{self, Shared};
use crate::tensor::{NdArrayTensor, Stored};
use std::ops::Add;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use tensor_op_core::execute::BoundIndex;
use tensor_op_core::{DType, Result};
use tensor_op_spec::prim::Fold;

/// `out[along = index] = source`, and 0 elsewhere.
pub(super) fn place_bound(indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
    Started::new(Fold::Sum, indexing)?.finish(place)
}

/// Puts elements into `out`, which is filled with zeros, whose buffer no other tensor shares, and which has
/// the source's type. The bits are those of a sum: 0 in place of -0.
fn place(
    indexed: &Indexed,
    out: &mut NdArrayTensor,
    source: &NdArrayTensor,
    index: &NdArrayTensor,
) -> Result<()> {
    match source.dtype() {
        DType::F64 => place_into::<f64>(indexed, out.target()?, source.array()?, index),
        DType::F32 => place_into::<f32>(indexed, out.target()?, source.array()?, index),
        DType::I64 => place_into::<i64>(indexed, out.target()?, source.array()?, index),
        DType::F16 | DType::BF16 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
            Err(not_computed(source.dtype()))
        }
    }
}

/// An element that is stored as a whole, so that a wrong index, by which several threads store to one place,
/// is no race.
trait Whole: Stored + Add<Output = Self> {
    /// # Safety
    ///
    /// The place is valid and aligned, and is not read meanwhile.
    unsafe fn store(self, place: *mut Self);
}

macro_rules! whole {
    ($type:ty, $atomic:ty, $bits:expr) => {
        impl Whole for $type {
            unsafe fn store(self, place: *mut $type) {
                // SAFETY: the atomic has the size and the alignment of the element.
                unsafe { <$atomic>::from_ptr(place.cast()) }.store($bits(self), Ordering::Relaxed);
            }
        }
    };
}
whole!(f64, AtomicU64, f64::to_bits);
whole!(f32, AtomicU32, f32::to_bits);
whole!(i64, AtomicI64, std::convert::identity);

fn place_into<T: Whole>(
    indexed: &Indexed,
    out: Shared<T>,
    source: &Array<T>,
    index: &NdArrayTensor,
) -> Result<()> {
    let mut nest = indexed.nest.clone();
    nest.sort_by(&[SOURCE, INDEX]);
    nest.merge();
    let (outer, len, strides) = nest.split_inner();
    let read = Reader::new(index, indexed.size)?;
    let source = Shared(source.as_ptr().cast_mut());
    // A task is a part of one row, or some rows.
    let (per_row, rows) = (len.div_ceil(TASK).max(1), (TASK / len.max(1)).max(1));
    let tasks = if len == 0 { 0 } else { outer.len().div_ceil(rows) * per_row };
    let results = parallel::map(tasks, nest.len(), |task| {
        let points = parallel::piece(task / per_row, rows, outer.len());
        let part = parallel::piece(task % per_row, TASK, len);
        let mut walk = outer.walk(points.start);
        for _ in points {
            let [to, from, at] = [OUT, SOURCE, INDEX].map(|operand| walk.offsets[operand]);
            for i in part.clone() {
                let i = i as isize;
                let by = read.at(at + i * strides[INDEX])? as isize * indexed.stride;
                let place = out.at(to + i * strides[OUT] + by);
                // SAFETY: these are points of both arrays: the nest stays inside, and the index was checked
                // against the axis. Nothing reads the result before all tasks are done.
                unsafe { (T::default() + *source.at(from + i * strides[SOURCE])).store(place) };
            }
            walk.next();
        }
        Ok(())
    });
    results.into_iter().collect()
}
