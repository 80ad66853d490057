//! Runs a window through the backend's gather: the positions are known, so the host lists them.

use super::align::{Aligned, sizes};
use super::{cast, index};
use crate::bind::{Binding, BoundAxis};
use crate::{Backend, DType, Result, TensorData, memory};
use tensor_op_spec::ir::{DimId, DimSet, Node, Position};
use tensor_op_spec::prim::Prim;

/// The source at a position along a dim.
pub(super) struct Window<'b> {
    pub(super) binding: &'b Binding,
    pub(super) dim: DimId,
    pub(super) source_dims: DimSet,
    pub(super) position: &'b Position,
    /// The node of the window.
    pub(super) node: &'b Node,
}

impl Window<'_> {
    pub(super) fn run<B: Backend>(&self, source: Aligned<B>, device: &B::Device) -> Result<Aligned<B>> {
        let axes = self.binding.axes(self.position.dims());
        let places = places(self.binding, self.dim, self.position, &axes)?;
        let shape: Vec<usize> = sizes(&axes).collect();
        let dtype = source.dtype();
        let outside = match self.position.outside {
            Some(value) => Some(B::full(crate::Shape::scalar(), value, dtype, device)?),
            None => None,
        };
        if let (0, Some(outside)) = (self.binding.size(self.dim), &outside) {
            let all = self.binding.axes(self.node.dims);
            let value = Aligned::<B>::new(outside.clone(), vec![]).align(&all)?;
            return Ok(Aligned::new(value, all));
        }
        let mut safe = memory::reserved::<i64>(places.len())?;
        safe.extend(places.iter().map(|place| place.map_or(0, |place| place as i64)));
        let index = B::from_data(TensorData::new(safe, shape.clone())?, device)?;
        let (source_dims, index_dims) = (self.source_dims, self.position.dims());
        let gather = index::At { binding: self.binding, dim: self.dim, source_dims, index_dims };
        let found = match source_dims.contains(self.dim) {
            true => gather.run(source, Aligned::new(index, axes.clone()))?,
            false => source,
        };
        let Some(outside) = outside.filter(|_| places.iter().any(Option::is_none)) else { return Ok(found) };
        let mut inside = memory::reserved::<bool>(places.len())?;
        inside.extend(places.iter().map(Option::is_some));
        let inside = cast::<B>(B::from_data(TensorData::new(inside, shape)?, device)?, DType::Bool)?;
        let all = self.binding.axes(self.node.dims);
        let inside = Aligned::<B>::new(inside, axes).align(&all)?;
        let outside = Aligned::<B>::new(outside, vec![]).align(&all)?;
        let value = B::apply(Prim::Select, vec![inside, found.align(&all)?, outside])?;
        Ok(Aligned::new(value, all))
    }
}

/// For each point of some axes, the element that is read, if there is one.
fn places(
    binding: &Binding,
    dim: DimId,
    position: &Position,
    axes: &[BoundAxis],
) -> Result<Vec<Option<usize>>> {
    let count = sizes(axes).collect::<crate::Shape>().elements()?;
    let mut places = memory::reserved(count)?;
    let place = binding.place(position)?;
    let size = binding.size(dim);
    if count > 0 {
        binding.numerators(&place)?;
    }
    for point in 0..count {
        let (mut rest, mut numerator) = (point, place.offset);
        for bound in axes.iter().rev() {
            let step =
                place.steps.iter().find(|(own, _)| *own == bound.axis.dim).map_or(0, |(_, step)| *step);
            numerator += step * (rest % bound.size) as i64;
            rest /= bound.size;
        }
        places.push(place.element(numerator, size));
    }
    Ok(places)
}
