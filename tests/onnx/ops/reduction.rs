//! Reductions over axes.

use super::Entry;
use crate::node::{Node, Outcome, through_floats};
use tensor_op::catalogue::movement::flip;
use tensor_op::catalogue::{math, nn, reduce, select};
use tensor_op::prelude::*;

/// The axes are an input. Without them, or with none, they are all axes.
fn reduce(node: &Node, op: impl FnOnce(Tensor, Vec<i64>) -> Result<Tensor>) -> Outcome {
    let x = node.x(0)?;
    let axes = node.ints(1)?.or(node.list("axes")?).unwrap_or_default();
    if axes.is_empty() && node.flag("noop_with_empty_axes", false)? {
        return Ok(vec![x]);
    }
    let axes = if axes.is_empty() { (0..x.rank() as i64).collect() } else { axes };
    let shape = x.shape();
    let y = through_floats(x, |x| op(x, axes.clone()))?;
    if !node.flag("keepdims", true)? {
        return Ok(vec![y]);
    }
    let places = axes.iter().map(|axis| shape.axis(*axis)).collect::<Result<Vec<_>>>()?;
    let size = |axis: usize| if places.contains(&axis) { 1 } else { shape[axis] };
    Ok(vec![y.reshape((0..shape.rank()).map(size).collect::<Vec<_>>())?])
}

/// Over no elements the result is the value that changes no other. One such element stands for them.
fn extreme(node: &Node, op: fn(Tensor, Vec<i64>) -> Result<Tensor>, neutral: f64) -> Outcome {
    reduce(node, |x, axes| {
        let mut shape = x.shape();
        for axis in &axes {
            let axis = shape.axis(*axis)?;
            shape[axis] = shape[axis].max(1);
        }
        if shape == x.shape() {
            return op(x, axes);
        }
        op(Tensor::full(shape, neutral, &x.device())?.cast(x.dtype())?, axes)
    })
}

/// The position of the first or the last of equal elements.
fn position(node: &Node, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    let (x, axis) = (node.x(0)?, node.int("axis", 0)?);
    let found = if node.flag("select_last_index", false)? {
        let last = x.shape()[x.shape().axis(axis)?] as i64 - 1;
        (last - op(flip(x, axis)?, axis)?)?
    } else {
        op(x, axis)?
    };
    Ok(vec![if node.flag("keepdims", true)? { found.unsqueeze(axis)? } else { found }])
}

fn hardmax(node: &Node) -> Outcome {
    let (x, axis) = (node.x(0)?, node.int("axis", -1)?);
    let (dtype, classes) = (x.dtype(), x.shape()[x.shape().axis(axis)?]);
    let largest = |x: Tensor| select::one_hot(reduce::argmax(x, -1), classes)?.cast(dtype);
    Ok(vec![crate::windows::on_last(&x, axis, largest)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("ArgMax", |node| position(node, reduce::argmax)),
        ("ArgMin", |node| position(node, reduce::argmin)),
        ("Hardmax", hardmax),
        ("LogSoftmax", |node| Ok(vec![nn::log_softmax(node.x(0)?, node.int("axis", -1)?)?])),
        ("ReduceL1", |node| reduce(node, |x, axes| reduce::sum(math::abs(x), axes))),
        ("ReduceL2", |node| reduce(node, reduce::norm)),
        ("ReduceLogSum", |node| reduce(node, |x, axes| math::log(reduce::sum(x, axes)))),
        ("ReduceLogSumExp", |node| extreme(node, reduce::logsumexp, f64::NEG_INFINITY)),
        ("ReduceMax", |node| extreme(node, reduce::amax, f64::NEG_INFINITY)),
        ("ReduceMean", |node| reduce(node, reduce::mean)),
        ("ReduceMin", |node| extreme(node, reduce::amin, f64::INFINITY)),
        ("ReduceProd", |node| reduce(node, reduce::prod)),
        ("ReduceSum", |node| reduce(node, reduce::sum)),
        ("ReduceSumSquare", |node| reduce(node, |x, axes| reduce::sum(math::square(x), axes))),
        ("Softmax", |node| Ok(vec![nn::softmax(node.x(0)?, node.int("axis", -1)?)?])),
    ]
}
