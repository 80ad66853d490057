//! Parts of a tensor by position: `x.i((0, 1..3))`.

use super::shape_ops::{place, places};
use super::{Runtime, Tensor, error};
use crate::{Backend, ErrorKind, Result, Shape};
use std::borrow::Borrow;
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What [`Tensor::i`] takes: a position or a range of positions, or a tuple of them for the first axes. A
/// slice of [`Place`]s is for code that does not know how many axes there are.
pub trait IntoPlaces {
    /// The places, for the first axes in order.
    fn into_places(self) -> Vec<Place>;
}

/// A place along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// One position. The axis is removed.
    At(i64),
    /// A range of positions.
    Range(Bound<i64>, Bound<i64>),
}

/// A number as a position, or the largest one, as which no axis is as long.
fn position<N: TryInto<i64>>(number: N) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

macro_rules! indices {
    ($($index:ty, $value:pat => $place:expr;)*) => {$(
        impl From<$index> for Place {
            fn from($value: $index) -> Place {
                $place
            }
        }
        impl IntoPlaces for $index {
            fn into_places(self) -> Vec<Place> {
                vec![self.into()]
            }
        }
    )*};
}
macro_rules! numbers {
    ($($number:ty),*) => {
        indices! {
            $(
                $number, at => Place::At(position(at));
                Range<$number>, range => {
                    Place::Range(Bound::Included(position(range.start)), Bound::Excluded(position(range.end)))
                };
                RangeFrom<$number>, range => {
                    Place::Range(Bound::Included(position(range.start)), Bound::Unbounded)
                };
                RangeTo<$number>, range => {
                    Place::Range(Bound::Unbounded, Bound::Excluded(position(range.end)))
                };
                RangeInclusive<$number>, range => {
                    let (start, end) = range.into_inner();
                    Place::Range(Bound::Included(position(start)), Bound::Included(position(end)))
                };
                RangeToInclusive<$number>, range => {
                    Place::Range(Bound::Unbounded, Bound::Included(position(range.end)))
                };
            )*
        }
    };
}
numbers!(i32, i64, usize);
indices! {
    RangeFull, _ => Place::Range(Bound::Unbounded, Bound::Unbounded);
}

macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first: Into<Place>, $($rest: Into<Place>),*> IntoPlaces for ($first, $($rest),*) {
            #[allow(non_snake_case, reason = "variables are named as their types")]
            fn into_places(self) -> Vec<Place> {
                let ($first, $($rest),*) = self;
                vec![$first.into(), $($rest.into()),*]
            }
        }
        tuples! { $($rest)* }
    };
    () => {};
}
tuples! { A B C D E F }

impl IntoPlaces for &[Place] {
    fn into_places(self) -> Vec<Place> {
        self.to_vec()
    }
}

impl Tensor {
    /// The part at these places of the first axes. A position removes its axis, a range keeps it, and `..`
    /// takes all of it. Negative numbers count from the end.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.i(0)?.to_vec::<i32>()?, [1, 2, 3]);
    /// assert_eq!(x.i((0, 1..3))?.to_vec::<i32>()?, [2, 3]);
    /// assert_eq!(x.i((.., -1))?.to_vec::<i32>()?, [3, 6]);
    /// assert!(x.i(2).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn i(&self, index: impl IntoPlaces) -> Result<Tensor> {
        let (ranges, kept) = self.part("i", index)?;
        let part = Runtime::slice(self.0.clone(), &ranges)?;
        Runtime::reshape(part, kept).map(Tensor)
    }

    /// The tensor with other elements at these places, which are those of [`i`](Tensor::i). The new ones
    /// broadcast to the part. They are written into the tensor's own memory if nothing else uses it, so a
    /// loop that fills a cache copies only what is new. `torch.slice_scatter`.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
    /// let x = x.slice_assign((.., 1..3), Tensor::from([0, 9]))?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 0, 9, 4, 0, 9]);
    /// let x = x.slice_assign(-1, Tensor::from([7]))?;
    /// assert_eq!(x.to_vec::<i32>()?, [1, 0, 9, 7, 7, 7]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Places outside of the tensor, and new elements of another dtype, device or shape.
    pub fn slice_assign(self, index: impl IntoPlaces, values: impl Borrow<Tensor>) -> Result<Tensor> {
        let (ranges, kept) = self.part("slice_assign", index)?;
        let part: Vec<usize> = ranges.iter().map(|(start, end, _)| end - start).collect();
        let values = values.borrow().broadcast("slice_assign", kept)?.reshape(part)?;
        let assigned = Runtime::slice_assign(self.0, &ranges, values.0);
        assigned.map(Tensor).map_err(|error| error.with_op("slice_assign"))
    }

    /// Start, end and step of a part along each axis, and its shape without the axes of single positions.
    #[allow(clippy::type_complexity, reason = "what the structural primitives take")]
    fn part(&self, op: &'static str, index: impl IntoPlaces) -> Result<(Vec<(usize, usize, usize)>, Shape)> {
        let (shape, found) = (self.shape(), index.into_places());
        if found.len() > shape.rank() {
            let message =
                format!("{} places for shape {shape}, which has {} axes", found.len(), shape.rank());
            return Err(error(op, ErrorKind::Rank, message));
        }
        let mut ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (0, *size, 1)).collect();
        let mut kept = Vec::with_capacity(shape.rank());
        for (axis, size) in shape.iter().enumerate() {
            let (start, end) = match found.get(axis) {
                Some(Place::At(at)) => {
                    let at = place(op, axis, *size, *at)?;
                    (at, at + 1)
                }
                Some(Place::Range(start, end)) => places(op, axis, *size, &(*start, *end))?,
                None => (0, *size),
            };
            ranges[axis] = (start, end, 1);
            if !matches!(found.get(axis), Some(Place::At(_))) {
                kept.push(end - start);
            }
        }
        Ok((ranges, Shape::new(&kept)))
    }

    /// One position of an axis, which is removed. `x.select(1, 0)` is `x.i((.., 0))`.
    pub fn select(&self, axis: i64, at: i64) -> Result<Tensor> {
        let axis = self.shape().axis(axis).map_err(|error| error.with_op("select"))?;
        let at = place("select", axis, self.shape()[axis], at)? as i64;
        self.slice(axis as i64, at..at + 1)?.squeeze(axis as i64)
    }
}
