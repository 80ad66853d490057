//! Tensors with named axes, and functions that bring them to the same axes.

use crate::bind::BoundAxis;
use crate::{Backend, DType, Result, Shape};

/// A tensor with named axes. The sizes are those of the tensor: 1 along axes where it is broadcast.
#[derive(Debug)]
pub(super) struct Aligned<B: Backend> {
    tensor: B::Tensor,
    axes: Vec<BoundAxis>,
}

impl<B: Backend> Clone for Aligned<B> {
    fn clone(&self) -> Self {
        Aligned { tensor: self.tensor.clone(), axes: self.axes.clone() }
    }
}

impl<B: Backend> Aligned<B> {
    /// A tensor whose shape is the sizes of these axes.
    pub(super) fn new(tensor: B::Tensor, axes: Vec<BoundAxis>) -> Aligned<B> {
        Aligned { tensor, axes }
    }

    pub(super) fn dtype(&self) -> DType {
        B::dtype(&self.tensor)
    }

    /// Replaces the tensor and keeps the axes.
    pub(super) fn map(self, f: impl FnOnce(B::Tensor) -> Result<B::Tensor>) -> Result<Aligned<B>> {
        Ok(Aligned { tensor: f(self.tensor)?, axes: self.axes })
    }

    /// The tensor over the target axes, in their order and size. They include the tensor's own axes.
    pub(super) fn align(self, target: &[BoundAxis]) -> Result<B::Tensor> {
        let order = self.order(target);
        let is_sorted = order.iter().enumerate().all(|(at, from)| at == *from);
        let tensor = if is_sorted { self.tensor } else { B::permute(self.tensor, &order)? };
        let own =
            |bound: &BoundAxis| self.axes.iter().find(|own| own.axis == bound.axis).map_or(1, |own| own.size);
        let tensor = reshape::<B>(tensor, target.iter().map(own))?;
        let shape: Shape = sizes(target).collect();
        if B::shape(&tensor) == shape { Ok(tensor) } else { B::expand(tensor, shape) }
    }

    /// The tensor with one axis per group of axes.
    pub(super) fn group(self, groups: &[&[BoundAxis]]) -> Result<B::Tensor> {
        let tensor = self.align(&groups.concat())?;
        let merged: Result<Vec<usize>> =
            groups.iter().map(|axes| sizes(axes).collect::<Shape>().elements()).collect();
        reshape::<B>(tensor, merged?)
    }

    /// The tensor's own axes, in the order of the target.
    fn order(&self, target: &[BoundAxis]) -> Vec<usize> {
        target.iter().filter_map(|bound| self.axes.iter().position(|own| own.axis == bound.axis)).collect()
    }
}

/// Sizes of axes.
pub(super) fn sizes(axes: &[BoundAxis]) -> impl Iterator<Item = usize> {
    axes.iter().map(|bound| bound.size)
}

/// The tensor in another shape with as many elements. A tensor that already has the shape is returned as it
/// is.
pub(super) fn reshape<B: Backend>(
    tensor: B::Tensor,
    sizes: impl IntoIterator<Item = usize>,
) -> Result<B::Tensor> {
    let shape: Shape = sizes.into_iter().collect();
    if B::shape(&tensor) == shape { Ok(tensor) } else { B::reshape(tensor, shape) }
}
