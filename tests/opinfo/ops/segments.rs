//! Reductions of rows that lie one after the other, in segments of different lengths.

use super::Entry;
use super::index::known_bag;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::embedding::{BagMode, embedding_bag};
use tensor_op::prelude::*;

/// The segment of each row, out of the lengths of segments.
#[tensor_op(tests = false)]
fn of_lengths(lengths: IntTensor![s], n: usize) -> IntTensor![n] {
    searchsorted(cumsum(lengths, s), iota(n), s, right = true)
}

/// The segment of each row, out of the first row of each segment.
#[tensor_op(tests = false)]
fn of_offsets(offsets: IntTensor![s], n: usize) -> IntTensor![n] {
    searchsorted(offsets, iota(n), s, right = true) - 1
}

#[derive(Clone, Copy, Debug)]
enum Reduce {
    Sum,
    Mean,
    Product,
    Max,
    Min,
}

/// The initial value is one more element of each sum, product and extreme.
#[tensor_op(tests = false)]
fn reduced(
    x: Tensor![n, ..],
    ids: IntTensor![n],
    segments: usize,
    initial: f64,
    by: Reduce,
) -> Tensor![segments, ..] {
    match by {
        Reduce::Sum => initial + scatter_add(x, n, segments = ids),
        Reduce::Mean => {
            let count = scatter_add(1.0, n, segments = ids);
            (initial + scatter_add(x, n, segments = ids)) / maximum(count, 1.0)
        }
        Reduce::Product => initial * scatter_mul(x, n, segments = ids),
        Reduce::Max => maximum(initial, scatter_max(x, n, segments = ids)),
        Reduce::Min => minimum(initial, scatter_min(x, n, segments = ids)),
    }
}

fn segment_reduce(call: &Call) -> Outcome {
    let x = call.x()?;
    let axis = call.int(usize::MAX, "axis")?.unwrap_or(0);
    let initial = call.number(usize::MAX, "initial")?.ok_or_else(|| call.wrong("initial", "given"))?;
    let x = x.transpose(axis, 0)?;
    let rows = x.shape()[0];
    let (ids, segments) = match call.get(usize::MAX, "lengths") {
        Argument::None => {
            let offsets = call.ints(usize::MAX, "offsets")?;
            (of_offsets(&offsets, rows)?, offsets.elements() - 1)
        }
        _ => {
            let lengths = call.ints(usize::MAX, "lengths")?;
            (of_lengths(&lengths, rows)?, lengths.elements())
        }
    };
    let by = match call.text(1, "reduce", "")? {
        "sum" => Reduce::Sum,
        "mean" => Reduce::Mean,
        "prod" => Reduce::Product,
        "max" => Reduce::Max,
        "min" => Reduce::Min,
        _ => return Err(call.wrong("reduce", "known")),
    };
    Ok(vec![reduced(x, ids, segments, initial, by)?.transpose(axis, 0)?])
}

fn bags(call: &Call) -> Outcome {
    known_bag(call)?;
    let mode = match call.text(usize::MAX, "mode", "mean")? {
        "sum" => BagMode::Sum,
        "mean" => BagMode::Mean,
        "max" => BagMode::Max,
        _ => return Err(call.wrong("mode", "known")),
    };
    let offsets = match call.get(2, "offsets") {
        Argument::None => None,
        _ => Some(call.ints(2, "offsets")?),
    };
    let (weights, has_end) = (
        call.optional(usize::MAX, "per_sample_weights")?,
        call.flag(usize::MAX, "include_last_offset", false)?,
    );
    let padding = call.int(usize::MAX, "padding_idx")?;
    let (ids, table) = (call.ints(1, "indices")?, call.x()?);
    Ok(vec![embedding_bag(ids, table, offsets, mode, weights, has_end, padding)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("_segment_reduce lengths", segment_reduce),
        Entry::new("_segment_reduce offsets", segment_reduce),
        Entry::new("nn.functional.embedding_bag", bags),
    ]
}
