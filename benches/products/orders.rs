//! Sorts and scatters that are measured: ops of the catalogue, and what they are compared with.

use tensor_op::catalogue::{segments, sort};
use tensor_op::prelude::*;

pub(crate) fn sort(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    Ok(sort::sort(x, None, None)?.0)
}

/// Along the first axis: columns lie beside each other in memory.
pub(crate) fn sort_columns(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    sort::msort(x)
}

pub(crate) fn topk50(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    Ok(sort::topk(x, 50, None, None, None)?.0)
}

pub(crate) fn median(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    Ok(sort::median(x, None)?.0)
}

#[tensor_op(tests = false)]
fn copied(x: Tensor) -> Tensor {
    x * 1.5
}

/// What a sort is compared with.
pub(crate) fn copy(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    copied(x)
}

/// Where the values are between edges from -1 to 1. The argument only says how many edges there are.
#[tensor_op(tests = false)]
fn between(x: Tensor, edges: Tensor![n]) -> Tensor {
    let even = cast(iota(n), float) / len(n) * 2.0 - 1.0;
    x + cast(searchsorted(even + 0.0 * stop_grad(edges), stop_grad(x), n), float)
}

pub(crate) fn search(x: &Tensor, edges: &Tensor) -> Result<Tensor> {
    between(x, edges)
}

/// Random indices below the number of segments; in bf16 only some thousand different ones.
#[tensor_op(tests = false)]
fn drawn(#[no_grad] u: Tensor![n], #[no_grad] table: Tensor![s, d]) -> IntTensor![n] {
    minimum(cast(remainder(u * 1000.0, 1.0) * cast(len(s), float), int), len(s) - 1)
}

/// Random indices of the rows of a table.
fn ids(u: &Tensor, table: &Tensor) -> Result<Tensor> {
    drawn(u.detach(), table.detach())
}

fn rows(table: &Tensor) -> usize {
    table.shape()[0]
}

/// What a scatter is compared with.
#[tensor_op(tests = false)]
fn taken(table: Tensor![s, d], ids: IntTensor![n]) -> Tensor![n, d] {
    at(table, s = ids)
}

pub(crate) fn gather_rows(_: &Tensor, table: &Tensor, u: &Tensor) -> Result<Tensor> {
    taken(table, ids(u, table)?)
}

pub(crate) fn segment_sum(x: &Tensor, table: &Tensor, u: &Tensor) -> Result<Tensor> {
    segments::segment_sum(x, ids(u, table)?, rows(table))
}

pub(crate) fn segment_mean(x: &Tensor, table: &Tensor, u: &Tensor) -> Result<Tensor> {
    segments::segment_mean(x, ids(u, table)?, rows(table))
}

pub(crate) fn segment_max(x: &Tensor, table: &Tensor, u: &Tensor) -> Result<Tensor> {
    segments::segment_max(x, ids(u, table)?, rows(table), None)
}
