//! Shapes, axes, parts and joins. These are functions of the facade's tensor, or declared ops if elements
//! change their order.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::movement;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn windows(x: Tensor![.., n], o: usize, k: usize, step: i64) -> Tensor![.., o, k] {
    at(x, n = iota(o) * step + iota(k))
}

/// Replaces a tensor without axes by one with a single element.
pub(super) fn at_least_1d(x: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 { x.reshape([1]) } else { Ok(x.clone()) }
}

pub(super) fn one(x: Result<Tensor>) -> Outcome {
    Ok(vec![x?])
}

/// Reads the sizes of a call. A size of -1 stands for the size that the tensor has.
fn expand(call: &Call) -> Outcome {
    let (x, sizes) = (call.x()?, call.rest(1, "size")?);
    let lead = sizes.len() - x.rank();
    let size = |(axis, size): (usize, &i64)| if *size < 0 { x.shape()[axis - lead] } else { *size as usize };
    one(x.broadcast_to(sizes.iter().enumerate().map(size).collect::<Vec<_>>()))
}

fn flatten(call: &Call) -> Outcome {
    let x = at_least_1d(&call.x()?)?;
    let shape = x.shape();
    let (start, end) = (call.int(1, "start_dim")?.unwrap_or(0), call.int(2, "end_dim")?.unwrap_or(-1));
    let (start, end) = (shape.axis(start)?, shape.axis(end)?);
    let sizes = [&shape[..start], &[shape[start..=end].iter().product()], &shape[end + 1..]].concat();
    one(x.reshape(sizes))
}

fn unflatten(call: &Call) -> Outcome {
    let (x, sizes) = (call.x()?, call.list(2, "sizes")?.unwrap_or_default());
    let shape = x.shape();
    let axis = shape.axis(call.int(1, "dim")?.unwrap_or(0))?;
    let known: i64 = sizes.iter().filter(|size| **size >= 0).product();
    let left = shape[axis] as i64 / known.max(1);
    let parts: Vec<usize> = sizes.iter().map(|size| if *size < 0 { left } else { *size } as usize).collect();
    one(x.reshape([&shape[..axis], &parts, &shape[axis + 1..]].concat()))
}

/// Removes the axes of size 1, or only those that are named.
fn squeeze(call: &Call) -> Outcome {
    let (x, axes) = (call.x()?, call.list(1, "dim")?);
    let shape = x.shape();
    if shape.rank() == 0 {
        return Ok(vec![x]);
    }
    let axes = axes
        .map(|axes| axes.into_iter().map(|axis| shape.axis(axis)).collect::<Result<Vec<_>>>())
        .transpose()?;
    let stays = |axis: &usize| shape[*axis] != 1 || axes.as_ref().is_some_and(|axes| !axes.contains(axis));
    one(x.reshape((0..shape.rank()).filter(stays).map(|axis| shape[axis]).collect::<Vec<_>>()))
}

fn transpose(call: &Call) -> Outcome {
    let (x, first, second) =
        (call.x()?, call.int(1, "dim0")?.unwrap_or(0), call.int(2, "dim1")?.unwrap_or(0));
    if x.rank() == 0 {
        return Ok(vec![x]);
    }
    one(x.transpose(first, second))
}

/// Reverses the order of all axes.
fn turned(call: &Call) -> Outcome {
    let x = call.x()?;
    one(x.permute((0..x.rank() as i64).rev().collect::<Vec<_>>()))
}

/// Joins tensors after giving each at least this many axes.
fn joined(call: &Call, shape: fn(&Tensor) -> Vec<i64>, axis: fn(usize) -> i64) -> Outcome {
    let tensors = call.tensors()?;
    let rank = tensors[0].rank();
    let tensors = tensors.iter().map(|x| x.reshape(shape(x))).collect::<Result<Vec<_>>>()?;
    one(Tensor::cat(&tensors, axis(rank)))
}

fn sizes(x: &Tensor) -> Vec<i64> {
    x.shape().iter().map(|size| *size as i64).collect()
}

/// Consecutive parts with these sizes.
fn parts(x: &Tensor, axis: i64, sizes: &[i64]) -> Outcome {
    let mut start = 0;
    let part = |size: &i64| {
        start += size;
        x.slice(axis, start - size..start)
    };
    Ok(sizes.iter().map(part).collect::<Result<_>>()?)
}

/// Parts of equal size. The last part may be shorter.
fn equal_parts(x: &Tensor, axis: i64, size: i64) -> Outcome {
    let whole = x.shape()[x.shape().axis(axis)?] as i64;
    let sizes: Vec<i64> =
        (0..whole.max(1)).step_by(size.max(1) as usize).map(|at| size.min(whole - at)).collect();
    parts(x, axis, &sizes)
}

fn chunk(call: &Call) -> Outcome {
    let (x, count, axis) = (call.x()?, call.int(1, "chunks")?.unwrap_or(1), call.int(2, "dim")?.unwrap_or(0));
    let whole = x.shape()[x.shape().axis(axis)?] as i64;
    equal_parts(&x, axis, (whole + count - 1) / count)
}

fn split(call: &Call) -> Outcome {
    let (x, axis) = (call.x()?, call.int(2, "dim")?.unwrap_or(0));
    match call.get(1, "split_size_or_sections") {
        crate::call::Argument::Int(size) => equal_parts(&x, axis, *size),
        _ => parts(&x, axis, &call.list(1, "split_size_or_sections")?.unwrap_or_default()),
    }
}

fn narrow(call: &Call) -> Outcome {
    let (x, axis) = (call.x()?, call.int(1, "dim")?.unwrap_or(0));
    let start = call.int(2, "start")?.unwrap_or(0);
    let whole = x.shape()[x.shape().axis(axis)?] as i64;
    let start = if start < 0 { start + whole } else { start };
    one(x.slice(axis, start..start + call.int(3, "length")?.unwrap_or(0)))
}

fn select(call: &Call) -> Outcome {
    let (x, axis, index) = (call.x()?, call.int(1, "dim")?.unwrap_or(0), call.int(2, "index")?.unwrap_or(0));
    let whole = x.shape()[x.shape().axis(axis)?] as i64;
    let index = if index < 0 { index + whole } else { index };
    one(x.slice(axis, index..index + 1)?.squeeze(axis))
}

/// Positions beyond the ends stand for the ends.
fn slice(call: &Call) -> Outcome {
    let (x, axis) = (call.x()?, call.int(1, "dim")?.unwrap_or(0));
    let whole = x.shape()[x.shape().axis(axis)?] as i64;
    let place = |place: i64| if place < 0 { place + whole } else { place }.clamp(0, whole);
    let start = place(call.int(2, "start")?.unwrap_or(0));
    let end = place(call.int(3, "end")?.unwrap_or(whole)).max(start);
    one(x.slice_step(axis, start..end, call.int(4, "step")?.unwrap_or(1) as usize))
}

fn flip(x: Tensor, axes: &[i64]) -> Outcome {
    one(axes.iter().try_fold(x, |x, axis| movement::flip(x, *axis)))
}

fn roll(call: &Call) -> Outcome {
    let x = at_least_1d(&call.x()?)?;
    let (shifts, axes) = (call.list(1, "shifts")?.unwrap_or_default(), call.list(2, "dims")?);
    let rolled = match axes.filter(|axes| !axes.is_empty()) {
        Some(axes) => {
            shifts.iter().zip(axes).try_fold(x, |x, (shift, axis)| movement::roll(x, *shift, axis))?
        }
        None => movement::roll(x, shifts[0], None)?,
    };
    one(rolled.reshape(call.x()?.shape()))
}

/// Turns by multiples of 90 degrees, from the first axis to the second.
fn rot90(call: &Call) -> Outcome {
    let (x, quarters) = (call.x()?, call.int(1, "k")?.unwrap_or(1));
    let axes = call.list(2, "dims")?.unwrap_or_else(|| vec![0, 1]);
    match quarters.rem_euclid(4) {
        0 => Ok(vec![x]),
        1 => one(flip(x, &axes[1..])?[0].transpose(axes[0], axes[1])),
        2 => flip(x, &axes),
        _ => one(flip(x, &axes[..1])?[0].transpose(axes[0], axes[1])),
    }
}

/// Repeats each axis this often.
fn repeated(x: &Tensor, times: &[i64]) -> Outcome {
    let lead = times.len() - x.rank();
    let (mut apart, mut wide, mut merged) = (vec![], vec![], vec![]);
    for (axis, times) in times.iter().map(|times| *times as usize).enumerate() {
        let size = if axis < lead { 1 } else { x.shape()[axis - lead] };
        apart.extend([1, size]);
        wide.extend([times, size]);
        merged.push(times * size);
    }
    one(x.reshape(apart)?.broadcast_to(wide)?.reshape(merged))
}

fn tile(call: &Call) -> Outcome {
    let (x, times) = (call.x()?, call.rest(1, "dims")?);
    let lead = vec![1; x.rank().saturating_sub(times.len())];
    repeated(&x, &[lead, times].concat())
}

fn unfold(call: &Call) -> Outcome {
    let x = at_least_1d(&call.x()?)?;
    let axis = x.shape().axis(call.int(1, "dimension")?.unwrap_or(0))? as i64;
    let (size, step) = (call.int(2, "size")?.unwrap_or(1), call.int(3, "step")?.unwrap_or(1));
    let count = (x.shape()[axis as usize] as i64 - size) / step + 1;
    let found = windows(x.transpose(axis, -1)?, count as usize, size as usize, step)?;
    let found = found.transpose(axis, -2)?;
    // The last axis has moved to the position before the windows.
    if call.x()?.rank() == 0 { one(found.reshape([size])) } else { Ok(vec![found]) }
}

/// Images of two axes, of which there may be others in front, as `[b, c, h, w]`.
fn as_images(x: &Tensor, op: impl Fn(Tensor) -> Result<Tensor>) -> Outcome {
    let shape = x.shape();
    let lead = shape.rank() - 3;
    let y = op(x.reshape([&[shape[..lead].iter().product()], &shape[lead..]].concat())?)?;
    one(y.reshape([&shape[..lead], &y.shape()[1..]].concat()))
}

fn pixel_shuffle(call: &Call) -> Outcome {
    let factor = call.int(1, "upscale_factor")?.unwrap_or(1) as usize;
    as_images(&call.x()?, |x| movement::pixel_shuffle(x, factor))
}

fn pixel_unshuffle(call: &Call) -> Outcome {
    let factor = call.int(1, "downscale_factor")?.unwrap_or(1) as usize;
    as_images(&call.x()?, |x| movement::pixel_unshuffle(x, factor))
}

/// Axes after the channels are one axis here.
fn channel_shuffle(call: &Call) -> Outcome {
    let (x, groups) = (call.x()?, call.int(1, "groups")?.unwrap_or(1) as usize);
    let own = x.shape();
    let image = x.reshape([own[0], own[1], own[2..].iter().product(), 1])?;
    one(movement::channel_shuffle(image, groups)?.reshape(own))
}

fn tensors(call: &Call, op: fn(&[Tensor], i64) -> Result<Tensor>) -> Outcome {
    one(op(&call.tensors()?, call.int(1, "dim")?.unwrap_or(0)))
}

/// Empty vectors may be among the tensors to join, whatever the rank of the others is.
fn cat(tensors: &[Tensor], axis: i64) -> Result<Tensor> {
    let full: Vec<&Tensor> = tensors.iter().filter(|x| x.shape()[..] != [0]).collect();
    if full.is_empty() {
        Ok(tensors[0].clone())
    } else {
        Tensor::cat(&full.into_iter().cloned().collect::<Vec<_>>(), axis)
    }
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("T", turned),
        Entry::new("broadcast_to", expand),
        Entry::new("cat", |call| tensors(call, cat)),
        Entry::new("chunk", chunk),
        Entry::new("dstack", |call| {
            joined(
                call,
                |x| match x.rank() {
                    0 | 1 => vec![1, x.elements() as i64, 1],
                    2 => [sizes(x), vec![1]].concat(),
                    _ => sizes(x),
                },
                |_| 2,
            )
        }),
        Entry::new("expand", expand),
        Entry::new("expand_as", |call| one(call.x()?.broadcast_to(call.tensor(1, "other")?.shape()))),
        Entry::new("flatten", flatten),
        Entry::new("flip", |call| flip(call.x()?, &call.rest(1, "dims")?)),
        Entry::new("fliplr", |call| flip(call.x()?, &[1])),
        Entry::new("flipud", |call| flip(call.x()?, &[0])),
        Entry::new("hstack", |call| {
            joined(call, |x| if x.rank() == 0 { vec![1] } else { sizes(x) }, |rank| i64::from(rank > 1))
        }),
        Entry::new("mT", |call| one(call.x()?.transpose(-1, -2))),
        Entry::new("narrow", narrow),
        Entry::new("nn.functional.channel_shuffle", channel_shuffle),
        Entry::new("nn.functional.pixel_shuffle", pixel_shuffle),
        Entry::new("nn.functional.pixel_unshuffle", pixel_unshuffle),
        Entry::new("permute", |call| one(call.x()?.permute(call.rest(1, "dims")?))),
        Entry::new("repeat", |call| repeated(&call.x()?, &call.rest(1, "repeats")?)),
        Entry::new("reshape", |call| one(call.x()?.reshape(call.rest(1, "shape")?))),
        Entry::new("roll", roll),
        Entry::new("rot90", rot90),
        Entry::new("select", select),
        Entry::new("slice", slice),
        Entry::new("split", split),
        Entry::new("split list_args", split),
        Entry::new("squeeze", squeeze),
        Entry::new("squeeze multiple", squeeze),
        Entry::new("stack", |call| tensors(call, Tensor::stack)),
        Entry::new("t", turned),
        Entry::new("tile", tile),
        Entry::new("transpose", transpose),
        Entry::new("unflatten", unflatten),
        Entry::new("unfold", unfold),
        Entry::new("unsqueeze", |call| one(call.x()?.unsqueeze(call.int(1, "dim")?.unwrap_or(0)))),
        Entry::new("view", |call| one(call.x()?.reshape(call.rest(1, "shape")?))),
        Entry::new("vstack", |call| {
            joined(call, |x| if x.rank() < 2 { vec![1, x.elements() as i64] } else { sizes(x) }, |_| 0)
        }),
    ]
}
