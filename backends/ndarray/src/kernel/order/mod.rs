//! Sorting along an axis, and looking up in what is sorted.
//!
//! Each element becomes an integer in the same order, with its position in the lower bits. No two of these
//! are equal, so any sort of them is stable, and gives the same positions for any number of threads.

mod key;
mod select;

use super::bind::stride;
use crate::nest::Nest;
use crate::parallel::{self, Shared};
use crate::tensor::{NdArrayTensor, with_array};
use key::{Key, Word};
use rayon::slice::ParallelSliceMut;
use tensor_op_core::execute::{BoundSearch, BoundSort, Labeled};
use tensor_op_core::memory::reserved;
use tensor_op_core::{BoundAxis, DType, Error, ErrorKind, Result, lower_bound};
use tensor_op_spec::ir::Kind;

/// Number of elements per task.
const TASK: usize = 1 << 14;
/// A row of more elements is sorted by all threads, if there are fewer rows than [`MANY`].
const LONG: usize = 1 << 16;
/// With as many rows, threads have enough to do without sharing one.
const MANY: usize = 16;

/// The positions of the elements in their order.
pub(super) fn sort_bound(bound: BoundSort<NdArrayTensor>) -> Result<NdArrayTensor> {
    let BoundSort { source, along, kept, descending, out: axes } = bound;
    let mut out = Labeled { tensor: recycled(&axes)?, axes };
    let mut rows = Nest::new(2);
    for bound in out.axes.iter().filter(|bound| bound.axis != kept.axis) {
        rows.push(bound.size, [stride(&out, bound.axis), stride(&source, bound.axis)].into_iter());
    }
    let rows = Rows {
        rows,
        len: along.size,
        kept: kept.size,
        strides: [stride(&out, kept.axis), stride(&source, along.axis)],
        descending,
    };
    let target = out.tensor.target()?;
    with_array!(&source.tensor, array => rows.sort(target, Shared(array.as_ptr().cast_mut())))?;
    Ok(out.tensor)
}

fn recycled(axes: &[BoundAxis]) -> Result<NdArrayTensor> {
    let shape: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
    NdArrayTensor::recycled(&shape, DType::I64)
}

const OUT: usize = 0;
const SOURCE: usize = 1;

/// Rows to sort.
struct Rows {
    /// All axes but the sorted one, with the strides of the result and the source.
    rows: Nest,
    /// Elements of a row.
    len: usize,
    /// Positions that are wanted of a row.
    kept: usize,
    /// How far the result and the source move along a row.
    strides: [isize; 2],
    descending: bool,
}

impl Rows {
    fn sort<T: Key>(&self, out: Shared<i64>, source: Shared<T>) -> Result<()> {
        let rows = self.rows.len();
        if self.kept == 0 || rows == 0 {
            return Ok(());
        }
        if u32::try_from(self.len).is_err() {
            let message = format!("{} elements are more than a sort takes, which is 2^32 - 1", self.len);
            return Err(Error::new(ErrorKind::Overflow, message));
        }
        let is_shared = rows < MANY && self.len > LONG;
        let per_task = if is_shared { rows } else { (TASK / self.len).max(1) };
        parallel::try_for_each(rows.div_ceil(per_task), rows * self.len, |task| {
            let part = parallel::piece(task, per_task, rows);
            let mut walk = self.rows.walk(part.start);
            let mut words = reserved::<T::Word>(select::most(self.kept, self.len))?;
            for _ in part {
                let (out, source) = (out.at(walk.offsets[OUT]), source.at(walk.offsets[SOURCE]));
                self.words::<T>(source, &mut words);
                if is_shared && !parallel::is_alone() {
                    parallel::within(|| words.par_sort_unstable());
                } else {
                    words.sort_unstable();
                }
                for (at, word) in words.iter().take(self.kept).enumerate() {
                    let place = out.wrapping_offset(at as isize * self.strides[OUT]);
                    // SAFETY: this is a place of the result, and no other task has its row.
                    unsafe { *place = word.position() as i64 };
                }
                walk.next();
            }
            Ok(())
        })
    }

    /// The words of a row that are among the first ones.
    fn words<T: Key>(&self, source: *const T, words: &mut Vec<T::Word>) {
        words.clear();
        let row = (0..self.len).map(|at| {
            // SAFETY: this is a place of the source.
            let value = unsafe { *source.wrapping_offset(at as isize * self.strides[SOURCE]) };
            value.word(at, self.descending)
        });
        select::first(row, self.kept, self.len, words);
    }
}

/// How many elements come before each value.
pub(super) fn search_bound(bound: BoundSearch<NdArrayTensor>) -> Result<NdArrayTensor> {
    let BoundSearch { sorted, values, along, right, out: axes } = bound;
    let mut out = Labeled { tensor: recycled(&axes)?, axes };
    let mut nest = Nest::new(3);
    for bound in &out.axes {
        let of_sorted = if bound.axis == along.axis { 0 } else { stride(&sorted, bound.axis) };
        let strides = [stride(&out, bound.axis), of_sorted, stride(&values, bound.axis)];
        nest.push(bound.size, strides.into_iter());
    }
    let search = Search { nest, len: along.size, stride: stride(&sorted, along.axis), right };
    let target = out.tensor.target()?;
    match sorted.tensor.dtype().kind() {
        Kind::Float => search.run::<f64>(target, &sorted.tensor, &values.tensor),
        Kind::Int | Kind::Bool => search.run::<i64>(target, &sorted.tensor, &values.tensor),
    }
    Ok(out.tensor)
}

/// Values to look up.
struct Search {
    /// The strides of the result, of the rows of what is sorted, and of the values.
    nest: Nest,
    /// Sorted elements of a row.
    len: usize,
    /// How far they are from each other.
    stride: isize,
    right: bool,
}

impl Search {
    fn run<T: Key + super::stream::Lanes>(
        &self,
        out: Shared<i64>,
        sorted: &NdArrayTensor,
        values: &NdArrayTensor,
    ) {
        let read = |tensor: &NdArrayTensor| (Shared(tensor.as_ptr().cast_mut()), tensor.dtype());
        let (sorted, values) = (read(sorted), read(values));
        let key = |(memory, dtype): (Shared<u8>, DType), offset: isize| {
            let place = memory.at(offset * dtype.size() as isize);
            // SAFETY: the offset is a place of the tensor, whose elements have this dtype.
            unsafe { super::stream::read_one::<T>(dtype, place) }.key()
        };
        let count = self.nest.len();
        parallel::for_each(count.div_ceil(TASK), count, |task| {
            let part = parallel::piece(task, TASK, count);
            let mut walk = self.nest.walk(part.start);
            for _ in part {
                let [to, row, value] = [0, 1, 2].map(|operand| walk.offsets[operand]);
                let value = key(values, value);
                let count = lower_bound(self.len, |at| {
                    let element = key(sorted, row + at as isize * self.stride);
                    element < value || self.right && element == value
                });
                // SAFETY: this is a place of the result, and no other task has it.
                unsafe { *out.at(to) = count as i64 };
                walk.next();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_op_core::TensorData;

    /// The positions that a plain stable sort gives.
    fn expected(row: &[f32], descending: bool) -> Vec<i64> {
        let mut places: Vec<i64> = (0..row.len() as i64).collect();
        let rank = |at: i64| row[at as usize];
        places.sort_by(|a, b| {
            let (a, b) = if descending { (rank(*b), rank(*a)) } else { (rank(*a), rank(*b)) };
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        });
        places
    }

    fn found(row: &[f32], kept: usize, descending: bool) -> Vec<i64> {
        let axis = |dim, size| BoundAxis {
            axis: tensor_op_core::AxisId { dim: tensor_op_spec::ir::DimId::new(dim), part: 0 },
            size,
        };
        let (along, to) = (axis(0, row.len()), axis(1, kept));
        let tensor = NdArrayTensor::from_data(TensorData::new(row.to_vec(), [row.len()]).unwrap());
        let source = Labeled { tensor, axes: vec![along] };
        let sort = BoundSort { source, along, kept: to, descending, out: vec![to] };
        sort_bound(sort).unwrap().into_data().unwrap().into_vec::<i64>().unwrap()
    }

    #[test]
    fn positions_are_those_of_a_stable_sort() {
        let special = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -1.0];
        for len in [1, 2, 7, 100, 3000, 70_000] {
            let row: Vec<f32> = (0..len)
                .map(|i| if i % 3 == 0 { special[i / 3 % 8] } else { (i * 7919 % 997) as f32 })
                .collect();
            for descending in [false, true] {
                let all = expected(&row, descending);
                for kept in [1, 5, len / 20, len].into_iter().filter(|kept| (1..=len).contains(kept)) {
                    assert_eq!(found(&row, kept, descending), all[..kept], "{len} {kept} {descending}");
                }
            }
        }
    }
}
