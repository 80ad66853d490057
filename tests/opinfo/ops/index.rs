//! Elements by index.

use super::Entry;
use super::movement::at_least_1d;
use crate::call::{Argument, Call, Outcome, Stop};
use tensor_op::catalogue::nn::embedding as rows;
use tensor_op::catalogue::select;
use tensor_op::prelude::*;

/// The padding row has no gradient.
#[tensor_op(tests = false)]
fn padded_rows(weight: Tensor![v, d], ids: IntTensor, padding: i64) -> Tensor![.., d] {
    let row = at(weight, v = ids);
    select(ids == padding, stop_grad(row), row)
}

#[tensor_op(tests = false)]
pub(super) fn flat_place(ids: IntTensor, size: i64, next: IntTensor, next_size: i64) -> IntTensor {
    select(ids < 0, ids + size, ids) * next_size + select(next < 0, next + next_size, next)
}

/// The other axes of the index may be shorter than those of `x`. The rest of `x` is not read.
fn gather(call: &Call) -> Outcome {
    let (x, ids) = (call.x()?, call.ints(2, "index")?);
    if x.rank() != ids.rank() {
        return Err(Stop::Skip("an empty index of another rank than the tensor's"));
    }
    let (mut x, shape) = (at_least_1d(&x)?, ids.shape());
    let ids = at_least_1d(&ids)?;
    let axis = x.shape().axis(call.int(1, "dim")?.unwrap_or(0))?;
    for other in (0..x.rank()).filter(|other| *other != axis) {
        x = x.slice(other as i64, ..ids.shape()[other] as i64)?;
    }
    along(&x, &ids, axis as i64, shape.to_vec())
}

/// Moves the axis of both tensors to the end.
fn along(x: &Tensor, ids: &Tensor, axis: i64, shape: Vec<usize>) -> Outcome {
    let found = select::gather(x.transpose(axis, -1), ids.transpose(axis, -1))?.transpose(axis, -1)?;
    Ok(vec![found.reshape(shape)?])
}

/// Broadcasts the other axes. Without an axis both tensors are flattened.
fn take_along_dim(call: &Call) -> Outcome {
    let (x, ids) = (call.x()?, call.ints(1, "indices")?);
    let Some(axis) = call.int(2, "dim")? else {
        let count = ids.elements();
        return along(&x.reshape([x.elements()])?, &ids.reshape([count])?, 0, vec![count]);
    };
    let axis = x.shape().axis(axis)?;
    let (mut of_x, mut of_ids) = (x.shape().to_vec(), ids.shape().to_vec());
    for other in (0..of_x.len()).filter(|other| *other != axis) {
        let size = if of_x[other] == 1 { of_ids[other] } else { of_x[other] };
        (of_x[other], of_ids[other]) = (size, size);
    }
    along(&x.broadcast_to(of_x)?, &ids.broadcast_to(of_ids.clone())?, axis as i64, of_ids)
}

fn take(call: &Call) -> Outcome {
    let (x, ids) = (call.x()?, call.ints(1, "index")?);
    let found = select::index_select(x.reshape([x.elements()]), ids.reshape([ids.elements()]))?;
    Ok(vec![found.reshape(ids.shape())?])
}

/// Runs an op of the first axis along another one. A tensor without axes is treated as if it had one.
fn on_first(x: &Tensor, axis: i64, op: impl Fn(Tensor) -> Result<Tensor>) -> Outcome {
    let found = op(at_least_1d(x)?.transpose(axis, 0)?)?.transpose(axis, 0)?;
    Ok(vec![if x.rank() == 0 { found.reshape([0_i64; 0])? } else { found }])
}

fn index_select(call: &Call) -> Outcome {
    let ids = at_least_1d(&call.ints(2, "index")?)?;
    on_first(&call.x()?, call.int(1, "dim")?.unwrap_or(0), |x| select::index_select(x, &ids))
}

fn index_fill(call: &Call) -> Outcome {
    let (ids, value) = (at_least_1d(&call.ints(2, "index")?)?, call.number(3, "value")?.unwrap_or(0.0));
    on_first(&call.x()?, call.int(1, "dim")?.unwrap_or(0), |x| select::index_fill(x, &ids, value))
}

/// The padding row, or -1, which no id names.
pub(super) fn padding(call: &Call, place: usize, weight: &Tensor) -> Outcome<i64> {
    let rows = weight.shape()[0] as i64;
    Ok(call.int(place, "padding_idx")?.map_or(-1, |row| if row < 0 { row + rows } else { row }))
}

fn embedding(call: &Call) -> Outcome {
    let (weight, ids) = (call.x()?, call.ints(1, "indices")?);
    known_bag(call)?;
    Ok(vec![match padding(call, 2, &weight)? {
        -1 => rows(weight, ids)?,
        padding => padded_rows(weight, ids, padding)?,
    }])
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
    let found = select::index_select(rows, place.reshape([place.elements()]))?;
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
        Entry::new("take", take),
        Entry::new("take_along_dim", take_along_dim),
    ]
}
