//! Elements that are written to indices.

use super::Entry;
use super::index::merged;
use super::window::{kernel, numbers, sizes};
use crate::node::{Node, Outcome, Stop, through_floats};
use crate::scatter::{Combine, Op, along, combined, rows, set};
use crate::windows::padded;
use tensor_op::catalogue::bits;
use tensor_op::catalogue::pooling::{max_unpool1d, max_unpool2d, max_unpool3d};
use tensor_op::prelude::*;

/// The rows of a cache that a batch's own rows are written to.
#[tensor_op(tests = false)]
fn places(start: IntTensor![b], rows: usize, size: i64, is_circular: bool) -> IntTensor![b, rows] {
    let place = start + iota(rows);
    if is_circular { remainder(place, size) } else { place }
}

/// Writes a source by the op that the node's `reduction` names.
fn reduced(
    node: &Node,
    x: &Tensor,
    source: &Tensor,
    write: impl Fn(&Tensor, &Tensor, Op<'_>) -> Result<Tensor>,
) -> Outcome {
    let by = match node.text("reduction", "none")? {
        "none" => None,
        "add" => Some(Combine::Sum),
        "mul" => Some(Combine::Product),
        "max" => Some(Combine::Max),
        "min" => Some(Combine::Min),
        _ => return Err(Stop::Failed("the reduction is not known".to_string())),
    };
    let op: Op<'_> = &|x, ids, source| match by {
        Some(by) => combined(x, ids, source, by),
        None => set(x, ids, source),
    };
    Ok(vec![through_floats(x.clone(), |x| write(&x, &source.cast(x.dtype())?, op))?])
}

fn scatter_elements(node: &Node) -> Outcome {
    let (x, ids, source) = (node.x(0)?, node.x(1)?, node.x(2)?);
    let axis = x.shape().axis(node.int("axis", 0)?)?;
    reduced(node, &x, &source, |x, source, op| along(x, &ids, source, axis, op))
}

fn scatter_nd(node: &Node) -> Outcome {
    let (x, source) = (node.x(0)?, node.x(2)?);
    let Some((flat, place)) = merged(&x, &node.x(1)?)? else {
        return Err(Stop::Skip("indices of no axis"));
    };
    let write = |x: &Tensor, source: &Tensor, op: Op<'_>| rows(x, &place, source, op);
    Ok(vec![reduced(node, &flat, &source, write)?.remove(0).reshape(x.shape())?])
}

/// Each batch has its own first row.
fn tensor_scatter(node: &Node) -> Outcome {
    let (cache, update) = (node.x(0)?, node.x(1)?);
    let axis = cache.shape().axis(node.int("axis", -2)?)?;
    let (batch, count) = (update.shape()[0], update.shape()[axis]);
    let start = match node.optional(2) {
        Some(start) => start,
        None => Tensor::zeros([batch], DType::I64, &cache.device())?,
    };
    let is_circular = node.text("mode", "linear")? == "circular";
    let ids = places(start, count, cache.shape()[axis] as i64, is_circular)?;
    let mut shape = vec![1; cache.rank()];
    (shape[0], shape[axis]) = (batch, count);
    let ids = ids.reshape(shape)?.broadcast_to(update.shape())?;
    let write = |cache: Tensor| along(&cache, &ids, &update.cast(cache.dtype())?, axis, &set);
    Ok(vec![through_floats(cache, write)?])
}

/// Indices count from the first image of the size that pooling had. A larger size adds zeros behind it.
fn max_unpool(node: &Node) -> Outcome {
    let (x, ids) = (node.x(0)?, node.x(1)?);
    let own = sizes(&x);
    let numbers = numbers(node, kernel(node, "kernel_shape")?, &own)?;
    let size = |axis: usize| {
        let (before, behind) = numbers.padding[axis];
        (own[axis] - 1) * numbers.stride[axis] + numbers.kernel[axis] - before - behind
    };
    let image: Vec<i64> = (0..own.len()).map(size).collect();
    let wanted = node.ints(2)?.map_or_else(|| image.clone(), |shape| shape[2..].to_vec());
    // ONNX counts in the whole tensor, the catalogue in each image.
    let ids = bits::remainder(ids, Tensor::scalar(image.iter().product::<i64>(), &x.device()))?;
    let whole = match image[..] {
        [n] => max_unpool1d(x, ids, n as usize)?,
        [h, w] => max_unpool2d(x, ids, [h as usize, w as usize])?,
        [d, h, w] => max_unpool3d(x, ids, [d as usize, h as usize, w as usize])?,
        _ => return Err(Stop::Skip("windows over more than three axes")),
    };
    let more: Vec<(i64, i64)> = wanted.iter().zip(&image).map(|(wanted, size)| (0, wanted - size)).collect();
    Ok(vec![padded(&whole, 2, &more, 0.0)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("MaxUnpool", max_unpool),
        ("Scatter", scatter_elements),
        ("ScatterElements", scatter_elements),
        ("ScatterND", scatter_nd),
        ("TensorScatter", tensor_scatter),
    ]
}
