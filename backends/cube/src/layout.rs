//! Where a tensor's elements are in its buffer: a stride for each axis, and the offset of the first element.
//! Both count elements.

use tensor_op_core::Shape;
use tensor_op_core::execute::Strides;

/// Shape, strides and offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    pub(crate) strides: Shape,
    pub(crate) offset: usize,
}

impl Layout {
    /// A row-major layout from the start of the buffer.
    pub(crate) fn row_major(shape: &Shape) -> Layout {
        Layout { shape: shape.clone(), strides: shape.strides(), offset: 0 }
    }

    /// Whether the elements are row-major without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut wanted = 1;
        for (size, stride) in self.shape.iter().zip(self.strides.iter()).rev() {
            if *size != 1 && *stride != wanted {
                return false;
            }
            wanted *= size;
        }
        true
    }

    /// Axis `i` of the result is axis `axes[i]`.
    pub(crate) fn permute(&self, axes: &[usize]) -> Layout {
        let pick = |from: &Shape| axes.iter().map(|axis| from[*axis]).collect();
        Layout { shape: pick(&self.shape), strides: pick(&self.strides), offset: self.offset }
    }

    /// Broadcasts axes of size 1 to another size.
    pub(crate) fn expand(&self, shape: &Shape) -> Layout {
        let strides = self.shape.iter().zip(self.strides.iter()).zip(shape.iter());
        let strides =
            strides.map(|((own, stride), wanted)| if own == wanted { *stride } else { 0 }).collect();
        Layout { shape: shape.clone(), strides, offset: self.offset }
    }

    /// The part of each axis given by start, end and step.
    pub(crate) fn slice(&self, ranges: &[(usize, usize, usize)]) -> Layout {
        let shape: Shape =
            ranges.iter().map(|(start, end, step)| end.saturating_sub(*start).div_ceil(*step)).collect();
        // If there is a second element, the step is less than the size of the axis, so the product is a
        // distance inside the buffer.
        let strides = ranges.iter().zip(self.strides.iter()).zip(shape.iter());
        let strides = strides
            .map(
                |(((_, _, step), stride), size)| if *size > 1 { step.wrapping_mul(*stride) } else { *stride },
            )
            .collect();
        let starts = ranges.iter().zip(self.strides.iter());
        let start =
            starts.fold(0, |sum: usize, ((start, ..), stride)| sum.wrapping_add(start.wrapping_mul(*stride)));
        Layout { shape, strides, offset: self.offset.wrapping_add(start) }
    }

    /// A view. A stride may be negative, as a number that wraps around: sums of such strides are right, and
    /// only loops read views.
    pub(crate) fn view(&self, view: &Strides) -> Layout {
        let strides: Vec<isize> = self.strides.iter().map(|stride| *stride as isize).collect();
        let (start, strides) = view.within(&strides);
        let strides = strides.into_iter().map(|stride| stride as usize).collect();
        Layout { shape: view.shape(), strides, offset: self.offset.wrapping_add_signed(start) }
    }

    /// The layout of the same elements in another shape. `None` if that needs a copy. An axis can always be
    /// split.
    pub(crate) fn reshape(&self, shape: &[usize]) -> Option<Layout> {
        let shape = Shape::new(shape);
        if self.shape.contains(&0) {
            return Some(Layout { strides: shape.strides(), shape, offset: self.offset });
        }
        // Groups of axes that can be merged in memory, from the innermost: the size, and the stride of the
        // innermost axis.
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (size, stride) in self.shape.iter().zip(self.strides.iter()).rev().filter(|(size, _)| **size != 1)
        {
            match runs.last_mut() {
                Some((length, inner)) if *inner * *length == *stride => *length *= size,
                _ => runs.push((*size, *stride)),
            }
        }
        let mut runs = runs.into_iter();
        let (mut left, mut step) = (1, 0);
        let mut strides = shape.clone();
        for (stride, size) in strides.iter_mut().zip(shape.iter()).rev() {
            if *size == 1 {
                *stride = 0;
                continue;
            }
            if left == 1 {
                (left, step) = runs.next()?;
            }
            if left % size != 0 {
                return None;
            }
            *stride = step;
            (left, step) = (left / size, step * size);
        }
        Some(Layout { shape, strides, offset: self.offset })
    }
}
