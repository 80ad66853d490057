//! Gather and scatter: one operand moves by an integer value along one of its axes.
//!
//! A gather is parallel over its results. A scatter is parallel over an axis of its result that is not
//! indexed. So no two threads add to the same element, and elements are added in the order of the source. If
//! it is known that no place gets two elements, it is parallel over its elements (`place.rs`).

use super::bind::stride;
use super::stream::Lanes;
use crate::array::Array;
use crate::block::{BLOCK, fold};
use crate::nest::Nest;
use crate::parallel::{self, Shared};
use crate::tensor::{NdArrayTensor, Stored, with_array};
use crate::{cast, copy, shape};
use std::ops::{Add, Mul};
use tensor_op_core::execute::{BoundIndex, Labeled, Site};
use tensor_op_core::{AxisId, BoundAxis, DType, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// `out = source[along = index]`.
pub(super) fn gather_bound(indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
    let BoundIndex { source, index, along, out: axes, site, .. } = indexing;
    let shape: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
    let mut out = Labeled { tensor: NdArrayTensor::recycled(&shape, source.tensor.dtype())?, axes };
    // The index itself may have the indexed dim. The result's dim is then that of the index.
    let indexed = Indexed {
        nest: nest_of(&out.axes, |axis| {
            let from = if axis == along.axis { 0 } else { stride(&source, axis) };
            [stride(&out, axis), from, stride(&index, axis)]
        }),
        stride: stride(&source, along.axis),
        size: along.size,
    };
    let found = if out.tensor.elements() == 0 {
        look_at(&index.tensor, indexed.size)
    } else {
        gather(&indexed, &mut out.tensor, &source.tensor, &index.tensor)
    };
    found.map_err(|error| at_site(error, site))?;
    Ok(out.tensor)
}

/// Shorter runs of elements with one index are gathered before they are read.
const SHORTEST_RUN: usize = 4;

/// Whether loops read what a gather gives by its index: if elements that have one index lie side by side.
/// The index is checked then.
pub(super) fn defers(indexing: &BoundIndex<'_, NdArrayTensor>) -> Result<bool> {
    let BoundIndex { source, index, along, out, site, .. } = indexing;
    let is_run = |bound: &BoundAxis| {
        let is_along = bound.axis != along.axis && bound.size >= SHORTEST_RUN;
        is_along && stride(source, bound.axis) == 1 && stride(index, bound.axis) == 0
    };
    if out.iter().any(|bound| bound.size == 0) || !out.iter().any(is_run) {
        return Ok(false);
    }
    look_at(&index.tensor, along.size).map_err(|error| at_site(error, *site))?;
    Ok(true)
}

/// `out[along = index] += source`, where `out` starts with zeros; or the same with another reduction.
pub(super) fn scatter_bound(fold: Fold, indexing: BoundIndex<'_, NdArrayTensor>) -> Result<NdArrayTensor> {
    Started::new(fold, indexing)?
        .finish(|indexed, out, source, index| scatter(fold, indexed, out, source, index))
}

/// A scatter whose result holds what no elements give.
pub(super) struct Started<'s> {
    indexed: Indexed,
    out: NdArrayTensor,
    source: NdArrayTensor,
    index: NdArrayTensor,
    site: Site<'s>,
}

impl<'s> Started<'s> {
    pub(super) fn new(fold: Fold, indexing: BoundIndex<'s, NdArrayTensor>) -> Result<Started<'s>> {
        let BoundIndex { source, index, along, out: axes, walked, computed, site, .. } = indexing;
        let shape: Vec<usize> = axes.iter().map(|bound| bound.size).collect();
        let source = Labeled { tensor: cast::cast(source.tensor, computed)?, axes: source.axes };
        let start = fold.of_nothing(computed.kind());
        let out = Labeled { tensor: shape::full(&Shape::new(&shape), start, computed)?, axes };
        let indexed = Indexed {
            nest: nest_of(&walked, |axis| {
                let to = if axis == along.axis { 0 } else { stride(&out, axis) };
                [to, stride(&source, axis), stride(&index, axis)]
            }),
            stride: stride(&out, along.axis),
            size: along.size,
        };
        Ok(Started { indexed, out: out.tensor, source: source.tensor, index: index.tensor, site })
    }

    /// The result, to which this adds the elements.
    pub(super) fn finish(
        mut self,
        add: impl FnOnce(&Indexed, &mut NdArrayTensor, &NdArrayTensor, &NdArrayTensor) -> Result<()>,
    ) -> Result<NdArrayTensor> {
        add(&self.indexed, &mut self.out, &self.source, &self.index)
            .map_err(|error| at_site(error, self.site))?;
        Ok(self.out)
    }
}

/// Adds the indexed dim to the error, and the index if it is an argument.
fn at_site(error: Error, site: Site<'_>) -> Error {
    let error = error.with_dim(site.dim);
    match site.arg {
        Some(arg) => error.with_arg(arg),
        None => error,
    }
}

/// The loops of a gather or scatter, and how far the indexed operand moves for each step of the index.
#[derive(Debug)]
pub(crate) struct Indexed {
    /// Strides of out, source and index.
    pub(crate) nest: Nest,
    /// Stride of the indexed operand along the indexed axis.
    pub(crate) stride: isize,
    /// Size of the indexed axis.
    pub(crate) size: usize,
}

pub(super) const OUT: usize = 0;
pub(super) const SOURCE: usize = 1;
pub(super) const INDEX: usize = 2;
/// Number of points per task.
pub(super) const TASK: usize = 1 << 13;

fn nest_of(axes: &[BoundAxis], strides: impl Fn(AxisId) -> [isize; 3]) -> Nest {
    let mut nest = Nest::new(3);
    axes.iter().for_each(|bound| nest.push(bound.size, strides(bound.axis).into_iter()));
    nest
}

/// Checks all elements of an index.
fn look_at(index: &NdArrayTensor, size: usize) -> Result<()> {
    let read = Reader::new(index, size)?;
    let mut nest = Nest::over(index.shape(), &[&index.layout().strides]);
    nest.merge();
    let (outer, len, strides) = nest.split_inner();
    let (rows, parts) = ((TASK / len.max(1)).max(1), len.div_ceil(TASK));
    let results = parallel::map(outer.len().div_ceil(rows) * parts, nest.len(), |task| {
        let part = parallel::piece(task % parts, TASK, len);
        let points = parallel::piece(task / parts, rows, outer.len());
        let mut walk = outer.walk(points.start);
        for _ in points {
            read.check(walk.offsets[0] + part.start as isize * strides[0], strides[0], part.len())?;
            walk.next();
        }
        Ok(())
    });
    results.into_iter().collect()
}

/// Fills `out`, whose buffer no other tensor shares and which has the source's type.
pub(crate) fn gather(
    indexed: &Indexed,
    out: &mut NdArrayTensor,
    source: &NdArrayTensor,
    index: &NdArrayTensor,
) -> Result<()> {
    with_array!(source, source => gather_into(indexed, out.target()?, source, index))
}

fn gather_into<T: Stored>(
    indexed: &Indexed,
    out: Shared<T>,
    source: &Array<T>,
    index: &NdArrayTensor,
) -> Result<()> {
    let mut nest = indexed.nest.clone();
    nest.sort_by(&[OUT]);
    nest.merge();
    let (outer, len, strides) = nest.split_inner();
    let read = Reader::new(index, indexed.size)?;
    let source = Shared(source.as_ptr().cast_mut());
    let per_task = (TASK / len.max(1)).max(1);
    let tasks = if len == 0 { 0 } else { outer.len().div_ceil(per_task) };
    let results = parallel::map(tasks, nest.len(), |task| {
        let points = parallel::piece(task, per_task, outer.len());
        let mut walk = outer.walk(points.start);
        for _ in points {
            let [to, from, at] = [OUT, SOURCE, INDEX].map(|operand| walk.offsets[operand]);
            if strides[INDEX] == 0 {
                let from = source.at(from + read.at(at)? as isize * indexed.stride);
                // SAFETY: these are points of both arrays: the nest stays inside, and the index was checked
                // against the axis. Nobody else has the result's buffer, so that they don't overlap.
                unsafe { copy::run(len, out.at(to), strides[OUT], from, strides[SOURCE]) };
            } else {
                for i in 0..len as isize {
                    let by = read.at(at + i * strides[INDEX])? as isize * indexed.stride;
                    // SAFETY: as above.
                    unsafe { *out.at(to + i * strides[OUT]) = *source.at(from + i * strides[SOURCE] + by) };
                }
            }
            walk.next();
        }
        Ok(())
    });
    // The first error in the order of the result, whichever thread found an error first.
    results.into_iter().collect()
}

/// Adds to `out`, whose buffer no other tensor shares and which has the source's type; or combines by another
/// reduction.
pub(crate) fn scatter(
    fold: Fold,
    indexed: &Indexed,
    out: &mut NdArrayTensor,
    source: &NdArrayTensor,
    index: &NdArrayTensor,
) -> Result<()> {
    match source.dtype() {
        DType::F64 => scatter_floats::<f64>(fold, indexed, out, source, index),
        DType::F32 => scatter_floats::<f32>(fold, indexed, out, source, index),
        DType::I64 => match fold {
            Fold::Sum => scatter_into(indexed, out.target()?, source.array()?, index, i64::wrapping_add),
            Fold::Prod => scatter_into(indexed, out.target()?, source.array()?, index, i64::wrapping_mul),
            Fold::Max => scatter_into(indexed, out.target()?, source.array()?, index, i64::max),
            Fold::Min => scatter_into(indexed, out.target()?, source.array()?, index, i64::min),
            Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => Err(not_scattered(fold)),
        },
        DType::F16 | DType::BF16 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
            Err(not_computed(source.dtype()))
        }
    }
}

pub(super) fn not_computed(dtype: DType) -> Error {
    Error::new(ErrorKind::DType, format!("{dtype} is not computed in; cast it first"))
}

fn scatter_floats<T>(
    fold: Fold,
    indexed: &Indexed,
    out: &mut NdArrayTensor,
    source: &NdArrayTensor,
    index: &NdArrayTensor,
) -> Result<()>
where
    T: Stored + fold::Fold + Add<Output = T> + Mul<Output = T>,
{
    let (out, source) = (out.target::<T>()?, source.array::<T>()?);
    match fold {
        Fold::Sum => scatter_into(indexed, out, source, index, |a, b| a + b),
        Fold::Prod => scatter_into(indexed, out, source, index, |a, b| a * b),
        Fold::Max => scatter_into(indexed, out, source, index, T::maximum),
        Fold::Min => scatter_into(indexed, out, source, index, T::minimum),
        Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => Err(not_scattered(fold)),
    }
}

fn not_scattered(fold: Fold) -> Error {
    let message = format!("elements of this kind that have one index are not combined by {}", fold.name());
    Error::new(ErrorKind::Unsupported, message)
}

fn scatter_into<T: Stored>(
    indexed: &Indexed,
    out: Shared<T>,
    source: &Array<T>,
    index: &NdArrayTensor,
    add: impl Fn(T, T) -> T + Sync,
) -> Result<()> {
    let (shared, nest) = shared_axis(&indexed.nest);
    let read = Reader::new(index, indexed.size)?;
    let source = Shared(source.as_ptr().cast_mut());
    let (outer, len, strides) = nest.split_inner();
    let points = outer.len();
    // Each task has a part of the innermost axis. If the result moves along that axis, tasks write to
    // different elements.
    let per_task = if shared { len.div_ceil(64).max(16) } else { len.max(1) };
    let results = parallel::map(len.div_ceil(per_task), nest.len(), |task| {
        let part = parallel::piece(task, per_task, len);
        let mut walk = outer.walk(0);
        for _ in 0..points {
            let [to, from, at] = [OUT, SOURCE, INDEX].map(|operand| walk.offsets[operand]);
            let first = part.start as isize;
            let (to, from) = (to + first * strides[OUT], source.at(from + first * strides[SOURCE]));
            if strides[INDEX] == 0 {
                let to = out.at(to + read.at(at)? as isize * indexed.stride);
                // SAFETY: these are points of both arrays: the nest stays inside, and the index was checked
                // against the axis. The elements of two tasks differ by at least one step of the shared axis.
                unsafe { add_run(part.len(), to, strides[OUT], from, strides[SOURCE], &add) };
            } else {
                for i in 0..part.len() as isize {
                    let by = read.at(at + (first + i) * strides[INDEX])? as isize * indexed.stride;
                    let place = out.at(to + i * strides[OUT] + by);
                    // SAFETY: as above.
                    unsafe { *place = add(*place, *from.offset(i * strides[SOURCE])) };
                }
            }
            walk.next();
        }
        Ok(())
    });
    results.into_iter().collect()
}

/// Adds a run of elements, at a position of the result that the whole run shares.
///
/// # Safety
/// As for `copy::run`. Elements of the result are also valid for reads.
unsafe fn add_run<T: Copy>(
    len: usize,
    target: *mut T,
    target_stride: isize,
    source: *const T,
    source_stride: isize,
    add: impl Fn(T, T) -> T,
) {
    if (target_stride, source_stride) == (1, 1) {
        // SAFETY: both runs are contiguous, and the caller guarantees that they are valid and don't overlap.
        let (target, source) =
            unsafe { (std::slice::from_raw_parts_mut(target, len), std::slice::from_raw_parts(source, len)) };
        target.iter_mut().zip(source).for_each(|(to, from)| *to = add(*to, *from));
        return;
    }
    for i in 0..len as isize {
        // SAFETY: these are points of both runs.
        unsafe {
            let to = target.offset(i * target_stride);
            *to = add(*to, *source.offset(i * source_stride));
        }
    }
}

/// Among the axes along which the result moves, makes the longest one innermost, if there is one.
fn shared_axis(nest: &Nest) -> (bool, Nest) {
    let mut nest = nest.clone();
    let longest =
        (0..nest.rank()).filter(|axis| nest.stride(*axis, OUT) != 0).max_by_key(|axis| nest.size(*axis));
    if let Some(axis) = longest {
        let order: Vec<usize> = (0..nest.rank()).filter(|a| *a != axis).chain([axis]).collect();
        nest.reorder(&order);
    }
    (longest.is_some(), nest)
}

/// Reads indices and checks them.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    place: Shared<u8>,
    dtype: DType,
    size: usize,
}

impl Reader {
    pub(super) fn new(index: &NdArrayTensor, size: usize) -> Result<Reader> {
        if index.dtype().kind() != Kind::Int {
            let message = format!("an index of {} was given; it must be i64, i32, u32 or u8", index.dtype());
            return Err(Error::new(ErrorKind::DType, message));
        }
        Ok(Reader { place: Shared(index.as_ptr().cast_mut()), dtype: index.dtype(), size })
    }

    /// Checks some elements, each one a stride after the one before.
    fn check(&self, first: isize, stride: isize, len: usize) -> Result<()> {
        let mut block = [0_i64; BLOCK];
        for start in (0..len).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(len - start)];
            let at = |i: usize| first + (start + i) as isize * stride;
            let place = self.place.at(at(0) * self.dtype.size() as isize);
            // SAFETY: the caller's elements are inside of the index array, which has this dtype.
            unsafe { i64::read(self.dtype, place, stride, block) };
            let is_outside = |value: &i64| *value as u64 >= self.size as u64;
            if block.iter().fold(false, |any, value| any | is_outside(value)) {
                (0..block.len()).try_for_each(|i| self.at(at(i)).map(|_| ()))?;
            }
        }
        Ok(())
    }

    pub(super) fn at(&self, offset: isize) -> Result<usize> {
        let place = self.place.at(offset * self.dtype.size() as isize);
        // SAFETY: the nest stays inside of the index array, which has this dtype.
        let value: i64 = unsafe { super::stream::read_one(self.dtype, place) };
        match usize::try_from(value) {
            Ok(at) if at < self.size => Ok(at),
            Ok(_) | Err(_) => {
                let message = match self.size {
                    0 => "is empty, and an element of it is read".to_string(),
                    size => format!("has size {size}, but the index is {value}"),
                };
                Err(Error::new(ErrorKind::Index, message))
            }
        }
    }
}
