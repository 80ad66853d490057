//! Views: windows of a value, which are other strides of its memory.
//!
//! If some positions lie outside of the source, or between its elements, what reads the view asks at each
//! point whether it is inside.

use super::Kernels;
use super::bound::{Guard, Labeled, Read, Window};
use super::executor::{Executor, shape_of};
use crate::{AxisId, BoundAxis, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::{DimId, DimSet, Place, Scalar};
use tensor_op_spec::schedule::View;

/// How a view moves through the axes of a tensor.
#[derive(Clone, Debug)]
pub struct Strides {
    /// Where its first element is: the index along each axis of the tensor.
    pub start: Vec<isize>,
    /// The axes of the view.
    pub axes: Vec<ViewAxis>,
}

impl Strides {
    /// For a tensor with these strides: how far the first element of the view is from that of the tensor, and
    /// the stride of each axis of the view.
    pub fn within(&self, strides: &[isize]) -> (isize, Vec<isize>) {
        let start = self.start.iter().zip(strides).map(|(at, stride)| at * stride).sum();
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
        let id = view.out.0 as usize;
        if axes.iter().any(|bound| bound.size == 0) {
            let tensor = self.kernels.empty(&shape_of(&axes), dtype)?;
            self.buffers[id] = Some(Labeled { tensor, axes });
            return Ok(());
        }
        let zero = Scalar::Bool(false).cast(buffer.kind);
        let along = view.positions.iter().map(|(dim, position)| {
            let place = self.binding.place(position)?;
            let (low, high) = self.binding.numerators(&place)?;
            let at = source.axes.iter().position(|own| own.axis == AxisId { dim: *dim, part: 0 });
            let at = at.ok_or_else(|| Error::new(ErrorKind::Backend, "a view lacks its dim"))?;
            let is_inside = place.divisor == 1 && low >= 0 && high < source.axes[at].size as i64;
            let outside = (!is_inside).then(|| position.outside.unwrap_or(zero));
            Ok(Along { at, place, outside })
        });
        let along: Vec<Along> = along.collect::<Result<_>>()?;
        match along.iter().find_map(|own| own.outside) {
            None => {
                let tensor = K::view(source.tensor, &strides(&axes, &source.axes, &along))?;
                self.buffers[id] = Some(Labeled { tensor, axes });
            }
            Some(value) if source.axes.iter().any(|bound| bound.size == 0) => {
                let tensor = self.kernels.filled(&Shape::scalar(), value.cast(buffer.kind), dtype)?;
                self.buffers[id] = Some(Labeled { tensor, axes: vec![] });
            }
            Some(value) => {
                let guards = along.iter().filter(|own| own.outside.is_some());
                let guards = guards.map(|own| guard(own, &source)).collect();
                let Strides { start, axes: steps } = strides(&axes, &source.axes, &along);
                let axes = axes.into_iter().zip(steps).map(|(bound, along)| (bound, along.steps)).collect();
                let outside = value.cast(buffer.kind);
                let window = Window { source: source.tensor, start, axes, guards, outside };
                self.unstored[id] = Some(Read::Window(window));
            }
        }
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
}

/// The test whether a window is inside of its source along an axis.
fn guard<T>(along: &Along, source: &Labeled<T>) -> Guard {
    let Place { offset, steps, divisor } = &along.place;
    let size = source.axes[along.at].size;
    Guard { at: along.at, first: *offset, steps: steps.clone(), divisor: *divisor, size }
}

/// How a view moves. Along the axes of which it takes only each so many a position, it does not move.
fn strides(axes: &[BoundAxis], source: &[BoundAxis], along: &[Along]) -> Strides {
    let of = |at: usize| along.iter().find(|along| along.at == at);
    let axis = |bound: &BoundAxis| {
        let step = |(at, own): (usize, &BoundAxis)| match of(at) {
            Some(along) if along.place.divisor == 1 => {
                let steps = along.place.steps.iter();
                steps.filter(|(dim, _)| *dim == bound.axis.dim).map(|(_, step)| *step as isize).sum()
            }
            Some(_) => 0,
            None => isize::from(own.axis == bound.axis),
        };
        ViewAxis { size: bound.size, steps: source.iter().enumerate().map(step).collect() }
    };
    let start = |at| of(at).filter(|along| along.place.divisor == 1).map_or(0, |along| along.place.offset);
    let start = (0..source.len()).map(|at| start(at) as isize).collect();
    Strides { start, axes: axes.iter().map(axis).collect() }
}
