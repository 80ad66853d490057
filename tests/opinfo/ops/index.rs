//! Elements by index.

use super::Entry;
use crate::call::{Argument, Call, Outcome, Stop};
use tensor_op::catalogue::embedding::embedding as rows;
use tensor_op::catalogue::select;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn flat_place(ids: IntTensor, size: i64, next: IntTensor, next_size: i64) -> IntTensor {
    select(ids < 0, ids + size, ids) * next_size + select(next < 0, next + next_size, next)
}

fn gather(call: &Call) -> Outcome {
    Ok(vec![select::gather(call.x()?, call.int(1, "dim")?.unwrap_or(0), call.ints(2, "index")?)?])
}

fn index_select(call: &Call) -> Outcome {
    Ok(vec![select::index_select(call.x()?, call.int(1, "dim")?.unwrap_or(0), call.ints(2, "index")?)?])
}

fn index_fill(call: &Call) -> Outcome {
    let (ids, value) = (call.ints(2, "index")?, call.number(3, "value")?.unwrap_or(0.0));
    Ok(vec![select::index_fill(call.x()?, call.int(1, "dim")?.unwrap_or(0), ids, value)?])
}

fn embedding(call: &Call) -> Outcome {
    known_bag(call)?;
    Ok(vec![rows(call.ints(1, "indices")?, call.x()?, call.int(2, "padding_idx")?)?])
}

pub(super) fn known_bag(call: &Call) -> Outcome<()> {
    if !matches!(call.get(usize::MAX, "max_norm"), Argument::None) {
        return Err(Stop::Skip("an argument that is written: rows of a large norm are scaled in place"));
    }
    if call.flag(usize::MAX, "scale_grad_by_freq", false)? {
        return Err(Stop::Skip("a gradient that is divided by how often an index occurs"));
    }
    Ok(())
}

/// If the number of classes is not given, it follows from the ids.
fn classes(call: &Call) -> Outcome {
    let ids = call.ints(0, "input")?;
    let given = call.int(1, "num_classes")?.unwrap_or(-1);
    let largest = || Outcome::Ok(ids.to_vec::<i64>()?.into_iter().max().unwrap_or(-1) + 1);
    let classes = if given < 0 { largest()? } else { given };
    Ok(vec![select::one_hot(ids, classes as usize)?])
}

/// The part of the brackets that stands for one axis.
enum Item {
    Slice,
    Ids(Tensor),
}

/// Numbers and slices take parts of axes. Lists and tensors of ids are broadcast against each other, and all
/// axes that they index become one.
fn getitem(call: &Call) -> Outcome {
    let mut x = call.x()?;
    let items = match call.get(1, "") {
        Argument::List(items) if !items.iter().all(|item| matches!(item, Argument::Int(_))) => &items[..],
        item => std::slice::from_ref(item),
    };
    let (mut axis, mut kinds) = (0, vec![]);
    for item in items {
        match item {
            Argument::Int(place) => {
                let place = if *place < 0 { place + x.shape()[axis] as i64 } else { *place };
                x = x.slice(axis as i64, place..place + 1)?.squeeze(axis as i64)?;
                continue;
            }
            Argument::Python(text) if text == "Ellipsis" => {
                for _ in 0..(x.rank() + 1).saturating_sub(axis + items.len() - place_of(item, items)) {
                    kinds.push(Item::Slice);
                    axis += 1;
                }
                continue;
            }
            Argument::Python(text) => {
                x = sliced(&x, axis, text).ok_or_else(|| call.wrong(text, "a slice"))??;
                kinds.push(Item::Slice);
            }
            Argument::Tensor(ids) if ids.dtype() == DType::Bool => {
                return Err(Stop::Skip(
                    "a result whose size depends on values: elements where a mask is true",
                ));
            }
            Argument::Tensor(ids) => kinds.push(Item::Ids(ids.cast(DType::I64)?)),
            Argument::List(ids) => {
                let ids = ids.iter().map(|id| match id {
                    Argument::Int(id) => Ok(*id),
                    _ => Err(call.wrong("index", "a list of ints")),
                });
                let ids = ids.collect::<Outcome<Vec<_>>>()?;
                kinds.push(Item::Ids(Tensor::from_vec(ids.clone(), [ids.len()], &x.device())?));
            }
            _ => return Err(call.wrong("index", "known")),
        }
        axis += 1;
    }
    Ok(vec![walked(&x, &kinds)?])
}

/// The index of this item among the items.
fn place_of(item: &Argument, items: &[Argument]) -> usize {
    items.iter().position(|other| std::ptr::eq(other, item)).unwrap_or(0)
}

/// Takes `slice(1, 3, None)`, as Python prints it.
fn sliced(x: &Tensor, axis: usize, text: &str) -> Option<Result<Tensor>> {
    let parts: Vec<&str> = text.strip_prefix("slice(")?.strip_suffix(')')?.split(", ").collect();
    let number = |part: &str| if part == "None" { Some(None) } else { part.parse::<i64>().ok().map(Some) };
    let [start, end, step] = [number(parts.first()?)?, number(parts.get(1)?)?, number(parts.get(2)?)?];
    let size = x.shape()[axis] as i64;
    let place = |place: i64| if place < 0 { place + size } else { place }.clamp(0, size);
    let start = place(start.unwrap_or(0));
    let end = place(end.unwrap_or(size)).max(start);
    Some(x.slice_step(axis as i64, start..end, usize::try_from(step.unwrap_or(1)).ok()?))
}

fn walked(x: &Tensor, kinds: &[Item]) -> Outcome<Tensor> {
    let indexed: Vec<(usize, &Tensor)> = kinds
        .iter()
        .enumerate()
        .filter_map(|(axis, kind)| match kind {
            Item::Ids(ids) => Some((axis, ids)),
            Item::Slice => None,
        })
        .collect();
    let Some(((first, ids), rest)) = indexed.split_first() else { return Ok(x.clone()) };
    let shape = x.shape();
    let (mut place, mut size) = ((*ids).clone(), shape[*first]);
    for (axis, ids) in rest {
        place = flat_place(place, size as i64, *ids, shape[*axis] as i64)?;
        size *= shape[*axis];
    }
    let axes: Vec<usize> = indexed.iter().map(|(axis, _)| *axis).collect();
    let others: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<i64> = axes.iter().chain(&others).map(|axis| *axis as i64).collect();
    let kept: Vec<usize> = others.iter().map(|axis| shape[*axis]).collect();
    let rows = x.permute(&order)?.reshape([&[size], &kept[..]].concat())?;
    let found = select::index_select(rows, 0, place.reshape([place.elements()]))?;
    // The axes of the ids come where the first indexed axis was, or first if there are slices between.
    let adjacent = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let target = if adjacent { *first } else { 0 };
    let mut order: Vec<i64> = (1..found.rank() as i64).collect();
    order.insert(target, 0);
    let sizes = [&kept[..target], &place.shape()[..], &kept[target..]].concat();
    Ok(found.permute(&order)?.reshape(sizes)?)
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("__getitem__", getitem),
        Entry::new("gather", gather),
        Entry::new("index_fill", index_fill),
        Entry::new("index_select", index_select),
        Entry::new("nn.functional.embedding", embedding),
        Entry::new("nn.functional.one_hot", classes),
        Entry::new("take", |call| Ok(vec![select::take(call.x()?, call.ints(1, "index")?)?])),
        Entry::new("take_along_dim", |call| {
            Ok(vec![select::take_along_dim(call.x()?, call.ints(1, "indices")?, call.int(2, "dim")?)?])
        }),
    ]
}
