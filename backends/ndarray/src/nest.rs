//! A nest of loops over strided operands: the axes of the loops, and the stride of each operand along each
//! axis.
//!
//! Neighbouring axes are merged if all operands allow it, so most nests end up as one or two long loops.

use crate::layout::Few;
use smallvec::{SmallVec, smallvec};

/// Axes from the outermost to the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nest {
    operands: usize,
    sizes: Few<usize>,
    /// Strides of the first axis, then of the second, and so on; for each axis one stride per operand.
    strides: SmallVec<[isize; 16]>,
}

/// A run of an operand along some of the innermost axes.
pub(crate) struct FlatRun {
    /// The outermost of these axes.
    pub(crate) axis: usize,
    /// Elements of a run.
    pub(crate) len: usize,
    pub(crate) stride: isize,
}

impl Nest {
    /// A nest without axes. It has one point.
    pub(crate) fn new(operands: usize) -> Nest {
        Nest { operands, sizes: Few::new(), strides: SmallVec::new() }
    }

    /// The nest over a shape, with the strides of each operand.
    pub(crate) fn over(shape: &[usize], operands: &[&[isize]]) -> Nest {
        let mut nest = Nest::new(operands.len());
        for (axis, &size) in shape.iter().enumerate() {
            nest.push(size, operands.iter().map(|strides| strides[axis]));
        }
        nest
    }

    /// Adds an axis inside all others. An axis of one element changes nothing and is left out.
    pub(crate) fn push(&mut self, size: usize, strides: impl Iterator<Item = isize>) {
        if size != 1 {
            self.sizes.push(size);
            self.strides.extend(strides);
            debug_assert_eq!(self.strides.len(), self.sizes.len() * self.operands);
        }
    }

    /// Number of axes.
    pub(crate) fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Elements along an axis.
    pub(crate) fn size(&self, axis: usize) -> usize {
        self.sizes[axis]
    }

    /// The stride of an operand along an axis.
    pub(crate) fn stride(&self, axis: usize, operand: usize) -> isize {
        self.strides[axis * self.operands + operand]
    }

    /// Sets the stride of an operand along an axis.
    pub(crate) fn set_stride(&mut self, axis: usize, operand: usize, stride: isize) {
        self.strides[axis * self.operands + operand] = stride;
    }

    /// The stride of each operand along an axis.
    pub(crate) fn strides(&self, axis: usize) -> &[isize] {
        &self.strides[axis * self.operands..(axis + 1) * self.operands]
    }

    /// Adds the axes of another nest inside all others.
    pub(crate) fn append(&mut self, inner: &Nest) {
        debug_assert_eq!(self.operands, inner.operands);
        self.sizes.extend_from_slice(&inner.sizes);
        self.strides.extend_from_slice(&inner.strides);
    }

    /// Orders the axes so that the strides of the first of these operands are smallest along the inner axes.
    /// If they are equal, the next operand decides. Equal axes keep their order.
    pub(crate) fn sort_by(&mut self, operands: &[usize]) {
        let nest = &*self;
        let key = |axis: usize| {
            operands.iter().map(move |o| std::cmp::Reverse(nest.stride(axis, *o).unsigned_abs()))
        };
        let mut order: Few<usize> = (0..self.rank()).collect();
        order.sort_by(|a, b| key(*a).cmp(key(*b)));
        if order.is_sorted() {
            return;
        }
        self.reorder(&order);
    }

    /// Reorders the axes: the new axis `i` is the old axis `order[i]`.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        let strides = order.iter().flat_map(|&axis| self.strides(axis).iter().copied()).collect();
        self.sizes = order.iter().map(|&axis| self.sizes[axis]).collect();
        self.strides = strides;
    }

    /// Merges neighbouring axes that are the same as one axis for all operands.
    pub(crate) fn merge(&mut self) {
        let mut last = 0;
        for axis in 1..self.rank() {
            let size = self.sizes[axis];
            let joint =
                (0..self.operands).all(|o| self.stride(last, o) == self.stride(axis, o) * size as isize);
            if joint {
                self.sizes[last] *= size;
            } else {
                last += 1;
                self.sizes[last] = size;
            }
            for o in 0..self.operands {
                self.strides[last * self.operands + o] = self.stride(axis, o);
            }
        }
        if self.rank() > 0 {
            self.sizes.truncate(last + 1);
            self.strides.truncate((last + 1) * self.operands);
        }
    }

    /// Splits off the innermost axis: its size and strides. If there is no axis, it has one point.
    pub(crate) fn split_inner(&self) -> (Nest, usize, Vec<isize>) {
        let Some(inner) = self.rank().checked_sub(1) else {
            return (self.clone(), 1, vec![0; self.operands]);
        };
        let outer = Nest {
            operands: self.operands,
            sizes: self.sizes[..inner].into(),
            strides: self.strides[..inner * self.operands].into(),
        };
        (outer, self.sizes[inner], self.strides(inner).to_vec())
    }

    /// The stride of an operand over all axes merged into one. `None` if they can't be merged. 1 for a nest
    /// of one point.
    pub(crate) fn flat_stride(&self, operand: usize) -> Option<isize> {
        if self.rank() == 0 {
            return Some(1);
        }
        let FlatRun { axis, stride, .. } = self.flat_run(operand);
        (axis == 0).then_some(stride)
    }

    /// The innermost axes that are one axis for an operand: the elements of a run along them, and its stride.
    /// There is at least one axis.
    pub(crate) fn flat_run(&self, operand: usize) -> FlatRun {
        let last = self.rank() - 1;
        let stride = self.stride(last, operand);
        let (mut axis, mut len) = (last, self.sizes[last]);
        while axis > 0 && self.stride(axis - 1, operand) == stride * len as isize {
            axis -= 1;
            len *= self.sizes[axis];
        }
        FlatRun { axis, len: len.max(1), stride }
    }

    /// The offset of one operand at a point. Points are counted in row-major order.
    pub(crate) fn offset(&self, operand: usize, point: usize) -> isize {
        let (mut offset, mut rest) = (0, point);
        for axis in (0..self.rank()).rev() {
            let size = self.sizes[axis].max(1);
            offset += (rest % size) as isize * self.stride(axis, operand);
            rest /= size;
        }
        offset
    }

    /// The offsets of all operands at a point. Points are counted in row-major order.
    pub(crate) fn walk(&self, point: usize) -> Walk<'_> {
        let mut walk =
            Walk { nest: self, index: smallvec![0; self.rank()], offsets: smallvec![0; self.operands] };
        let mut rest = point;
        for axis in (0..self.rank()).rev() {
            let index = rest % self.sizes[axis].max(1);
            rest /= self.sizes[axis].max(1);
            walk.index[axis] = index;
            for (offset, stride) in walk.offsets.iter_mut().zip(self.strides(axis)) {
                *offset += index as isize * stride;
            }
        }
        walk
    }
}

/// A point of a nest, which moves in row-major order.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'n> {
    nest: &'n Nest,
    index: Few<usize>,
    /// The distance of each operand from its start.
    pub(crate) offsets: Few<isize>,
}

impl Walk<'_> {
    /// Moves to the next point. After the last point comes the first one.
    pub(crate) fn next(&mut self) {
        for axis in (0..self.index.len()).rev() {
            let strides = self.nest.strides(axis);
            self.index[axis] += 1;
            if self.index[axis] < self.nest.sizes[axis] {
                self.offsets.iter_mut().zip(strides).for_each(|(offset, stride)| *offset += stride);
                return;
            }
            let back = self.index[axis] as isize - 1;
            self.index[axis] = 0;
            self.offsets.iter_mut().zip(strides).for_each(|(offset, stride)| *offset -= back * stride);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shape, the strides of two operands, and the number of axes after merging.
    type Case<'a> = (&'a [usize], [&'a [isize]; 2], usize);

    /// All offsets that a nest visits.
    fn visited(nest: &Nest) -> Vec<Few<isize>> {
        let mut walk = nest.walk(0);
        (0..nest.len())
            .map(|point| {
                assert_eq!(walk.offsets, nest.walk(point).offsets);
                let offsets = walk.offsets.clone();
                walk.next();
                offsets
            })
            .collect()
    }

    #[test]
    fn merging_keeps_the_points_and_their_order() {
        let cases: [Case<'_>; 5] = [
            (&[2, 3, 4], [&[12, 4, 1], &[12, 4, 1]], 1),
            (&[2, 3, 4], [&[12, 4, 1], &[0, 0, 1]], 2),
            (&[2, 3, 4], [&[12, 4, 1], &[0, 4, 1]], 2),
            (&[2, 3, 1, 4], [&[1, 2, 9, 6], &[12, 4, 7, 1]], 3),
            (&[], [&[], &[]], 0),
        ];
        for (shape, strides, rank) in cases {
            let nest = Nest::over(shape, &strides);
            let mut merged = nest.clone();
            merged.merge();
            assert_eq!(visited(&merged), visited(&nest));
            assert_eq!(merged.rank(), rank, "{shape:?} {strides:?}");
        }
    }

    #[test]
    fn sorting_puts_small_strides_inside() {
        let mut nest = Nest::over(&[2, 3, 4], &[&[1, 2, 6], &[0, 0, 0]]);
        nest.sort_by(&[0]);
        nest.merge();
        assert_eq!((nest.rank(), nest.size(0), nest.stride(0, 0)), (1, 24, 1));
    }
}
