//! Elements that are written to indices.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::scatter::{
    self, Reduce, index_add, index_copy, index_put, scatter_add, scatter_reduce,
};
use tensor_op::prelude::*;

fn axis(call: &Call) -> Outcome<i64> {
    call.int(1, "dim")?.ok_or_else(|| call.wrong("dim", "given"))
}

/// The source is a tensor or a number.
fn replaced(call: &Call) -> Outcome {
    let (x, axis, ids) = (call.x()?, axis(call)?, call.ints(2, "index")?);
    Ok(vec![match call.get(3, "src") {
        Argument::Tensor(source) => scatter::scatter(x, axis, ids, source)?,
        _ => {
            let value = call.number(3, "value")?.ok_or_else(|| call.wrong("value", "given"))?;
            scatter::scatter(x, axis, ids, value)?
        }
    }])
}

fn added(call: &Call) -> Outcome {
    Ok(vec![scatter_add(call.x()?, axis(call)?, call.ints(2, "index")?, call.float(3, "src")?)?])
}

fn reduced(call: &Call, reduce: Reduce) -> Outcome {
    let (ids, source) = (call.ints(2, "index")?, call.float(3, "src")?);
    let with_self = call.flag(usize::MAX, "include_self", true)?;
    Ok(vec![scatter_reduce(call.x()?, axis(call)?, ids, source, reduce, with_self)?])
}

fn rows_added(call: &Call) -> Outcome {
    let (ids, source) = (call.ints(2, "index")?, call.float(3, "source")?);
    let alpha = call.number(usize::MAX, "alpha")?.unwrap_or(1.0);
    Ok(vec![index_add(call.x()?, axis(call)?, ids, source, alpha)?])
}

fn put(call: &Call) -> Outcome {
    let Argument::List(items) = call.get(1, "indices") else { return Err(call.wrong("indices", "a list")) };
    let ids = items.iter().map(|item| match item {
        Argument::Tensor(ids) if ids.dtype() != DType::Bool => Ok(ids),
        _ => Err(call.wrong("indices", "tensors of ints")),
    });
    let ids = ids.collect::<Outcome<Vec<&Tensor>>>()?;
    Ok(vec![index_put(call.x()?, &ids, call.float(2, "values")?, call.flag(3, "accumulate", false)?)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("index_add", rows_added),
        Entry::new("index_copy", |call| {
            let source = call.float(3, "source")?;
            Ok(vec![index_copy(call.x()?, axis(call)?, call.ints(2, "index")?, source)?])
        }),
        Entry::new("index_put", put),
        Entry::new("scatter", replaced),
        Entry::new("scatter_add", added),
        Entry::new("scatter_reduce amax", |call| reduced(call, Reduce::Amax)),
        Entry::new("scatter_reduce amin", |call| reduced(call, Reduce::Amin)),
        Entry::new("scatter_reduce mean", |call| reduced(call, Reduce::Mean)),
        Entry::new("scatter_reduce prod", |call| reduced(call, Reduce::Prod)),
        Entry::new("scatter_reduce sum", |call| reduced(call, Reduce::Sum)),
    ]
}
