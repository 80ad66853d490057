//! Sorting along an axis.

use super::Entry;
use crate::data::is_float;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::sort::topk;
use tensor_op::prelude::*;

/// Whole numbers go through f64, which holds them exactly.
fn top(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let axis = node.int("axis", -1)?;
    let count = node.number(1)?.unwrap_or(0.0) as usize;
    let last = x.transpose(axis, -1)?;
    let wide = if is_float(x.dtype()) { last } else { last.cast(DType::F64)? };
    let (values, indices) = topk(wide, count, node.flag("largest", true)?)?;
    Ok(vec![values.transpose(axis, -1)?.cast(x.dtype())?, indices.transpose(axis, -1)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("TopK", top)]
}
