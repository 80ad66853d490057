//! Shapes: sizes of axes, row-major strides, NumPy broadcasting. Small ranks live inline, so that a shape is
//! cheap to copy.

use crate::{Error, ErrorKind, Result};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// Sizes of the axes of a tensor, outermost first. Dereferences to a slice.
#[derive(Clone)]
pub struct Shape(Repr);

const INLINE: usize = 6;

#[derive(Clone)]
enum Repr {
    Inline { rank: u8, sizes: [usize; INLINE] },
    Heap(Box<[usize]>),
}

impl Shape {
    /// The shape with these sizes.
    pub fn new(sizes: &[usize]) -> Shape {
        if sizes.len() > INLINE {
            return Shape(Repr::Heap(sizes.into()));
        }
        let mut inline = [0; INLINE];
        inline[..sizes.len()].copy_from_slice(sizes);
        Shape(Repr::Inline { rank: sizes.len() as u8, sizes: inline })
    }

    /// The shape of a scalar: no axes, one element.
    pub fn scalar() -> Shape {
        Shape::new(&[])
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.len()
    }

    /// Adds an innermost axis.
    pub fn push(&mut self, size: usize) {
        match &mut self.0 {
            Repr::Inline { rank, sizes } if usize::from(*rank) < INLINE => {
                sizes[usize::from(*rank)] = size;
                *rank += 1;
            }
            Repr::Inline { .. } | Repr::Heap(_) => *self = self.iter().copied().chain([size]).collect(),
        }
    }

    /// The number of elements. An `Err` if it is too large, even if some other axis is empty.
    pub fn elements(&self) -> Result<usize> {
        let bound = self.iter().try_fold(1usize, |n, size| n.checked_mul((*size).max(1)));
        match bound {
            Some(n) if n <= isize::MAX as usize => Ok(if self.contains(&0) { 0 } else { n }),
            Some(_) | None => Err(Error::new(
                ErrorKind::Overflow,
                format!("shape {self} has more elements than fit in memory"),
            )),
        }
    }

    /// For each axis, how many elements one step along it is, row-major. It is meaningful if
    /// [`Shape::elements`] is `Ok`.
    pub fn strides(&self) -> Shape {
        let mut strides = self.clone();
        let mut step = 1usize;
        for (stride, size) in strides.iter_mut().zip(self.iter()).rev() {
            *stride = step;
            step = step.saturating_mul((*size).max(1));
        }
        strides
    }

    /// The shape to which both broadcast by NumPy's rule: shapes are aligned at the last axis, and sizes are
    /// equal or 1.
    pub fn broadcast(&self, other: &Shape) -> Result<Shape> {
        let (long, short) = if self.rank() >= other.rank() { (self, other) } else { (other, self) };
        let mut result = long.clone();
        let lead = long.rank() - short.rank();
        for (size, other_size) in result[lead..].iter_mut().zip(short.iter()) {
            match (*size, *other_size) {
                (a, b) if a == b => {}
                (1, b) => *size = b,
                (_, 1) => {}
                (_, _) => {
                    let message = format!(
                        "shapes {self} and {other} do not broadcast: aligned sizes must be equal or 1"
                    );
                    return Err(Error::new(ErrorKind::Shape, message));
                }
            }
        }
        Ok(result)
    }

    /// The index of an axis, whose number may be negative; negative numbers count from the end.
    pub fn axis(&self, axis: i64) -> Result<usize> {
        let rank = self.rank() as i64;
        let index = if axis < 0 { axis.saturating_add(rank) } else { axis };
        if (0..rank).contains(&index) {
            return Ok(index as usize);
        }
        let range = if rank == 0 {
            "it has no axes".into()
        } else {
            format!("write one of {}..={}", -rank, rank - 1)
        };
        Err(Error::new(ErrorKind::Rank, format!("axis {axis} is out of range for shape {self}: {range}")))
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Repr::Inline { rank, sizes } => &sizes[..usize::from(*rank)],
            Repr::Heap(sizes) => sizes,
        }
    }
}

impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut [usize] {
        match &mut self.0 {
            Repr::Inline { rank, sizes } => &mut sizes[..usize::from(*rank)],
            Repr::Heap(sizes) => sizes,
        }
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        **self == **other
    }
}

impl Eq for Shape {}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        **self == *other
    }
}

impl Default for Shape {
    fn default() -> Shape {
        Shape::scalar()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(sizes: I) -> Shape {
        let mut inline = [0; INLINE];
        let mut rank = 0;
        let mut sizes = sizes.into_iter();
        for size in sizes.by_ref() {
            if rank == INLINE {
                return Shape(Repr::Heap(inline.into_iter().chain([size]).chain(sizes).collect()));
            }
            inline[rank] = size;
            rank += 1;
        }
        Shape(Repr::Inline { rank: rank as u8, sizes: inline })
    }
}

impl From<Vec<usize>> for Shape {
    fn from(sizes: Vec<usize>) -> Shape {
        Shape::new(&sizes)
    }
}

impl From<&[usize]> for Shape {
    fn from(sizes: &[usize]) -> Shape {
        Shape::new(sizes)
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(sizes: [usize; N]) -> Shape {
        Shape::new(&sizes)
    }
}

impl<const N: usize> From<&[usize; N]> for Shape {
    fn from(sizes: &[usize; N]) -> Shape {
        Shape::new(sizes)
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Shape {
        shape.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_and_heap_are_one_type() {
        let long: Shape = (1..=9).collect();
        assert_eq!(long.rank(), 9);
        assert_eq!(long, Shape::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9]));
        let mut pushed = Shape::scalar();
        (1..=9).for_each(|size| pushed.push(size));
        assert_eq!(pushed, long);
        assert_eq!((2..=4).collect::<Shape>(), [2, 3, 4]);
        assert_eq!(Shape::new(&[2, 3]).to_string(), "[2, 3]");
        assert_eq!(Shape::new(&[2, 3, 4]).strides(), [12, 4, 1]);
    }

    #[test]
    fn counts_are_checked() {
        assert_eq!(Shape::scalar().elements().unwrap(), 1);
        assert_eq!(Shape::new(&[2, 0, 3]).elements().unwrap(), 0);
        for sizes in [[usize::MAX, 2, 1], [usize::MAX, 2, 0], [isize::MAX as usize, 1, 2]] {
            assert_eq!(Shape::new(&sizes).elements().unwrap_err().kind(), ErrorKind::Overflow);
        }
    }

    #[test]
    fn broadcasting_is_numpys() {
        let b = |a: &[usize], b: &[usize]| Shape::new(a).broadcast(&Shape::new(b)).map(|s| s.to_vec());
        assert_eq!(b(&[3, 1], &[2, 1, 4]).unwrap(), [2, 3, 4]);
        assert_eq!(b(&[], &[5]).unwrap(), [5]);
        assert_eq!(b(&[1], &[0]).unwrap(), [0]);
        assert!(b(&[2], &[0]).is_err());
        let message = b(&[2, 3], &[2]).unwrap_err().to_string();
        assert_eq!(message, "shapes [2, 3] and [2] do not broadcast: aligned sizes must be equal or 1");
    }

    #[test]
    fn axes_count_from_both_ends() {
        let shape = Shape::new(&[2, 3]);
        assert_eq!((shape.axis(-2).unwrap(), shape.axis(1).unwrap()), (0, 1));
        for axis in [2, -3, i64::MIN, i64::MAX] {
            assert_eq!(shape.axis(axis).unwrap_err().kind(), ErrorKind::Rank);
        }
    }
}
