//! Views: windows of a value, which are other strides of its memory.
//!
//! If some positions lie outside of the source, or between its elements, the source is first copied into a
//! larger tensor that has the value outside in all other places.

use super::Kernels;
use super::bound::Labeled;
use super::executor::{Executor, shape_of};
use crate::{AxisId, BoundAxis, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::{DimId, DimSet, Kind, Place, Scalar};
use tensor_op_spec::schedule::View;

/// How a view moves through the axes of a tensor.
#[derive(Clone, Debug)]
pub struct Strides {
    /// Where its first element is: the index along each axis of the tensor.
    pub start: Vec<usize>,
    /// The axes of the view.
    pub axes: Vec<ViewAxis>,
}

impl Strides {
    /// For a tensor with these strides: how far the first element of the view is from that of the tensor, and
    /// the stride of each axis of the view.
    pub fn within(&self, strides: &[isize]) -> (isize, Vec<isize>) {
        let start = self.start.iter().zip(strides).map(|(at, stride)| *at as isize * stride).sum();
        let along =
            |axis: &ViewAxis| axis.steps.iter().zip(strides).map(|(step, stride)| step * stride).sum();
        (start, self.axes.iter().map(along).collect())
    }

    /// The sizes of the axes of the view.
    pub fn shape(&self) -> Shape {
        self.axes.iter().map(|axis| axis.size).collect()
    }
}

/// An axis of a view.
#[derive(Clone, Debug)]
pub struct ViewAxis {
    /// Its size.
    pub size: usize,
    /// How far one step along it moves along each axis of the tensor.
    pub steps: Vec<isize>,
}

/// Where a view is along an axis of its source.
struct Along {
    /// The place of the axis in the source.
    at: usize,
    place: Place,
    /// The least and the greatest numerator of the position.
    range: (i64, i64),
    /// The value outside, if some positions are not elements of the source.
    outside: Option<Scalar>,
}

impl<'a, K: Kernels> Executor<'a, K> {
    /// Makes a view. It has the dtype of its source.
    pub(super) fn view(&mut self, view: &'a View) -> Result<()> {
        let buffer = self.schedule.buffer(view.out);
        let source = self.stretched(self.whole(view.source)?, view)?;
        let dtype = K::dtype(&source.tensor);
        let axes = self.view_axes(buffer.dims, &source, view);
        let tensor = if axes.iter().any(|bound| bound.size == 0) {
            self.kernels.empty(&shape_of(&axes), dtype)?
        } else {
            let along = view.positions.iter().map(|(dim, position)| {
                let place = self.binding.place(position)?;
                let range = self.binding.numerators(&place)?;
                let at = source.axes.iter().position(|own| own.axis == AxisId { dim: *dim, part: 0 });
                let at = at.ok_or_else(|| Error::new(ErrorKind::Backend, "a view lacks its dim"))?;
                let size = source.axes[at].size as i64;
                let is_inside = place.divisor == 1 && range.0 >= 0 && range.1 < size;
                let zero = Scalar::Bool(false).cast(buffer.kind);
                let outside = (!is_inside).then(|| position.outside.unwrap_or(zero));
                Ok(Along { at, place, range, outside })
            });
            let along: Vec<Along> = along.collect::<Result<_>>()?;
            let (tensor, start) = self.padded(&source, &along, buffer.kind)?;
            K::view(tensor, &strides(&axes, &source.axes, &along, start))?
        };
        self.buffers[view.out.0 as usize] = Some(Labeled { tensor, axes });
        Ok(())
    }

    /// The source with all elements along the dims of its positions: a caller's axis may be broadcast.
    fn stretched(&self, source: Labeled<K::Tensor>, view: &View) -> Result<Labeled<K::Tensor>> {
        let rank = source.axes.len();
        let unit = |at: usize| (0..rank).map(|other| isize::from(other == at)).collect::<Vec<_>>();
        let own = source.axes.iter().enumerate();
        let mut axes: Vec<(BoundAxis, Vec<isize>)> = own.map(|(at, bound)| (*bound, unit(at))).collect();
        let mut is_changed = false;
        for bound in view.positions.iter().flat_map(|(dim, _)| self.binding.axes(DimSet::one(*dim))) {
            match axes.iter_mut().find(|(own, _)| own.axis == bound.axis) {
                Some((own, _)) if own.size == bound.size => continue,
                Some(own) => *own = (bound, vec![0; rank]),
                None => axes.push((bound, vec![0; rank])),
            }
            is_changed = true;
        }
        if !is_changed {
            return Ok(source);
        }
        let along = axes.iter().map(|(bound, steps)| ViewAxis { size: bound.size, steps: steps.clone() });
        let strides = Strides { start: vec![0; rank], axes: along.collect() };
        let axes = axes.into_iter().map(|(bound, _)| bound).collect();
        Ok(Labeled { tensor: K::view(source.tensor, &strides)?, axes })
    }

    /// The axes of a view. Along an axis of the group the source may have size 1.
    fn view_axes(&self, dims: DimSet, source: &Labeled<K::Tensor>, view: &View) -> Vec<BoundAxis> {
        let is_walked = |dim: DimId| view.positions.iter().any(|(_, p)| p.dims().contains(dim));
        let own = |bound: BoundAxis| match source.axes.iter().find(|own| own.axis == bound.axis) {
            Some(own) if !is_walked(bound.axis.dim) => Some(*own),
            Some(_) => Some(bound),
            None => is_walked(bound.axis.dim).then_some(bound),
        };
        self.binding.axes(dims).into_iter().filter_map(own).collect()
    }

    /// The source, or a copy with room for what lies outside; and the index of the first element of the view
    /// along each axis.
    fn padded(
        &self,
        source: &Labeled<K::Tensor>,
        along: &[Along],
        kind: Kind,
    ) -> Result<(K::Tensor, Vec<usize>)> {
        let shape = shape_of(&source.axes);
        let mut start = vec![0; shape.rank()];
        for own in along {
            let low = if own.outside.is_some() { own.range.0 } else { 0 };
            start[own.at] = usize::try_from(own.place.offset - low).unwrap_or(0);
        }
        let Some(value) = along.iter().find_map(|own| own.outside) else {
            return Ok((source.tensor.clone(), start));
        };
        let mut sizes = shape.clone();
        let mut from: Vec<_> = shape.iter().map(|size| 0..*size).collect();
        let mut into: Vec<_> = shape.iter().map(|size| (0, *size, 1)).collect();
        for own in along.iter().filter(|own| own.outside.is_some()) {
            let (low, high) = own.range;
            let divisor = own.place.divisor;
            let width = high.checked_sub(low).and_then(|width| usize::try_from(width).ok());
            sizes[own.at] = width.and_then(|width| width.checked_add(1)).ok_or_else(too_large)?;
            // The elements of the source that are in the range.
            let last = (high.div_euclid(divisor) + 1).clamp(0, shape[own.at] as i64);
            let first = (low + divisor - 1).div_euclid(divisor).clamp(0, last);
            from[own.at] = first as usize..last as usize;
            if first < last {
                let begin = first * divisor - low;
                let end = begin + (last - first - 1) * divisor + 1;
                into[own.at] = (begin as usize, end as usize, divisor as usize);
            }
        }
        sizes.elements()?;
        let dtype = K::dtype(&source.tensor);
        let room = self.kernels.filled(&sizes, value.cast(kind), dtype)?;
        if from.iter().any(|range| range.is_empty()) {
            return Ok((room, start));
        }
        let part = K::part(source.tensor.clone(), &from)?;
        Ok((K::with_part(room, &into, &part)?, start))
    }
}

fn strides(axes: &[BoundAxis], source: &[BoundAxis], along: &[Along], start: Vec<usize>) -> Strides {
    let axis = |bound: &BoundAxis| {
        let step = |(at, own): (usize, &BoundAxis)| {
            let replaced = along.iter().find(|along| along.at == at);
            match replaced {
                Some(along) => {
                    let steps = along.place.steps.iter();
                    steps.filter(|(dim, _)| *dim == bound.axis.dim).map(|(_, step)| *step as isize).sum()
                }
                None => isize::from(own.axis == bound.axis),
            }
        };
        ViewAxis { size: bound.size, steps: source.iter().enumerate().map(step).collect() }
    };
    Strides { start, axes: axes.iter().map(axis).collect() }
}

fn too_large() -> Error {
    Error::new(ErrorKind::Overflow, "a window reaches farther than can be counted")
}
