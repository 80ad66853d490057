//! Elements that are written to indices.

use super::Entry;
use super::index::merged;
use super::window::{kernel, numbers, sizes};
use crate::node::{Node, Outcome, Stop};
use crate::windows::padded;
use tensor_op::catalogue::bits;
use tensor_op::catalogue::pooling::{max_unpool1d, max_unpool2d, max_unpool3d};
use tensor_op::catalogue::scatter::{self, Reduce, index_copy, index_reduce, scatter_reduce};
use tensor_op::prelude::*;

/// The rows of a cache that a batch's own rows are written to.
#[tensor_op(tests = false)]
fn places(start: IntTensor![b], rows: usize, size: i64, is_circular: bool) -> IntTensor![b, rows] {
    let place = start + iota(rows);
    if is_circular { remainder(place, size) } else { place }
}

/// How the node's `reduction` makes elements with one index one, if it does.
fn reduction(node: &Node) -> Outcome<Option<Reduce>> {
    match node.text("reduction", "none")? {
        "none" => Ok(None),
        "add" => Ok(Some(Reduce::Sum)),
        "mul" => Ok(Some(Reduce::Prod)),
        "max" => Ok(Some(Reduce::Amax)),
        "min" => Ok(Some(Reduce::Amin)),
        _ => Err(Stop::Failed("the reduction is not known".to_string())),
    }
}

fn scatter_elements(node: &Node) -> Outcome {
    let (x, ids, source, axis) = (node.x(0)?, node.x(1)?, node.x(2)?, node.int("axis", 0)?);
    Ok(vec![match reduction(node)? {
        Some(reduce) => scatter_reduce(x, axis, ids, source, reduce, true)?,
        None => scatter::scatter(x, axis, ids, source)?,
    }])
}

fn scatter_nd(node: &Node) -> Outcome {
    let (x, source) = (node.x(0)?, node.x(2)?);
    let Some((flat, place)) = merged(&x, &node.x(1)?)? else {
        return Err(Stop::Skip("indices of no axis"));
    };
    let rows = source.reshape([&[place.elements()], &flat.shape()[1..]].concat())?;
    let place = place.flatten(0, -1)?;
    let written = match reduction(node)? {
        Some(reduce) => index_reduce(flat, 0, place, rows, reduce, true)?,
        None => index_copy(flat, 0, place, rows)?,
    };
    Ok(vec![written.reshape(x.shape())?])
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
    Ok(vec![scatter::scatter(cache, axis as i64, ids, update)?])
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
