//! Reductions over axes.

use super::Entry;
use crate::node::{Node, Outcome, through_floats};
use tensor_op::catalogue::movement::flip;
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;

/// Reductions of the last axis.
macro_rules! reductions {
    ($($op:ident |$x:ident, $n:ident| $body:expr;)*) => {
        $(
            #[tensor_op(tests = false)]
            fn $op($x: Tensor![.., $n]) -> Tensor![..] {
                $body
            }
        )*
    };
}

reductions! {
    l1 |x, n| sum(abs(x), n);
    l2 |x, n| norm(x, n);
    log_sum |x, n| ln(sum(x, n));
    log_sum_exp |x, n| logsumexp(x, n);
    mean |x, n| mean(x, n);
    product |x, n| prod(x, n);
    sum |x, n| sum(x, n);
    sum_square |x, n| sum(square(x), n);
}

#[tensor_op(tests = false)]
fn largest(x: Tensor![.., n]) -> Tensor![..] {
    max(x, n)
}

#[tensor_op(tests = false)]
fn smallest(x: Tensor![.., n]) -> Tensor![..] {
    min(x, n)
}

#[tensor_op(tests = false)]
fn index_of_largest(x: Tensor![.., n]) -> IntTensor![..] {
    argmax(x, n)
}

#[tensor_op(tests = false)]
fn index_of_smallest(x: Tensor![.., n]) -> IntTensor![..] {
    argmin(x, n)
}

#[tensor_op(tests = false)]
fn is_first_largest(x: Tensor![.., n]) -> BoolTensor![.., n] {
    argmax(x, n) == iota(n)
}

/// Moves axes to the end, merges them, and reduces the one that they are then.
pub(super) fn over(
    x: &Tensor,
    axes: &[i64],
    keep: bool,
    op: impl FnOnce(Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let shape = x.shape();
    let axes = axes.iter().map(|axis| shape.axis(*axis)).collect::<Result<Vec<_>>>()?;
    let kept: Vec<usize> = (0..shape.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<i64> = kept.iter().chain(&axes).map(|axis| *axis as i64).collect();
    let mut sizes: Vec<usize> = kept.iter().map(|axis| shape[*axis]).collect();
    sizes.push(axes.iter().map(|axis| shape[*axis]).product());
    let y = op(x.permute(&order)?.reshape(sizes)?)?;
    if !keep {
        return Ok(y);
    }
    let size = |axis: usize| if axes.contains(&axis) { 1 } else { shape[axis] };
    y.reshape((0..shape.rank()).map(size).collect::<Vec<_>>())
}

/// The axes are an input. Without them, or with none, they are all axes.
fn reduce(node: &Node, op: impl FnOnce(Tensor) -> Result<Tensor>) -> Outcome {
    let (x, keep) = (node.x(0)?, node.flag("keepdims", true)?);
    let axes = node.ints(1)?.or(node.list("axes")?).unwrap_or_default();
    if axes.is_empty() && node.flag("noop_with_empty_axes", false)? {
        return Ok(vec![x]);
    }
    let axes = if axes.is_empty() { (0..x.rank() as i64).collect() } else { axes };
    Ok(vec![through_floats(x, |x| over(&x, &axes, keep, op))?])
}

/// Over no elements the result is the value that changes no other.
fn extreme(node: &Node, op: impl FnOnce(Tensor) -> Result<Tensor>, neutral: f64) -> Outcome {
    reduce(node, |x| {
        let shape = x.shape();
        match shape.last() {
            Some(0) => Tensor::full(&shape[..shape.rank() - 1], neutral, &x.device())?.cast(x.dtype()),
            Some(_) | None => op(x),
        }
    })
}

/// The position of the first or the last of equal elements.
fn position(node: &Node, op: fn(Tensor) -> Result<Tensor>) -> Outcome {
    let (x, axis, keep) = (node.x(0)?, node.int("axis", 0)?, node.flag("keepdims", true)?);
    if !node.flag("select_last_index", false)? {
        return Ok(vec![over(&x, &[axis], keep, op)?]);
    }
    let last = x.shape()[x.shape().axis(axis)?] as i64 - 1;
    Ok(vec![(last - over(&flip(x, axis)?, &[axis], keep, op)?)?])
}

fn hardmax(node: &Node) -> Outcome {
    let (x, axis) = (node.x(0)?, node.int("axis", -1)?);
    let dtype = x.dtype();
    Ok(vec![crate::windows::on_last(&x, axis, |x| is_first_largest(x)?.cast(dtype))?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("ArgMax", |node| position(node, index_of_largest)),
        ("ArgMin", |node| position(node, index_of_smallest)),
        ("Hardmax", hardmax),
        ("LogSoftmax", |node| Ok(vec![nn::log_softmax(node.x(0)?, node.int("axis", -1)?)?])),
        ("ReduceL1", |node| reduce(node, l1)),
        ("ReduceL2", |node| reduce(node, l2)),
        ("ReduceLogSum", |node| reduce(node, log_sum)),
        ("ReduceLogSumExp", |node| extreme(node, log_sum_exp, f64::NEG_INFINITY)),
        ("ReduceMax", |node| extreme(node, largest, f64::NEG_INFINITY)),
        ("ReduceMean", |node| reduce(node, mean)),
        ("ReduceMin", |node| extreme(node, smallest, f64::INFINITY)),
        ("ReduceProd", |node| reduce(node, product)),
        ("ReduceSum", |node| reduce(node, sum)),
        ("ReduceSumSquare", |node| reduce(node, sum_square)),
        ("Softmax", |node| Ok(vec![nn::softmax(node.x(0)?, node.int("axis", -1)?)?])),
    ]
}
