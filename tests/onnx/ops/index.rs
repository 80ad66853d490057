//! Elements that are read by an index.

use super::Entry;
use crate::data::is_float;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::logic::where_;
use tensor_op::catalogue::select;
use tensor_op::prelude::*;

/// A negative index counts from the end.
#[tensor_op(tests = false)]
fn from_start(ids: IntTensor, size: i64) -> IntTensor {
    select(ids < 0, ids + size, ids)
}

/// The rows of a table.
pub(super) fn rows(table: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let found = select::index_select(table, 0, ids.reshape([-1]))?;
    found.reshape([&ids.shape()[..], &table.shape()[1..]].concat())
}

fn gather(node: &Node) -> Outcome {
    let (x, ids) = (node.x(0)?, node.x(1)?);
    let axis = x.shape().axis(node.int("axis", 0)?)?;
    let others = (0..x.rank()).filter(|other| *other != axis);
    let order: Vec<i64> = std::iter::once(axis).chain(others).map(|axis| axis as i64).collect();
    let found = rows(&x.permute(order)?, &ids)?;
    // The axes of the indices stand first, and belong behind those before the axis.
    let (own, rank) = (ids.rank(), found.rank());
    let back = (own..own + axis).chain(0..own).chain(own + axis..rank);
    Ok(vec![found.permute(back.map(|axis| axis as i64).collect::<Vec<_>>())?])
}

fn gather_elements(node: &Node) -> Outcome {
    Ok(vec![select::gather(node.x(0)?, node.int("axis", 0)?, node.x(1)?)?])
}

/// The last axis of the indices has one for each of the first axes. These become one axis, with one index.
pub(super) fn merged(x: &Tensor, ids: &Tensor) -> Result<Option<(Tensor, Tensor)>> {
    let (shape, own) = (x.shape(), ids.shape());
    let count = own[own.rank() - 1];
    let mut place: Option<Tensor> = None;
    for (axis, size) in shape[..count].iter().enumerate() {
        let axis = axis as i64;
        let index = from_start(ids.slice(-1, axis..axis + 1)?.squeeze(-1)?, *size as i64)?;
        place = Some(match place {
            Some(place) => (place * *size as i64 + index)?,
            None => index,
        });
    }
    let Some(place) = place else { return Ok(None) };
    let merged = x.reshape([&[shape[..count].iter().product()], &shape[count..]].concat())?;
    Ok(Some((merged, place)))
}

fn gather_nd(node: &Node) -> Outcome {
    if node.int("batch_dims", 0)? != 0 {
        return Err(crate::node::Stop::Skip("indices with axes of a batch"));
    }
    let x = node.x(0)?;
    let Some((merged, place)) = merged(&x, &node.x(1)?)? else { return Ok(vec![x]) };
    Ok(vec![rows(&merged, &place)?])
}

fn one_hot(node: &Node) -> Outcome {
    let (ids, values) = (node.x(0)?, node.x(2)?);
    let depth = node.number(1)?.unwrap_or(0.0) as usize;
    let ids = if is_float(ids.dtype()) { ids.cast(DType::I64)? } else { ids };
    let found = select::one_hot(from_start(&ids, depth as i64), depth)?.cast(DType::Bool)?;
    let axis = node.int("axis", -1)?;
    let axis = if axis < 0 { axis + found.rank() as i64 } else { axis };
    let last = found.rank() as i64 - 1;
    let order: Vec<i64> = (0..axis).chain([last]).chain(axis..last).collect();
    let (off, on) = (values.slice(0, ..1)?, values.slice(0, 1..)?);
    Ok(vec![where_(found.permute(order)?, on, off)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("Gather", gather),
        ("GatherElements", gather_elements),
        ("GatherND", gather_nd),
        ("OneHot", one_hot),
    ]
}
