//! Shapes, parts and joins, and elements at other places.

use super::Entry;
use crate::node::{Node, Outcome, Stop, through_floats};
use crate::windows::padded;
use tensor_op::catalogue::movement::{
    flip, pixel_shuffle, pixel_unshuffle, rotary_halves, rotary_pairs, tril, triu,
};
use tensor_op::catalogue::padding::PadMode;
use tensor_op::catalogue::windows::{blackman_window, hamming_window, hann_window};
use tensor_op::{Number, prelude::*};

/// The first elements of each row, as many as its length says, backwards.
#[tensor_op(tests = false)]
fn reversed(x: Tensor![b, t, s], lengths: IntTensor![b]) -> Tensor![b, t, s] {
    at(x, t = select(t < lengths, lengths - 1 - t, t))
}

fn sizes(x: &Tensor) -> Vec<i64> {
    x.shape().iter().map(|size| *size as i64).collect()
}

fn ints(values: Vec<i64>) -> Outcome {
    let count = values.len();
    Ok(vec![Tensor::from_vec(values, [count], &Device::default())?])
}

fn reshape(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let mut shape = node.ints(1)?.unwrap_or_default();
    if !node.flag("allowzero", false)? {
        let own = sizes(&x);
        shape.iter_mut().enumerate().filter(|(_, size)| **size == 0).for_each(|(at, size)| *size = own[at]);
    }
    Ok(vec![x.reshape(shape)?])
}

fn flatten(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let (shape, axis) = (x.shape(), node.int("axis", 1)?);
    let axis = if axis < 0 { axis + x.rank() as i64 } else { axis } as usize;
    Ok(vec![x.reshape([shape[..axis].iter().product::<usize>(), shape[axis..].iter().product()])?])
}

fn squeeze(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let shape = x.shape();
    let axes =
        node.ints(1)?.map(|axes| axes.iter().map(|axis| shape.axis(*axis)).collect::<Result<Vec<_>>>());
    let axes = axes.transpose()?;
    let goes = |axis: &usize| axes.as_ref().map_or(shape[*axis] == 1, |axes| axes.contains(axis));
    Ok(vec![x.reshape((0..x.rank()).filter(|axis| !goes(axis)).map(|axis| shape[axis]).collect::<Vec<_>>())?])
}

fn unsqueeze(node: &Node) -> Outcome {
    let (x, axes) = (node.x(0)?, node.ints(1)?.unwrap_or_default());
    let rank = (x.rank() + axes.len()) as i64;
    let mut axes: Vec<i64> = axes.into_iter().map(|axis| if axis < 0 { axis + rank } else { axis }).collect();
    axes.sort_unstable();
    Ok(vec![axes.into_iter().try_fold(x, |x, axis| x.unsqueeze(axis))?])
}

fn expand(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let shape: Vec<usize> = node.ints(1)?.unwrap_or_default().iter().map(|size| *size as usize).collect();
    let rank = shape.len().max(x.rank());
    let own = x.shape();
    let size = |at: usize, shape: &[usize]| (at + shape.len()).checked_sub(rank).map_or(1, |at| shape[at]);
    let sizes = (0..rank).map(|at| if size(at, &shape) == 1 { size(at, &own) } else { size(at, &shape) });
    Ok(vec![x.broadcast_to(sizes.collect::<Vec<_>>())?])
}

fn transpose(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let order = node.list("perm")?.unwrap_or_else(|| (0..x.rank() as i64).rev().collect());
    Ok(vec![x.permute(order)?])
}

fn shape(node: &Node) -> Outcome {
    let all = sizes(&node.x(0)?);
    let rank = all.len() as i64;
    let place = |at: i64| (if at < 0 { at + rank } else { at }).clamp(0, rank) as usize;
    let (start, end) = (place(node.int("start", 0)?), place(node.int("end", rank)?));
    ints(all[start..end.max(start)].to_vec())
}

/// Parts of sizes that are given, or of equal sizes, of which the last may be smaller.
fn split(node: &Node) -> Outcome {
    let (x, axis) = (node.x(0)?, node.int("axis", 0)?);
    let whole = sizes(&x)[x.shape().axis(axis)?];
    let parts = match node.ints(1)? {
        Some(parts) => parts,
        None => {
            let count = node.int("num_outputs", node.outputs as i64)?;
            let size = (whole + count - 1) / count;
            (0..count).map(|at| size.min(whole - at * size)).collect()
        }
    };
    let mut start = 0;
    let part = |size: &i64| {
        start += size;
        x.slice(axis, start - size..start)
    };
    Ok(parts.iter().map(part).collect::<Result<_>>()?)
}

/// A negative step goes backwards, so it is a positive one of the axis backwards.
fn slice(node: &Node) -> Outcome {
    let mut x = node.x(0)?;
    let (starts, ends) = (node.ints(1)?.unwrap_or_default(), node.ints(2)?.unwrap_or_default());
    let axes = node.ints(3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = node.ints(4)?.unwrap_or_else(|| vec![1; starts.len()]);
    for (((start, end), axis), step) in starts.into_iter().zip(ends).zip(axes).zip(steps) {
        let size = sizes(&x)[x.shape().axis(axis)?];
        let place = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
        let (start, end) = if step > 0 {
            (place(start).clamp(0, size), place(end).clamp(0, size))
        } else {
            x = flip(x, axis)?;
            (size - 1 - place(start).clamp(-1, size - 1), size - 1 - place(end).clamp(-1, size - 1))
        };
        x = x.slice_step(axis, start..end.max(start), step.unsigned_abs() as usize)?;
    }
    Ok(vec![x])
}

fn concat(node: &Node) -> Outcome {
    Ok(vec![Tensor::cat(&node.all()?, node.int("axis", 0)?)?])
}

/// The sizes before each axis, and then those behind each.
fn pads(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let sizes = node.ints(1)?.unwrap_or_default();
    let axes = node.ints(3)?.unwrap_or_else(|| (0..x.rank() as i64).collect());
    let mode = match node.text("mode", "constant")? {
        "reflect" => PadMode::Reflect,
        "edge" => PadMode::Replicate,
        "wrap" => PadMode::Circular,
        _ => PadMode::Constant,
    };
    let mut pairs = vec![(0, 0); x.rank()];
    for (at, axis) in axes.iter().enumerate() {
        pairs[x.rank() - 1 - x.shape().axis(*axis)?] = (sizes[at], sizes[at + axes.len()]);
    }
    let value = node.number(2)?.filter(|_| mode == PadMode::Constant).map(Number::Float);
    Ok(vec![through_floats(x, |x| x.pad(&pairs, mode, value))?])
}

/// What is cut off or added is the smaller half before the axis.
fn center(node: &Node) -> Outcome {
    let mut x = node.x(0)?;
    let wanted = node.ints(1)?.unwrap_or_default();
    let axes = node.list("axes")?.unwrap_or_else(|| (0..x.rank() as i64).collect());
    for (axis, wanted) in axes.iter().zip(wanted) {
        let axis = x.shape().axis(*axis)?;
        let more = wanted - sizes(&x)[axis];
        let before = if more < 0 { -(-more / 2) } else { more / 2 };
        x = padded(&x, axis, &[(before, more - before)], 0.0)?;
    }
    Ok(vec![x])
}

fn triangle(node: &Node) -> Outcome {
    let (x, k) = (node.x(0)?, node.number(1)?.unwrap_or(0.0) as i64);
    let upper = node.flag("upper", true)?;
    Ok(vec![if upper { triu(x, k)? } else { tril(x, k)? }])
}

/// `to` is ONNX's number of a dtype.
fn dtype(number: i64) -> Outcome<DType> {
    Ok(match number {
        1 => DType::F32,
        2 => DType::U8,
        6 => DType::I32,
        7 => DType::I64,
        9 => DType::Bool,
        10 => DType::F16,
        11 => DType::F64,
        12 => DType::U32,
        16 => DType::BF16,
        _ => return Err(Stop::Skip("a dtype that there is not")),
    })
}

fn eye(node: &Node) -> Outcome {
    let (x, k) = (node.x(0)?, node.int("k", 0)?);
    let own = x.dtype();
    let dtype = if node.attributes.contains_key("dtype") { dtype(node.int("dtype", 1)?)? } else { own };
    let ones = Tensor::ones(x.shape(), DType::F64, &x.device())?;
    Ok(vec![triu(tril(ones, k)?, k)?.cast(dtype)?])
}

/// Channels of blocks stand before or behind (`CRD`) the channels of the result.
fn depth_to_space(node: &Node) -> Outcome {
    let (x, r) = (node.x(0)?, node.int("blocksize", 1)? as usize);
    let shape = x.shape();
    if node.text("mode", "DCR")? == "CRD" {
        return Ok(vec![pixel_shuffle(x, r)?]);
    }
    let apart = x.reshape([shape[0], r * r, shape[1] / (r * r), shape[2], shape[3]])?;
    Ok(vec![pixel_shuffle(apart.transpose(1, 2)?.reshape(shape)?, r)?])
}

fn space_to_depth(node: &Node) -> Outcome {
    let (x, r) = (node.x(0)?, node.int("blocksize", 1)? as usize);
    let c = x.shape()[1];
    let y = pixel_unshuffle(x, r)?;
    if node.text("mode", "DCR")? == "CRD" {
        return Ok(vec![y]);
    }
    let shape = y.shape();
    let apart = y.reshape([shape[0], c, r * r, shape[2], shape[3]])?;
    Ok(vec![apart.transpose(1, 2)?.reshape(shape)?])
}

fn reverse(node: &Node) -> Outcome {
    let (x, lengths) = (node.x(0)?, node.x(1)?);
    let turned = node.int("batch_axis", 1)? == 1;
    let rows = if turned { x.transpose(0, 1)? } else { x };
    let shape = rows.shape();
    let flat = rows.reshape([shape[0], shape[1], shape[2..].iter().product()])?;
    let y = reversed(flat, lengths)?.reshape(shape)?;
    Ok(vec![if turned { y.transpose(0, 1)? } else { y }])
}

/// `[b, h, t, d]`, or `[b, t, (h, d)]`. The angles of each batch are its own, or are those of its positions.
fn rotary(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let own = x.shape();
    let is_flat = own.rank() == 3;
    let heads = node.int("num_heads", 0)?;
    let x = if is_flat { x.reshape([own[0] as i64, own[1] as i64, heads, -1])?.transpose(1, 2)? } else { x };
    let dims = match node.int("rotary_embedding_dim", 0)? {
        0 => x.shape()[3] as i64,
        dims => dims,
    };
    let (turned, rest) = (x.slice(-1, ..dims)?, x.slice(-1, dims..)?);
    let angles = |place: usize, batch: i64| -> Outcome<Tensor> {
        let table = node.x(place)?;
        Ok(match node.optional(3) {
            Some(ids) => super::index::rows(&table, &ids.slice(0, batch..batch + 1)?.squeeze(0)?)?,
            None => table.slice(0, batch..batch + 1)?.squeeze(0)?,
        })
    };
    let mut results = vec![];
    for batch in 0..x.shape()[0] as i64 {
        let part = turned.slice(0, batch..batch + 1)?;
        let (cos, sin) = (angles(1, batch)?, angles(2, batch)?);
        results.push(if node.flag("interleaved", false)? {
            rotary_pairs(part, cos, sin)?
        } else {
            rotary_halves(part, cos, sin)?
        });
    }
    let y = Tensor::cat(&[Tensor::cat(&results, 0)?, rest], -1)?;
    Ok(vec![if is_flat { y.transpose(1, 2)?.reshape(own)? } else { y }])
}

fn range(node: &Node) -> Outcome {
    let number = |place: usize| Outcome::Ok(node.number(place)?.unwrap_or(0.0));
    let (start, limit, delta) = (number(0)?, number(1)?, number(2)?);
    let count = ((limit - start) / delta).ceil().max(0.0) as usize;
    let values: Vec<f64> = (0..count).map(|at| start + at as f64 * delta).collect();
    Ok(vec![Tensor::from_vec(values, [count], &Device::default())?.cast(node.x(0)?.dtype())?])
}

/// A window of this size, computed in f64.
fn window(node: &Node, shape: impl Fn(usize, bool) -> Result<Tensor>) -> Outcome {
    let size = node.number(0)?.unwrap_or(0.0) as usize;
    let dtype = dtype(node.int("output_datatype", 1)?)?;
    Ok(vec![shape(size, node.flag("periodic", true)?)?.cast(dtype)?])
}

fn hamming(size: usize, periodic: bool) -> Result<Tensor> {
    let (alpha, beta) = (25.0 / 46.0, 21.0 / 46.0);
    hamming_window(size, periodic, alpha, beta, DType::F64, &Device::default())
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("BlackmanWindow", |node| {
            window(node, |size, periodic| blackman_window(size, periodic, DType::F64, &Device::default()))
        }),
        ("CenterCropPad", center),
        ("Concat", concat),
        ("DepthToSpace", depth_to_space),
        ("Expand", expand),
        ("EyeLike", eye),
        ("Flatten", flatten),
        ("HammingWindow", |node| window(node, hamming)),
        ("HannWindow", |node| {
            window(node, |size, periodic| hann_window(size, periodic, DType::F64, &Device::default()))
        }),
        ("Pad", pads),
        ("Range", range),
        ("Reshape", reshape),
        ("ReverseSequence", reverse),
        ("RotaryEmbedding", rotary),
        ("Shape", shape),
        ("Size", |node| ints(vec![node.x(0)?.elements() as i64])),
        ("Slice", slice),
        ("SpaceToDepth", space_to_depth),
        ("Split", split),
        ("Squeeze", squeeze),
        ("Transpose", transpose),
        ("Trilu", triangle),
        ("Unsqueeze", unsqueeze),
    ]
}
