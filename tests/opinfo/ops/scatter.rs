//! Elements that are written to indices.

use super::Entry;
use super::index::flat_place;
use super::movement::at_least_1d;
use crate::call::{Argument, Call, Outcome};
use crate::scatter::{Combine, Op, along, combined, replaced, rows, set};
use tensor_op::catalogue::segments::index_add as rows_added;
use tensor_op::prelude::*;

fn axis(call: &Call) -> Outcome<i64> {
    call.int(1, "dim")?.ok_or_else(|| call.wrong("dim", "given"))
}

/// A number is written to all indices.
fn scatter(call: &Call, op: Op<'_>) -> Outcome {
    let (x, ids) = (call.x()?, call.ints(2, "index")?);
    let source = match call.get(3, "src") {
        Argument::Tensor(source) => source.clone(),
        _ => call.float(3, "value")?.cast(x.dtype())?.broadcast_to(ids.shape())?,
    };
    let whole = at_least_1d(&x)?;
    let axis = whole.shape().axis(axis(call)?)?;
    let found = along(&whole, &at_least_1d(&ids)?, &at_least_1d(&source)?, axis, op)?;
    Ok(vec![found.reshape(x.shape())?])
}

fn reduce(call: &Call, by: Combine) -> Outcome {
    if call.flag(usize::MAX, "include_self", true)? {
        scatter(call, &|x, ids, source| combined(x, ids, source, by))
    } else {
        scatter(call, &|x, ids, source| replaced(x, ids, source, by))
    }
}

/// Runs an op for rows along an axis.
fn on_rows(call: &Call, op: impl Fn(&Tensor, &Tensor, &Tensor) -> Result<Tensor>) -> Outcome {
    let (x, source) = (call.x()?, at_least_1d(&call.float(3, "source")?)?);
    let (ids, axis) = (at_least_1d(&call.ints(2, "index")?)?, axis(call)?);
    let found = op(&at_least_1d(&x)?.transpose(axis, 0)?, &ids, &source.transpose(axis, 0)?)?;
    Ok(vec![found.transpose(axis, 0)?.reshape(x.shape())?])
}

fn index_add(call: &Call) -> Outcome {
    let alpha = call.number(usize::MAX, "alpha")?;
    on_rows(call, |x, ids, source| rows_added(x, ids, source, alpha))
}

/// The ids of several axes are broadcast against each other, and the axes become one.
fn index_put(call: &Call) -> Outcome {
    let (x, values) = (call.x()?, call.float(2, "values")?);
    let shape = x.shape();
    let Argument::List(items) = call.get(1, "indices") else { return Err(call.wrong("indices", "a list")) };
    let (mut place, mut size) = (Tensor::scalar(0_i64, &x.device())?, 1);
    for (item, own) in items.iter().zip(&shape[..]) {
        let Argument::Tensor(ids) = item else { return Err(call.wrong("indices", "tensors")) };
        if ids.dtype() == DType::Bool {
            return Err(call.wrong("indices", "tensors of ints"));
        }
        place = flat_place(place, size as i64, ids, *own as i64)?;
        size *= own;
    }
    let rest = &shape[items.len()..];
    let flat = x.reshape([&[size], rest].concat())?;
    let values = values.broadcast_to([&place.shape()[..], rest].concat())?;
    let added: Op<'_> = &|x, ids, source| combined(x, ids, source, Combine::Sum);
    let op: Op<'_> = if call.flag(3, "accumulate", false)? { added } else { &set };
    Ok(vec![rows(&flat, &place, &values, op)?.reshape(shape)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("index_add", index_add),
        Entry::new("index_copy", |call| on_rows(call, |x, ids, source| rows(x, ids, source, &set))),
        Entry::new("index_put", index_put),
        Entry::new("scatter", |call| scatter(call, &set)),
        Entry::new("scatter_add", |call| reduce(call, Combine::Sum)),
        Entry::new("scatter_reduce amax", |call| reduce(call, Combine::Max)),
        Entry::new("scatter_reduce amin", |call| reduce(call, Combine::Min)),
        Entry::new("scatter_reduce mean", |call| reduce(call, Combine::Mean)),
        Entry::new("scatter_reduce prod", |call| reduce(call, Combine::Product)),
        Entry::new("scatter_reduce sum", |call| reduce(call, Combine::Sum)),
    ]
}
