//! The primitives that move elements (reshape, permute, expand, slice, slice_assign, cat, cast, to another
//! device) and their adjoints.

use crate::like::{Like, zeros};
use tensor_op_core::{Backend, DType, Result, Shape};
use tensor_op_spec::prim::Fold;

/// A primitive that moves elements.
#[derive(Clone)]
pub(crate) enum Movement<D> {
    Reshape(Shape),
    Permute(Vec<usize>),
    Expand(Shape),
    Slice(Ranges),
    /// Writes the second tensor into the first.
    SliceAssign(Ranges),
    Cat(usize),
    Cast(DType),
    To(D),
}

/// Start, end and step along each axis.
pub(crate) type Ranges = Vec<(usize, usize, usize)>;

/// A movement that was recorded.
pub(crate) struct Moved<D> {
    pub(crate) movement: Movement<D>,
    pub(crate) inputs: Vec<Like<D>>,
    /// The inputs that are tracked.
    pub(crate) tracked: Vec<usize>,
}

impl<D> Movement<D> {
    /// Moves tensors: two for `SliceAssign`, any number for `Cat`, and one for the others.
    pub(crate) fn run<B: Backend<Device = D>>(&self, tensors: Vec<B::Tensor>) -> Result<B::Tensor> {
        let one = |tensors| {
            let [tensor] = exactly(tensors);
            tensor
        };
        match self {
            Movement::Reshape(shape) => B::reshape(one(tensors), shape.clone()),
            Movement::Permute(axes) => B::permute(one(tensors), axes),
            Movement::Expand(shape) => B::expand(one(tensors), shape.clone()),
            Movement::Slice(ranges) => B::slice(one(tensors), ranges),
            Movement::SliceAssign(ranges) => {
                let [into, source] = exactly(tensors);
                B::slice_assign(into, ranges, source)
            }
            Movement::Cat(axis) => B::cat(tensors, *axis),
            Movement::Cast(dtype) => B::cast(one(tensors), *dtype),
            Movement::To(device) => B::to_device(one(tensors), device),
        }
    }

    /// The gradient of the input with this index.
    fn adjoint<R: Backend<Device = D>>(
        &self,
        index: usize,
        gradient: R::Tensor,
        inputs: &[Like<D>],
    ) -> Result<R::Tensor> {
        let input = &inputs[index];
        match self {
            Movement::Reshape(_) => R::reshape(gradient, input.shape.clone()),
            Movement::Permute(axes) => R::permute(gradient, &inverse(axes)),
            Movement::Expand(_) => sum_widened::<R>(gradient, &input.shape),
            Movement::Slice(ranges) => R::slice_assign(zeros::<R>(input)?, ranges, gradient),
            Movement::SliceAssign(ranges) => match index {
                0 => R::slice_assign(gradient, ranges, zeros::<R>(&inputs[1])?),
                _ => R::slice(gradient, ranges),
            },
            Movement::Cat(axis) => {
                let before: usize = inputs[..index].iter().map(|input| input.shape[*axis]).sum();
                let mut ranges: Ranges = input.shape.iter().map(|size| (0, *size, 1)).collect();
                ranges[*axis] = (before, before + input.shape[*axis], 1);
                R::slice(gradient, &ranges)
            }
            Movement::Cast(_) => R::cast(gradient, input.dtype),
            Movement::To(_) => R::to_device(gradient, &input.device),
        }
    }
}

impl<D> Moved<D> {
    /// The gradients of those tracked inputs that need one.
    pub(crate) fn adjoint<R: Backend<Device = D>>(
        &self,
        gradient: &R::Tensor,
        needed: &[bool],
    ) -> Result<Vec<R::Tensor>> {
        let inputs = self.tracked.iter().zip(needed).filter(|(_, needed)| **needed);
        inputs.map(|(index, _)| self.movement.adjoint::<R>(*index, gradient.clone(), &self.inputs)).collect()
    }
}

fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    for (to, from) in axes.iter().enumerate() {
        inverse[*from] = to;
    }
    inverse
}

/// Sums the gradient over the axes along which a tensor of this shape was repeated.
fn sum_widened<B: Backend>(gradient: B::Tensor, shape: &Shape) -> Result<B::Tensor> {
    let sizes = B::shape(&gradient);
    let widened = |axis: &usize| shape.get(*axis) == Some(&1) && sizes[*axis] != 1;
    let axes: Vec<usize> = (0..sizes.rank()).filter(widened).collect();
    let sum = if axes.is_empty() { gradient } else { B::reduce(Fold::Sum, gradient, &axes)? };
    B::reshape(sum, shape.clone())
}

/// The items of a list whose length the caller knows.
pub(crate) fn exactly<T, const N: usize>(items: Vec<T>) -> [T; N] {
    let Ok(items) = items.try_into() else { unreachable!("the caller made a list of {N}") };
    items
}
