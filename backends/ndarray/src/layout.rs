//! Where the elements of a tensor are in its buffer: a shape, a stride for each axis, and the offset of the
//! first element.
//!
//! Views (permuted, sliced, broadcast) are other layouts of the same buffer. Strides count elements. They are
//! 0 along broadcast axes and may be negative.

use smallvec::{SmallVec, smallvec};
use tensor_op_core::{Error, ErrorKind, Result, Shape};

/// A short list that needs no allocation: most tensors have few axes, and most loops few operands.
pub(crate) type Few<T> = SmallVec<[T; 6]>;

/// A strided view of a buffer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    pub(crate) strides: Few<isize>,
    pub(crate) offset: usize,
}

impl Clone for Layout {
    fn clone(&self) -> Layout {
        // A copy of the whole list, which the derived one makes number by number.
        let strides = Few::from_slice(&self.strides);
        Layout { shape: self.shape.clone(), strides, offset: self.offset }
    }
}

impl Layout {
    /// Row-major from the start of the buffer.
    pub(crate) fn contiguous(shape: &[usize]) -> Layout {
        Layout { shape: Shape::new(shape), strides: row_major(shape), offset: 0 }
    }

    /// A layout that another library describes, in a buffer of `len` elements. An `Err` if there are more
    /// elements than can be counted, or if one of them is outside the buffer. A layout without elements
    /// becomes row-major, whatever its strides were.
    pub(crate) fn within(len: usize, shape: &[usize], strides: &[isize], offset: usize) -> Result<Layout> {
        let shape = Shape::new(shape);
        if shape.len() != strides.len() {
            let message =
                format!("shape {shape} has {} axes, but {} strides were given", shape.len(), strides.len());
            return Err(Error::new(ErrorKind::Rank, message));
        }
        if shape.elements()? == 0 {
            return Ok(Layout::contiguous(&shape));
        }
        // The stride of an axis with one element is never used. If it leads out of the buffer, it could only
        // cause an overflow in a computation, so it is set to 0.
        let walked = |(size, stride): (&usize, &isize)| {
            if *size == 1 && stride.unsigned_abs() > len { 0 } else { *stride }
        };
        let layout = Layout { strides: shape.iter().zip(strides).map(walked).collect(), shape, offset };
        if layout.is_inside(len) {
            return Ok(layout);
        }
        let message = format!(
            "shape {} with strides {strides:?} from place {offset} on leads out of memory for {len} elements",
            layout.shape
        );
        Err(Error::new(ErrorKind::Shape, message))
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the elements are contiguous in row-major order. True if there are no elements.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        self.shape.iter().zip(&self.strides).rev().all(|(&size, &stride)| {
            let fits = size == 1 || stride == expected;
            expected *= size as isize;
            fits
        }) || self.len() == 0
    }

    /// Whether each index has its own element, and the elements together fill a run of the buffer, in any
    /// order of axes.
    pub(crate) fn is_dense(&self) -> bool {
        let mut axes: Vec<(isize, usize)> = self
            .strides
            .iter()
            .copied()
            .zip(self.shape.iter().copied())
            .filter(|(_, size)| *size != 1)
            .collect();
        axes.sort_unstable();
        let mut expected = 1;
        axes.iter().all(|&(stride, size)| {
            let fits = stride == expected;
            expected *= size as isize;
            fits
        }) || self.len() == 0
    }

    /// The same elements in another shape of the same size. `None` if strides can't express it.
    pub(crate) fn reshape(&self, shape: &[usize]) -> Option<Layout> {
        if self.is_contiguous() {
            return Some(Layout { offset: self.offset, ..Layout::contiguous(shape) });
        }
        let mut strides = smallvec![0; shape.len()];
        let (mut old, mut new) = (0, 0);
        while new < shape.len() {
            // The next groups of old and new axes that have the same number of elements.
            let (first_old, first_new) = (old, new);
            let (mut have, mut want) = (1, shape[new]);
            new += 1;
            while have != want {
                if have < want {
                    have *= self.shape.get(old)?;
                    old += 1;
                } else {
                    want *= shape.get(new)?;
                    new += 1;
                }
            }
            let mut stride = self.run_stride(first_old, old)?;
            for axis in (first_new..new).rev() {
                strides[axis] = stride;
                stride *= shape[axis] as isize;
            }
        }
        Some(Layout { shape: Shape::new(shape), strides, offset: self.offset })
    }

    /// The stride of the axes `from..to` merged into one. `None` if they can't be merged.
    fn run_stride(&self, from: usize, to: usize) -> Option<isize> {
        let mut axes = (from..to).rev().filter(|axis| self.shape[*axis] != 1);
        let Some(last) = axes.next() else { return Some(0) };
        let (stride, mut next) = (self.strides[last], self.strides[last] * self.shape[last] as isize);
        for axis in axes {
            if self.strides[axis] != next {
                return None;
            }
            next *= self.shape[axis] as isize;
        }
        Some(stride)
    }

    /// Axis `i` of the result is axis `axes[i]`.
    pub(crate) fn permute(&self, axes: &[usize]) -> Layout {
        Layout {
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
            offset: self.offset,
        }
    }

    /// Broadcasts axes of size 1 to the sizes of `shape`.
    pub(crate) fn expand(&self, shape: &[usize]) -> Layout {
        let strides =
            (0..shape.len()).map(|i| if self.shape[i] == shape[i] { self.strides[i] } else { 0 }).collect();
        Layout { shape: Shape::new(shape), strides, offset: self.offset }
    }

    /// For each axis, every `step`-th element from `start` on, before `end`.
    pub(crate) fn slice(&self, ranges: &[(usize, usize, usize)]) -> Layout {
        let shape: Shape =
            ranges.iter().map(|&(start, end, step)| end.saturating_sub(start).div_ceil(step)).collect();
        // If there is a second element, the step is less than the size of the axis, so the product is a
        // distance inside the buffer.
        let strides = self.strides.iter().zip(ranges).zip(shape.iter());
        let strides = strides
            .map(|((stride, range), size)| if *size > 1 { stride * range.2 as isize } else { *stride })
            .collect();
        // If there are no elements, there is no first one, and the start may be beyond the buffer.
        let offset = if shape.contains(&0) {
            0
        } else {
            self.offset
                .wrapping_add_signed(self.strides.iter().zip(ranges).map(|(s, r)| s * r.0 as isize).sum())
        };
        Layout { shape, strides, offset }
    }

    /// Whether all positions are below `len`. The number of elements must be small enough to be counted;
    /// strides may be anything.
    pub(crate) fn is_inside(&self, len: usize) -> bool {
        // The product of the sizes is less than 2^63, so a sum of sizes times strides is less than 2^127.
        let (mut low, mut high) = (self.offset as i128, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let span = (size as i128 - 1) * stride as i128;
            low += span.min(0);
            high += span.max(0);
        }
        self.len() == 0 || (low >= 0 && high < len as i128)
    }

    /// The smallest and largest position in the buffer. `None` if there are no elements. The layout must be
    /// inside of a buffer.
    pub(crate) fn bounds(&self) -> Option<(usize, usize)> {
        if self.len() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let span = (size as isize - 1) * stride;
            low += span.min(0);
            high += span.max(0);
        }
        Some((low as usize, high as usize))
    }
}

/// Strides of a shape whose last axis varies fastest.
pub(crate) fn row_major(shape: &[usize]) -> Few<isize> {
    let mut strides = smallvec![0; shape.len()];
    let mut stride = 1;
    for (axis, &size) in shape.iter().enumerate().rev() {
        strides[axis] = stride;
        stride *= size.max(1) as isize;
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions of all elements in row-major order.
    fn places(layout: &Layout) -> Vec<isize> {
        let mut places = vec![layout.offset as isize];
        for (&size, &stride) in layout.shape.iter().zip(&layout.strides) {
            places = places.iter().flat_map(|p| (0..size as isize).map(move |i| p + i * stride)).collect();
        }
        places
    }

    #[test]
    fn a_reshaped_layout_keeps_the_order_of_elements() {
        let base = Layout::contiguous(&[2, 3, 4, 5]);
        let views = [
            base.clone(),
            base.permute(&[1, 0, 2, 3]),
            base.permute(&[2, 3, 0, 1]),
            base.slice(&[(0, 2, 1), (1, 3, 1), (0, 4, 1), (0, 5, 2)]),
            Layout::contiguous(&[2, 1, 4, 1]).expand(&[2, 3, 4, 5]),
        ];
        let mut free = 0;
        for view in &views {
            let n = view.len();
            for shape in
                [vec![n], vec![1, n, 1], vec![2, n / 2], vec![n / 4, 2, 2], vec![3, n / 3], vec![n / 20, 20]]
            {
                if shape.iter().product::<usize>() != n {
                    continue;
                }
                if let Some(reshaped) = view.reshape(&shape) {
                    assert_eq!(places(&reshaped), places(view), "{view:?} to {shape:?}");
                    free += 1;
                }
            }
        }
        assert_eq!(free, 6);
    }

    #[test]
    fn a_merge_of_axes_that_do_not_follow_each_other_is_refused() {
        let view = Layout::contiguous(&[4, 6]).permute(&[1, 0]);
        assert_eq!(view.reshape(&[24]), None);
        assert_eq!(view.reshape(&[2, 3, 4]).map(|l| l.strides), Some(smallvec![3, 1, 6]));
    }

    #[test]
    fn bounds_and_density_of_views() {
        let base = Layout::contiguous(&[3, 4]);
        assert!(base.permute(&[1, 0]).is_dense() && !base.permute(&[1, 0]).is_contiguous());
        let part = base.slice(&[(1, 3, 1), (0, 4, 3)]);
        assert_eq!((&part.shape[..], part.bounds(), part.is_dense()), (&[2, 2][..], Some((4, 11)), false));
        let none = base.slice(&[(3, 3, 1), (0, 4, 1)]);
        assert_eq!((none.len(), none.bounds()), (0, None));
    }
}
