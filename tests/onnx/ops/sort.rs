//! Sorting along an axis.

use super::Entry;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::sort::topk;

fn top(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let axis = node.int("axis", -1)?;
    let count = node.number(1)?.unwrap_or(0.0) as usize;
    let (values, indices) = topk(x, count, axis, node.flag("largest", true)?, None)?;
    Ok(vec![values, indices])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("TopK", top)]
}
