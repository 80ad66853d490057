//! How the rows of a stream are cut into tiles, and which tiles make a task.
//!
//! Rows lie along several axes. Batch axes come first, because a product over several of them is several
//! products. The tiles of a task are computed in order, and each adds its terms to the sums of the task. So
//! the result does not depend on the number of threads.

use crate::{BoundAxis, Cut};
use std::ops::Range;

/// What a backend needs to know about a stream, to say how large its tiles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSize {
    /// Number of rows.
    pub rows: usize,
    /// In how many batches the rows lie: each has products of its own.
    pub batches: usize,
    /// Number of elements along a row of the values that pass between kernels.
    pub along: usize,
    /// Number of elements that each tile reads again, because they don't vary along the rows of one batch.
    pub shared: usize,
}

/// The size of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSize {
    /// About how many rows a tile has.
    pub rows: usize,
    /// At most how many of them are of one batch, if columns can be left out of some tiles. A mask hides more
    /// columns from all rows of a tile if the rows are close together.
    pub close: usize,
    /// Columns that add nothing are left out in blocks of this many.
    pub block: usize,
    /// How many tasks keep the backend busy. If there are fewer, the tiles that add to the same sums are
    /// dealt to several tasks, of which each has sums of its own.
    pub tasks: usize,
}

/// The tiles of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    /// The axes of rows. The first `apart` of them are those that all sums have. A task has one place along
    /// them, so that no other place adds to its sums.
    axes: Vec<Pieces>,
    apart: usize,
    /// For each place, the number of tasks that share its tiles.
    parts: usize,
    /// Columns that add nothing are left out in blocks of this many.
    pub(super) block: usize,
}

/// An axis that is cut into pieces of one length; the last may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pieces {
    axis: BoundAxis,
    len: usize,
}

impl Pieces {
    fn count(&self) -> usize {
        self.axis.size.div_ceil(self.len)
    }

    fn cut(&self, index: usize) -> Cut {
        let BoundAxis { axis, size } = self.axis;
        let start = index * self.len;
        Cut { axis, start, len: self.len.min(size - start), whole: size }
    }
}

impl Tiles {
    /// Tiles of a size. `rows` are the axes of batches, and those of the rows of a batch. `is_apart` says
    /// whether all sums of the stream have an axis.
    pub(super) fn new(
        rows: [&[BoundAxis]; 2],
        size: TileSize,
        is_apart: impl Fn(BoundAxis) -> bool,
    ) -> Tiles {
        let [batches, of_batch] = rows;
        let of_batch = pieces(of_batch, size.rows.min(size.close));
        let count: usize = of_batch.iter().map(|pieces| pieces.len).product();
        let batches = pieces(batches, size.rows / count.max(1));
        let (mut axes, summed): (Vec<Pieces>, Vec<Pieces>) =
            batches.into_iter().chain(of_batch).partition(|pieces| is_apart(pieces.axis));
        let apart = axes.len();
        axes.extend(summed);
        let places: usize = axes[..apart].iter().map(Pieces::count).product();
        let tiles: usize = axes[apart..].iter().map(Pieces::count).product();
        let parts = size.tasks.div_ceil(places.max(1)).min(tiles);
        Tiles { axes, apart, parts, block: size.block.max(1) }
    }

    /// The first tile and the last one.
    pub(super) fn ends(&self) -> impl Iterator<Item = Vec<Cut>> {
        let last = self.tasks().checked_sub(1);
        let first = last.and_then(|_| self.of_task(0).next());
        first.into_iter().chain(last.and_then(|last| self.of_task(last).last()))
    }

    /// Number of tasks.
    pub(super) fn tasks(&self) -> usize {
        self.axes[..self.apart].iter().map(Pieces::count).product::<usize>() * self.parts
    }

    /// The tiles of a task, in order.
    pub(super) fn of_task(&self, task: usize) -> impl Iterator<Item = Vec<Cut>> {
        let (place, part) = (task / self.parts, task % self.parts);
        let summed = &self.axes[self.apart..];
        let all: usize = summed.iter().map(Pieces::count).product();
        let range: Range<usize> = all * part / self.parts..all * (part + 1) / self.parts;
        range.map(move |index| [cuts(&self.axes[..self.apart], place), cuts(summed, index)].concat())
    }
}

/// Axes in pieces of about this many points. The last axes are kept whole.
fn pieces(axes: &[BoundAxis], points: usize) -> Vec<Pieces> {
    let mut left = points.max(1);
    let mut pieces: Vec<Pieces> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        let len = axis.size.clamp(1, left);
        left = if len < axis.size { 1 } else { left / len };
        pieces.push(Pieces { axis: *axis, len });
    }
    pieces.reverse();
    pieces
}

/// The pieces with an index, counted row-major.
fn cuts(axes: &[Pieces], mut index: usize) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::with_capacity(axes.len());
    for pieces in axes.iter().rev() {
        cuts.push(pieces.cut(index % pieces.count()));
        index /= pieces.count();
    }
    cuts.reverse();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AxisId;
    use tensor_op_spec::ir::DimId;

    /// Checks the tiles of each task, written as the ranges of its axes. The first axis is that of batches,
    /// and the last `summed` axes are summed.
    fn check(sizes: &[usize], rows: usize, summed: usize, expected: &[&[&str]]) {
        check_close(sizes, rows, usize::MAX, summed, expected);
    }

    /// Checks the same with at most `close` rows of one batch.
    fn check_close(sizes: &[usize], rows: usize, close: usize, summed: usize, expected: &[&[&str]]) {
        let bound = |(dim, size): (usize, &usize)| BoundAxis {
            axis: AxisId { dim: DimId::new(dim), part: 0 },
            size: *size,
        };
        let axes: Vec<BoundAxis> = sizes.iter().enumerate().map(bound).collect();
        let size = TileSize { rows, close, block: 1, tasks: 16 };
        let (batches, of_batch) = axes.split_at(1);
        let tiles =
            Tiles::new([batches, of_batch], size, |axis| axis.axis.dim.index() + summed < sizes.len());
        let text = |cut: &Cut| format!("{}..{}", cut.start, cut.start + cut.len);
        let line = |cuts: Vec<Cut>| cuts.iter().map(text).collect::<Vec<_>>().join(" ");
        let found: Vec<Vec<String>> =
            (0..tiles.tasks()).map(|task| tiles.of_task(task).map(line).collect()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_axes_are_kept_whole() {
        check(
            &[2, 5],
            2,
            0,
            &[&["0..1 0..2"], &["0..1 2..4"], &["0..1 4..5"], &["1..2 0..2"], &["1..2 2..4"], &["1..2 4..5"]],
        );
        check(&[3, 2], 4, 0, &[&["0..2 0..2"], &["2..3 0..2"]]);
        check(&[3, 2], 100, 0, &[&["0..3 0..2"]]);
    }

    #[test]
    fn close_rows_are_of_more_batches() {
        check_close(&[3, 4], 4, 2, 0, &[&["0..2 0..2"], &["0..2 2..4"], &["2..3 0..2"], &["2..3 2..4"]]);
        check_close(&[2, 3], 100, 2, 0, &[&["0..2 0..2"], &["0..2 2..3"]]);
        check_close(&[3, 2], 100, 2, 0, &[&["0..3 0..2"]]);
    }

    #[test]
    fn tasks_that_are_few_share_a_sum() {
        check(&[1, 3], 1, 1, &[&["0..1 0..1"], &["0..1 1..2"], &["0..1 2..3"]]);
        let places: Vec<Vec<String>> =
            (0..16).map(|p| vec![format!("{p}..{} 0..1", p + 1), format!("{p}..{} 1..2", p + 1)]).collect();
        let places: Vec<Vec<&str>> = places.iter().map(|p| p.iter().map(String::as_str).collect()).collect();
        check(&[16, 2], 1, 1, &places.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_axis_has_no_tiles() {
        check(&[0, 3], 2, 0, &[]);
        check(&[2, 0], 2, 1, &[]);
    }
}
