//! Where a block is, and the runs of memory that it lies in.

use super::kept::Place;
use super::pairs::{Pairs, SHORT};
use crate::layout::Few;
use crate::nest::{FlatRun, Nest};
use smallvec::smallvec;

/// The position of a block: a row, and a part of that row. It has its own lists, so that moving it allocates
/// nothing.
pub(crate) struct Cursor {
    /// How many rows came before.
    pub(super) number: isize,
    /// Offset of the row in each operand.
    pub(super) row: Few<isize>,
    /// Offset of the block in each operand.
    pub(super) at: Few<isize>,
    /// Whether `at` is where the row begins.
    is_at_row: bool,
    /// First element of the block in the row.
    pub(crate) start: usize,
    /// Number of elements in the block.
    pub(crate) len: usize,
    /// Number of elements up to the end of the run along the innermost axis.
    run: usize,
    /// Where passes keep values for later ones.
    pub(super) kept: Place,
}

/// The steps of a run.
pub(super) enum Steps {
    /// The same from each element to the next.
    Even(isize),
    /// Those of two axes.
    Pairs(Pairs),
}

impl Cursor {
    pub(crate) fn new(operands: usize) -> Cursor {
        Cursor {
            number: 0,
            row: smallvec![0; operands],
            at: smallvec![0; operands],
            is_at_row: true,
            start: 0,
            len: 0,
            run: 0,
            kept: Place::NOWHERE,
        }
    }

    /// Moves to the row whose operands start at these offsets.
    pub(crate) fn move_to_row(&mut self, offsets: &[isize]) {
        self.number += 1;
        self.row.copy_from_slice(offsets);
        self.is_at_row = false;
    }

    /// Moves to a block of the row.
    pub(crate) fn move_to(&mut self, inner: &Nest, start: usize, len: usize) {
        (self.start, self.len) = (start, len);
        if !self.is_at_row {
            self.at.copy_from_slice(&self.row);
        }
        self.is_at_row = start == 0;
        let last = inner.rank().checked_sub(1).map_or(1, |axis| inner.size(axis));
        // Most rows are a single block, which needs none of the divisions below.
        if start == 0 {
            self.run = last;
            return;
        }
        let mut rest = start;
        for axis in (0..inner.rank()).rev() {
            let size = inner.size(axis).max(1);
            let index = if axis == 0 { rest } else { rest % size };
            rest /= size;
            if index > 0 {
                let strides = inner.strides(axis);
                self.at.iter_mut().zip(strides).for_each(|(at, stride)| *at += index as isize * stride);
            }
        }
        self.run = if inner.rank() <= 1 { last - start.min(last) } else { last - start % last.max(1) };
    }

    /// The offset of an operand in this row.
    pub(crate) fn row(&self, operand: usize) -> isize {
        self.row[operand]
    }

    /// The stride of an operand along the block, if it has one.
    pub(super) fn stride(&self, inner: &Nest, operand: usize) -> Option<isize> {
        match inner.rank() {
            0 => Some(1),
            rank if self.len <= self.run => Some(inner.stride(rank - 1, operand)),
            _ => inner.flat_stride(operand),
        }
    }

    /// Visits the block as runs. A run has an offset, steps, and its first and last element in the block. It
    /// lies along the innermost axes that are one for the operand, or also along the one around these if they
    /// are short.
    pub(super) fn each_run(
        &self,
        inner: &Nest,
        operand: usize,
        mut visit: impl FnMut(isize, Steps, usize, usize),
    ) {
        if let Some(stride) = self.stride(inner, operand) {
            return visit(self.at[operand], Steps::Even(stride), 0, self.len);
        }
        let FlatRun { mut axis, len: size, stride } = inner.flat_run(operand);
        let pairs = (size < SHORT && axis > 0).then(|| {
            axis -= 1;
            Pairs { first: 0, size, inner: stride, outer: inner.stride(axis, operand) }
        });
        let span = if pairs.is_some() { size * inner.size(axis) } else { size };
        // How many runs follow each other along the next axis, and how far apart.
        let (count, apart) = match axis.checked_sub(1) {
            Some(next) => (inner.size(next).max(1), inner.stride(next, operand)),
            None => (1, 0),
        };
        let (mut at, mut left, mut offset) = (0, 0, 0);
        let mut first = self.start % span;
        while at < self.len {
            if left == 0 {
                let run = (self.start + at) / span;
                offset = self.row[operand] + inner.offset(operand, run * span);
                left = count - run % count;
            }
            let len = (span - first).min(self.len - at);
            match pairs {
                Some(pairs) => {
                    let rows = (first / size) as isize * pairs.outer;
                    let pairs = Pairs { first: first % size, ..pairs };
                    visit(offset + rows, Steps::Pairs(pairs), at, at + len);
                }
                None => visit(offset + first as isize * stride, Steps::Even(stride), at, at + len),
            }
            (at, left, offset, first) = (at + len, left - 1, offset + apart, 0);
        }
    }
}
