//! Copies between strided arrays. If both sides are contiguous this is a memory copy; if their orders of axes
//! differ it is a transpose in tiles.

use crate::nest::Nest;
use crate::parallel::{self, Shared};

/// Side of the tiles of a transpose: 16 elements of 4 bytes are one cache line.
const TILE: usize = 16;
/// Elements per task.
const TASK: usize = 1 << 14;

/// Writes `source` to `target` over the same shape.
///
/// # Safety
/// All points of the shape under `target_strides` are valid for writes, and those under `source_strides` for
/// reads. No two points are the same element of the target, and target and source don't overlap.
pub(crate) unsafe fn copy<T: Copy + Send + Sync>(
    shape: &[usize],
    target: *mut T,
    target_strides: &[isize],
    source: *const T,
    source_strides: &[isize],
) {
    if shape.contains(&0) {
        return;
    }
    let mut nest = Nest::over(shape, &[target_strides, source_strides]);
    nest.sort_by(&[0, 1]);
    nest.merge();
    let (target, source) = (Shared(target), Shared(source.cast_mut()));
    match transposed_axis(&nest) {
        Some(axis) => transpose(nest, axis, target, source),
        None => rows(&nest, target, source),
    }
}

/// The outer axis along which the source is contiguous, if the inner axis is not that one.
fn transposed_axis(nest: &Nest) -> Option<usize> {
    let inner = nest.rank().checked_sub(1)?;
    let axis = (0..inner).find(|&axis| nest.stride(axis, 1).unsigned_abs() == 1)?;
    (nest.stride(inner, 1) > 1 && nest.size(axis) >= 4 && nest.size(inner) >= 4).then_some(axis)
}

/// Copies along the innermost axis.
fn rows<T: Copy + Send + Sync>(nest: &Nest, target: Shared<T>, source: Shared<T>) {
    let (outer, len, strides) = nest.split_inner();
    let whole = outer.len() == 1;
    // A single long run is cut into pieces; many short runs are grouped into one task.
    let per_task = if whole { 1 } else { (TASK / len).max(1) };
    let tasks = if whole { len.div_ceil(TASK) } else { outer.len().div_ceil(per_task) };
    parallel::for_each(tasks, nest.len(), |task| {
        let columns = if whole { parallel::piece(task, TASK, len) } else { 0..len };
        let points = if whole { 0..1 } else { parallel::piece(task, per_task, outer.len()) };
        let mut walk = outer.walk(points.start);
        for _ in points {
            let start = columns.start as isize;
            let to = target.at(walk.offsets[0] + start * strides[0]);
            let from = source.at(walk.offsets[1] + start * strides[1]);
            // SAFETY: these are points of the nest, which the caller of `copy` guarantees to be valid; each
            // task has its own points.
            unsafe { run(columns.len(), to, strides[0], from, strides[1]) };
            walk.next();
        }
    });
}

/// Copies along one axis.
///
/// # Safety
/// As for `copy`, along that axis.
pub(crate) unsafe fn run<T: Copy>(
    len: usize,
    target: *mut T,
    target_stride: isize,
    source: *const T,
    source_stride: isize,
) {
    match (target_stride, source_stride) {
        // SAFETY: both runs are contiguous, and the caller guarantees that their points are valid.
        (1, 1) => unsafe { source.copy_to_nonoverlapping(target, len) },
        (1, 0) => {
            // SAFETY: the source is one element and the target is a contiguous run; the caller guarantees
            // that both are valid.
            unsafe { std::slice::from_raw_parts_mut(target, len).fill(*source) }
        }
        (1, stride) => {
            for i in 0..len as isize {
                // SAFETY: this is a point of both runs.
                unsafe { *target.offset(i) = *source.offset(i * stride) }
            }
        }
        (target_stride, stride) => {
            for i in 0..len as isize {
                // SAFETY: this is a point of both runs.
                unsafe { *target.offset(i * target_stride) = *source.offset(i * stride) }
            }
        }
    }
}

/// Copies in tiles over the innermost axis and `axis`.
fn transpose<T: Copy + Send + Sync>(mut nest: Nest, axis: usize, target: Shared<T>, source: Shared<T>) {
    let inner = nest.rank() - 1;
    let order: Vec<usize> = (0..inner).filter(|a| *a != axis).chain([axis, inner]).collect();
    nest.reorder(&order);
    let (outer, columns, column_strides) = nest.split_inner();
    let (outer, rows, row_strides) = outer.split_inner();
    let is_dense = row_strides[1] == 1 && column_strides[0] == 1;
    let bands = rows.div_ceil(TILE);
    parallel::for_each(outer.len() * bands, nest.len(), |task| {
        let walk = outer.walk(task / bands);
        let band = parallel::piece(task % bands, TILE, rows);
        for tile in 0..columns.div_ceil(TILE) {
            let tile = parallel::piece(tile, TILE, columns);
            let place = |row: usize, operand: usize| {
                walk.offsets[operand]
                    + row as isize * row_strides[operand]
                    + tile.start as isize * column_strides[operand]
            };
            if is_dense && band.len() == TILE && tile.len() == TILE {
                let (to, from) = (target.at(place(band.start, 0)), source.at(place(band.start, 1)));
                // SAFETY: as below, for all rows of the tile.
                unsafe { square(to, row_strides[0], from, column_strides[1]) };
                continue;
            }
            for row in band.clone() {
                let (to, from) = (target.at(place(row, 0)), source.at(place(row, 1)));
                // SAFETY: these are points of the nest, which the caller of `copy` guarantees to be valid;
                // each task has its own points.
                unsafe { run(tile.len(), to, column_strides[0], from, column_strides[1]) };
            }
        }
    });
}

/// Transposes a tile whose rows are contiguous on both sides. Each is read once and written once: lines that
/// are a power of two apart push each other out of the cache.
///
/// # Safety
/// `TILE` elements from each of `TILE` places that are `from_stride` apart may be read, and as many be
/// written from places that are `to_stride` apart.
unsafe fn square<T: Copy>(to: *mut T, to_stride: isize, from: *const T, from_stride: isize) {
    let row = |index: usize| {
        // SAFETY: the caller guarantees that this place has `TILE` elements.
        unsafe { from.offset(index as isize * from_stride).cast::<[T; TILE]>().read_unaligned() }
    };
    let rows: [[T; TILE]; TILE] = std::array::from_fn(row);
    let column = |index: usize| -> [T; TILE] { std::array::from_fn(|row| rows[row][index]) };
    for index in 0..TILE {
        // SAFETY: the caller guarantees that this place has room for `TILE` elements.
        unsafe { to.offset(index as isize * to_stride).cast::<[T; TILE]>().write_unaligned(column(index)) };
    }
}

#[cfg(test)]
mod tests {
    use super::copy;

    /// Whole tiles, parts of tiles, and elements of all sizes, two matrices at a time.
    #[test]
    fn transposes() {
        for [rows, columns] in [[16, 16], [33, 50], [3, 40], [64, 17], [128, 128]] {
            transposed::<u8>(rows, columns);
            transposed::<u16>(rows, columns);
            transposed::<u32>(rows, columns);
            transposed::<u64>(rows, columns);
        }
    }

    fn transposed<T: Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + TryFrom<usize>>(
        rows: usize,
        columns: usize,
    ) {
        let number = |i: usize| T::try_from(i % 251).unwrap_or_default();
        let source: Vec<T> = (0..2 * rows * columns).map(number).collect();
        let mut target = vec![T::default(); source.len()];
        let matrix = (rows * columns) as isize;
        let (to, from) = ([matrix, rows as isize, 1], [matrix, 1, columns as isize]);
        // SAFETY: both have the elements of two matrices, and are vectors of their own.
        unsafe { copy(&[2, columns, rows], target.as_mut_ptr(), &to, source.as_ptr(), &from) };
        for (at, found) in target.iter().enumerate() {
            let (matrix, column, row) = (at / (rows * columns), at / rows % columns, at % rows);
            assert_eq!(*found, source[(matrix * rows + row) * columns + column], "{rows} x {columns}, {at}");
        }
    }
}
