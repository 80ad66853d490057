//! Adjoints of the primitives that move elements: reshape, permute, expand, slice, slice_assign, cat, cast.

use crate::AutodiffTensor;
use crate::node::{Edge, Like, Node};
use tensor_op_core::{Backend, DType, Result, Shape};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::Fold;

pub(crate) fn reshape<B: Backend>(tensor: AutodiffTensor<B>, shape: Shape) -> Result<AutodiffTensor<B>> {
    unary("reshape", tensor, |t| B::reshape(t, shape), |grad, input| B::reshape(grad, input.shape.clone()))
}

pub(crate) fn permute<B: Backend>(tensor: AutodiffTensor<B>, axes: &[usize]) -> Result<AutodiffTensor<B>> {
    let mut inverse = vec![0; axes.len()];
    for (to, from) in axes.iter().enumerate() {
        if let Some(place) = inverse.get_mut(*from) {
            *place = to;
        }
    }
    unary("permute", tensor, |t| B::permute(t, axes), move |grad, _| B::permute(grad, &inverse))
}

pub(crate) fn expand<B: Backend>(tensor: AutodiffTensor<B>, shape: Shape) -> Result<AutodiffTensor<B>> {
    unary(
        "expand",
        tensor,
        |t| B::expand(t, shape),
        |grad, input| {
            let sizes = B::shape(&grad);
            let widened = |axis: &usize| input.shape.get(*axis) == Some(&1) && sizes[*axis] != 1;
            let axes: Vec<usize> = (0..sizes.rank()).filter(widened).collect();
            let grad = if axes.is_empty() { grad } else { B::reduce(Fold::Sum, grad, &axes)? };
            B::reshape(grad, input.shape.clone())
        },
    )
}

/// First element, end and step along each axis.
type Ranges = [(usize, usize, usize)];

pub(crate) fn slice<B: Backend>(tensor: AutodiffTensor<B>, ranges: &Ranges) -> Result<AutodiffTensor<B>> {
    let kept = ranges.to_vec();
    unary(
        "slice",
        tensor,
        |t| B::slice(t, ranges),
        move |grad, input| B::slice_assign(zeros(input)?, &kept, grad),
    )
}

pub(crate) fn slice_assign<B: Backend>(
    into: AutodiffTensor<B>,
    ranges: &Ranges,
    source: AutodiffTensor<B>,
) -> Result<AutodiffTensor<B>> {
    let kept = ranges.to_vec();
    let forward = |tensors: Vec<B::Tensor>| {
        let [into, source] = exactly(tensors);
        B::slice_assign(into, ranges, source)
    };
    nary("slice_assign", vec![into, source], forward, move |index, grad, inputs| match index {
        0 => B::slice_assign(grad, &kept, zeros(&inputs[1])?),
        _ => B::slice(grad, &kept),
    })
}

pub(crate) fn cat<B: Backend>(tensors: Vec<AutodiffTensor<B>>, axis: usize) -> Result<AutodiffTensor<B>> {
    nary(
        "cat",
        tensors,
        |tensors| B::cat(tensors, axis),
        move |index, grad, inputs| {
            let before: usize = inputs[..index].iter().map(|input| input.shape[axis]).sum();
            let mut ranges: Vec<_> = inputs[index].shape.iter().map(|size| (0, *size, 1)).collect();
            ranges[axis] = (before, before + inputs[index].shape[axis], 1);
            B::slice(grad, &ranges)
        },
    )
}

pub(crate) fn cast<B: Backend>(tensor: AutodiffTensor<B>, dtype: DType) -> Result<AutodiffTensor<B>> {
    unary("cast", tensor, |t| B::cast(t, dtype), |grad, input| B::cast(grad, input.dtype))
}

pub(crate) fn to_device<B: Backend>(
    tensor: AutodiffTensor<B>,
    device: &B::Device,
) -> Result<AutodiffTensor<B>> {
    let moved = |tensor: B::Tensor, device: &B::Device| {
        if B::device(&tensor) == *device { Ok(tensor) } else { B::from_data(B::into_data(tensor)?, device) }
    };
    unary("to", tensor, |t| moved(t, device), move |grad, input| moved(grad, &input.device))
}

fn zeros<B: Backend>(like: &Like<B>) -> Result<B::Tensor> {
    B::full(like.shape.clone(), Scalar::Float(0.0), like.dtype, &like.device)
}

pub(crate) fn exactly<T, const N: usize>(items: Vec<T>) -> [T; N] {
    let Ok(items) = items.try_into() else { unreachable!("the caller made a list of {N}") };
    items
}

fn unary<B: Backend>(
    name: &str,
    tensor: AutodiffTensor<B>,
    forward: impl FnOnce(B::Tensor) -> Result<B::Tensor>,
    adjoint: impl Fn(B::Tensor, &Like<B>) -> Result<B::Tensor> + Send + 'static,
) -> Result<AutodiffTensor<B>> {
    let forward = |tensors: Vec<B::Tensor>| {
        let [tensor] = exactly(tensors);
        forward(tensor)
    };
    nary(name, vec![tensor], forward, move |_, grad, inputs| adjoint(grad, &inputs[0]))
}

/// Runs a primitive, and records it if an input is tracked. `adjoint` gives the gradient of the input with this index.
fn nary<B: Backend>(
    name: &str,
    tensors: Vec<AutodiffTensor<B>>,
    forward: impl FnOnce(Vec<B::Tensor>) -> Result<B::Tensor>,
    adjoint: impl Fn(usize, B::Tensor, &[Like<B>]) -> Result<B::Tensor> + Send + 'static,
) -> Result<AutodiffTensor<B>> {
    let (tensors, edges): (Vec<_>, Vec<_>) = tensors.into_iter().map(AutodiffTensor::into_parts).unzip();
    if edges.iter().all(Option::is_none) {
        return forward(tensors).map(AutodiffTensor::from_inner);
    }
    let inputs: Vec<Like<B>> = tensors.iter().map(Like::of).collect();
    let output = forward(tensors)?;
    if B::dtype(&output).kind() != Kind::Float {
        return Ok(AutodiffTensor::from_inner(output));
    }
    let tracked: Vec<usize> = (0..edges.len()).filter(|i| edges[*i].is_some()).collect();
    let pass = move |gradients: Vec<B::Tensor>| {
        let [gradient] = exactly(gradients);
        tracked.iter().map(|index| adjoint(*index, gradient.clone(), &inputs)).collect()
    };
    let parents = edges.into_iter().flatten().collect();
    let node = Node::once(name, parents, vec![Like::of(&output)], Box::new(pass));
    Ok(AutodiffTensor::tracked(output, Edge { node, output: 0 }))
}
