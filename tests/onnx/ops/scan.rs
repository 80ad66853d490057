//! Scans along an axis.

use super::Entry;
use crate::node::{Node, Outcome};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn sums(x: NumTensor, dim: Axis, reverse: bool, exclusive: bool) -> NumTensor {
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
fn products(x: NumTensor, dim: Axis, reverse: bool, exclusive: bool) -> NumTensor {
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
    let x = node.x(0)?;
    Ok(vec![op(x.clone(), axis, reverse, exclusive)?.cast(x.dtype())?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("CumProd", |node| scan(node, products)), ("CumSum", |node| scan(node, sums))]
}
