//! Reductions of rows that lie one after the other, in segments of different lengths.

use super::Entry;
use super::index::{known_bag, padding};
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::select;
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

#[tensor_op(tests = false)]
fn bag_sum(
    weight: Tensor![v, d],
    ids: IntTensor![n],
    bags: IntTensor![n],
    scale: Tensor![n],
    count: usize,
    padding: i64,
) -> Tensor![count, d] {
    scatter_add(select(ids == padding, 0.0, at(weight, v = ids) * scale), n, count = bags)
}

#[tensor_op(tests = false)]
fn bag_mean(
    weight: Tensor![v, d],
    ids: IntTensor![n],
    bags: IntTensor![n],
    count: usize,
    padding: i64,
) -> Tensor![count, d] {
    let total = scatter_add(select(ids == padding, 0.0, at(weight, v = ids)), n, count = bags);
    total / maximum(scatter_add(select(ids == padding, 0.0, 1.0), n, count = bags), 1.0)
}

/// The maximum of no rows is 0.
#[tensor_op(tests = false)]
fn bag_max(
    weight: Tensor![v, d],
    ids: IntTensor![n],
    bags: IntTensor![n],
    count: usize,
    padding: i64,
) -> Tensor![count, d] {
    let rows = select(ids == padding, -INFINITY, at(weight, v = ids));
    let counting = scatter_add(select(ids == padding, 0, 1), n, count = bags);
    select(counting > 0, scatter_max(rows, n, count = bags), 0.0)
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

fn embedding_bag(call: &Call) -> Outcome {
    known_bag(call)?;
    let (weight, ids) = (call.x()?, call.ints(1, "indices")?);
    let is_given = |name: &str| !matches!(call.get(usize::MAX, name), Argument::None);
    let is_plain = !is_given("padding_idx") && !is_given("per_sample_weights");
    if ids.rank() == 2 && is_plain && call.text(usize::MAX, "mode", "mean")? == "sum" {
        return Ok(vec![select::embedding_bag(weight, ids)?]);
    }
    let offsets = match ids.shape()[..] {
        // Bags of one length.
        [bags, length] => {
            let starts: Vec<i64> = (0..bags).map(|bag| (bag * length) as i64).collect();
            Tensor::from_vec(starts, [bags], &ids.device())?
        }
        _ if call.flag(usize::MAX, "include_last_offset", false)? => {
            call.ints(2, "offsets")?.slice(0, ..-1)?
        }
        _ => call.ints(2, "offsets")?,
    };
    let (count, padding) = (offsets.elements(), padding(call, usize::MAX, &weight)?);
    let ids = ids.reshape([ids.elements()])?;
    let bags = of_offsets(offsets, ids.elements())?;
    Ok(vec![match call.text(usize::MAX, "mode", "mean")? {
        "sum" => {
            let scale = match call.optional(usize::MAX, "per_sample_weights")? {
                Some(scale) => scale.reshape(ids.shape())?,
                None => Tensor::ones(ids.shape(), weight.dtype(), &ids.device())?,
            };
            bag_sum(weight, ids, bags, scale, count, padding)?
        }
        "mean" => bag_mean(weight, ids, bags, count, padding)?,
        _ => bag_max(weight, ids, bags, count, padding)?,
    }])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("_segment_reduce lengths", segment_reduce),
        Entry::new("_segment_reduce offsets", segment_reduce),
        Entry::new("nn.functional.embedding_bag", embedding_bag),
    ]
}
