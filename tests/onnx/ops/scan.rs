//! Scans along an axis.

use super::Entry;
use crate::node::{Node, Outcome, through_floats};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn sums(x: Tensor, dim: Axis, reverse: bool, exclusive: bool) -> Tensor {
    if reverse {
        if exclusive {
            cumsum(x, dim, reverse = true, exclusive = true)
        } else {
            cumsum(x, dim, reverse = true)
        }
    } else {
        if exclusive { cumsum(x, dim, exclusive = true) } else { cumsum(x, dim) }
    }
}

#[tensor_op(tests = false)]
fn products(x: Tensor, dim: Axis, reverse: bool, exclusive: bool) -> Tensor {
    if reverse {
        if exclusive {
            cumprod(x, dim, reverse = true, exclusive = true)
        } else {
            cumprod(x, dim, reverse = true)
        }
    } else {
        if exclusive { cumprod(x, dim, exclusive = true) } else { cumprod(x, dim) }
    }
}

fn scan(node: &Node, op: fn(Tensor, i64, bool, bool) -> Result<Tensor>) -> Outcome {
    let axis = node.number(1)?.unwrap_or(0.0) as i64;
    let (reverse, exclusive) = (node.flag("reverse", false)?, node.flag("exclusive", false)?);
    Ok(vec![through_floats(node.x(0)?, |x| op(x, axis, reverse, exclusive))?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("CumProd", |node| scan(node, products)), ("CumSum", |node| scan(node, sums))]
}
