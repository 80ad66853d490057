//! Windows over images: convolution and pooling. Images with fewer than three spatial axes get more axes of
//! size 1 in front, so that there are three.

use super::Entry;
use super::pad;
use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;

/// Values for three axes: `[d, h, w]`.
type Three = [i64; 3];

#[tensor_op(tests = false)]
fn convolution(
    x: Tensor![b, (g, i), d, h, w],
    weight: Tensor![(g, o), i, kd, kh, kw],
    g: usize,
    od: usize,
    oh: usize,
    ow: usize,
    stride_d: i64,
    stride_h: i64,
    stride_w: i64,
    dilation_d: i64,
    dilation_h: i64,
    dilation_w: i64,
) -> Tensor![b, (g, o), od, oh, ow] {
    let planes = at(x, d = iota(od) * stride_d + iota(kd) * dilation_d);
    let lines = at(planes, h = iota(oh) * stride_h + iota(kh) * dilation_h);
    let near = at(lines, w = iota(ow) * stride_w + iota(kw) * dilation_w);
    sum(near * weight, (i, kd, kh, kw))
}

/// The adjoint of a convolution with this weight. Each position gets the sum of the elements whose windows
/// contain it; only positions at a whole number of strides count.
#[tensor_op(tests = false)]
fn transposed_convolution(
    x: Tensor![b, (g, i), d, h, w],
    weight: Tensor![(g, i), o, kd, kh, kw],
    g: usize,
    od: usize,
    oh: usize,
    ow: usize,
    stride_d: i64,
    stride_h: i64,
    stride_w: i64,
    dilation_d: i64,
    dilation_h: i64,
    dilation_w: i64,
    padding_d: i64,
    padding_h: i64,
    padding_w: i64,
) -> Tensor![b, (g, o), od, oh, ow] {
    let pd = iota(od) + padding_d - iota(kd) * dilation_d;
    let ph = iota(oh) + padding_h - iota(kh) * dilation_h;
    let pw = iota(ow) + padding_w - iota(kw) * dilation_w;
    let in_d = (pd >= 0) & (pd % stride_d == 0) & (pd / stride_d < len(d));
    let in_h = (ph >= 0) & (ph % stride_h == 0) & (ph / stride_h < len(h));
    let in_w = (pw >= 0) & (pw % stride_w == 0) & (pw / stride_w < len(w));
    let planes = at(x, d = select(in_d, pd / stride_d, 0));
    let lines = at(planes, h = select(in_h, ph / stride_h, 0));
    let near = at(lines, w = select(in_w, pw / stride_w, 0));
    sum(select(in_d & in_h & in_w, near, 0.0) * weight, (i, kd, kh, kw))
}

#[tensor_op(tests = false)]
fn with_bias(x: Tensor![b, o, d, h, w], bias: Tensor![o]) -> Tensor![b, o, d, h, w] {
    x + bias
}

/// The largest element of each window, and its position in the image. Taps are the positions of a window's
/// elements, counted from its start.
#[tensor_op(tests = false)]
fn largest(
    x: Tensor![.., d, h, w],
    tap_d: IntTensor![kd],
    tap_h: IntTensor![kh],
    tap_w: IntTensor![kw],
    od: usize,
    oh: usize,
    ow: usize,
    stride_d: i64,
    stride_h: i64,
    stride_w: i64,
) -> (Tensor![.., od, oh, ow], IntTensor![.., od, oh, ow]) {
    let pd = iota(od) * stride_d + tap_d;
    let ph = iota(oh) * stride_h + tap_h;
    let pw = iota(ow) * stride_w + tap_w;
    let in_d = (pd >= 0) & (pd < len(d));
    let in_h = (ph >= 0) & (ph < len(h));
    let in_w = (pw >= 0) & (pw < len(w));
    let planes = at(x, d = select(in_d, pd, 0));
    let lines = at(planes, h = select(in_h, ph, 0));
    let near = select(in_d & in_h & in_w, at(lines, w = select(in_w, pw, 0)), -INFINITY);
    let best = argmax(near, (kd, kh, kw));
    let best_d = at(pd, kd = best / (len(kh) * len(kw)));
    let best_h = at(ph, kh = best / len(kw) % len(kh));
    let best_w = at(pw, kw = best % len(kw));
    (max(near, (kd, kh, kw)), (best_d * len(h) + best_h) * len(w) + best_w)
}

/// Sums of windows along the last axis. Each is multiplied by the factor that makes it an average.
#[tensor_op(tests = false)]
fn window_sums(x: Tensor![.., n], taps: IntTensor![k], scale: Tensor![o], stride: i64) -> Tensor![.., o] {
    let place = iota(o) * stride + taps;
    let inside = (place >= 0) & (place < len(n));
    sum(select(inside, at(x, n = select(inside, place, 0)), 0.0), k) * scale
}

/// Averages of `o` parts of the last axis. Neighbouring parts share elements if the axis can't be divided
/// evenly. There are as many `taps` as the longest part has elements.
#[tensor_op(tests = false)]
fn part_averages(x: Tensor![.., n], taps: IntTensor![k], o: usize) -> Tensor![.., o] {
    let start = iota(o) * len(n) / len(o);
    let end = ((iota(o) + 1) * len(n) + len(o) - 1) / len(o);
    let place = start + taps;
    sum(select(place < end, at(x, n = minimum(place, len(n) - 1)), 0.0), k) / cast(end - start, float)
}

/// Makes each window a column.
#[tensor_op(tests = false)]
fn columns(
    x: Tensor![b, c, h, w],
    kh: usize,
    kw: usize,
    oh: usize,
    ow: usize,
    stride_h: i64,
    stride_w: i64,
    dilation_h: i64,
    dilation_w: i64,
) -> Tensor![b, (c, kh, kw), (oh, ow)] {
    let lines = at(x, h = iota(oh) * stride_h + iota(kh) * dilation_h);
    at(lines, w = iota(ow) * stride_w + iota(kw) * dilation_w)
}

/// One number for each axis, or one number for all. Missing axes in front get `filler`.
pub(super) fn three(
    call: &Call,
    place: usize,
    name: &str,
    axes: usize,
    default: i64,
    filler: i64,
) -> Outcome<Three> {
    let list = call.list(place, name)?.filter(|list| !list.is_empty()).unwrap_or_else(|| vec![default]);
    let mut all = [filler; 3];
    for axis in 0..axes {
        all[3 - axes + axis] = if list.len() == 1 { list[0] } else { list[axis] };
    }
    Ok(all)
}

/// Adds axes so that there are three spatial axes after `lead` other axes.
pub(super) fn raised(x: &Tensor, lead: usize) -> Result<Tensor> {
    let shape = x.shape();
    let ones = vec![1; 3 + lead - shape.rank()];
    x.reshape([&shape[..lead], &ones, &shape[lead..]].concat())
}

/// Removes the axes that were added.
pub(super) fn lowered(x: &Tensor, lead: usize, axes: usize) -> Result<Tensor> {
    let shape = x.shape();
    x.reshape([&shape[..lead], &shape[lead + 3 - axes..]].concat())
}

fn biased(x: Tensor, bias: Option<Tensor>) -> Result<Tensor> {
    match bias {
        Some(bias) => with_bias(x, bias),
        None => Ok(x),
    }
}

/// `conv(weight, bias, stride, padding, dilation, groups)`.
fn conv(call: &Call, axes: usize) -> Outcome {
    let (x, weight) = (call.x()?, call.float(1, "weight")?);
    let batched = x.rank() == axes + 2;
    let x = raised(&if batched { x } else { x.unsqueeze(0)? }, 2)?;
    let weight = raised(&weight, 2)?;
    let stride = three(call, 3, "stride", axes, 1, 1)?;
    let dilation = three(call, 5, "dilation", axes, 1, 1)?;
    let reach: Vec<i64> = (0..3).map(|axis| dilation[axis] * (weight.shape()[axis + 2] as i64 - 1)).collect();
    let padding: Vec<(i64, i64)> = match call.get(4, "padding") {
        Argument::Text(text) if text == "same" => {
            reach.iter().map(|reach| (reach / 2, reach - reach / 2)).collect()
        }
        Argument::Text(_) => vec![(0, 0); 3],
        _ => three(call, 4, "padding", axes, 0, 0)?.map(|size| (size, size)).to_vec(),
    };
    let x = padding
        .iter()
        .enumerate()
        .try_fold(x, |x, (axis, size)| pad::constant(&x, axis as i64 + 2, *size, 0.0))?;
    let out: Vec<usize> = (0..3)
        .map(|axis| ((x.shape()[axis + 2] as i64 - reach[axis] - 1) / stride[axis] + 1) as usize)
        .collect();
    let groups = call.int(6, "groups")?.unwrap_or(1) as usize;
    let ([sd, sh, sw], [dd, dh, dw]) = (stride, dilation);
    let y = convolution(x, weight, groups, out[0], out[1], out[2], sd, sh, sw, dd, dh, dw)?;
    let y = lowered(&biased(y, call.optional(2, "bias")?)?, 2, axes)?;
    Ok(vec![if batched { y } else { y.squeeze(0)? }])
}

/// `conv_transpose(weight, bias, stride, padding, output_padding, groups, dilation)`.
fn conv_transpose(call: &Call, axes: usize) -> Outcome {
    let (x, weight) = (call.x()?, call.float(1, "weight")?);
    let batched = x.rank() == axes + 2;
    let x = raised(&if batched { x } else { x.unsqueeze(0)? }, 2)?;
    let weight = raised(&weight, 2)?;
    let (stride, padding) = (three(call, 3, "stride", axes, 1, 1)?, three(call, 4, "padding", axes, 0, 0)?);
    let extra = three(call, 5, "output_padding", axes, 0, 0)?;
    let dilation = three(call, 7, "dilation", axes, 1, 1)?;
    let out = |axis: usize| {
        let (size, kernel) = (x.shape()[axis + 2] as i64, weight.shape()[axis + 2] as i64);
        ((size - 1) * stride[axis] - 2 * padding[axis] + dilation[axis] * (kernel - 1) + extra[axis] + 1)
            as usize
    };
    let (od, oh, ow) = (out(0), out(1), out(2));
    let groups = call.int(6, "groups")?.unwrap_or(1) as usize;
    let ([sd, sh, sw], [dd, dh, dw], [pd, ph, pw]) = (stride, dilation, padding);
    let y = transposed_convolution(x, weight, groups, od, oh, ow, sd, sh, sw, dd, dh, dw, pd, ph, pw)?;
    let y = lowered(&biased(y, call.optional(2, "bias")?)?, 2, axes)?;
    Ok(vec![if batched { y } else { y.squeeze(0)? }])
}

/// The number of windows along an axis. The last window may begin in the axis or in the padding before it,
/// but not in the padding after it.
fn count(size: i64, kernel: i64, stride: i64, padding: i64, ceil: bool) -> usize {
    let span = size + 2 * padding - kernel;
    let mut count = (span + if ceil { stride - 1 } else { 0 }).div_euclid(stride) + 1;
    if ceil && (count - 1) * stride >= size + padding {
        count -= 1;
    }
    count.max(0) as usize
}

fn ints(values: impl Iterator<Item = i64>) -> Result<Tensor> {
    let values: Vec<i64> = values.collect();
    let count = values.len();
    Tensor::from_vec(values, [count], &Device::default())
}

/// `max_pool(kernel_size, stride, padding, dilation, ceil_mode, return_indices)`.
fn max_pool(call: &Call, axes: usize) -> Outcome {
    let x = call.x()?;
    let lead = x.rank() - axes;
    let x = raised(&x, lead)?;
    let kernel = three(call, 1, "kernel_size", axes, 1, 1)?;
    let stride = match call.get(2, "stride") {
        Argument::None => kernel,
        _ => three(call, 2, "stride", axes, 1, 1)?,
    };
    let (padding, dilation) =
        (three(call, 3, "padding", axes, 0, 0)?, three(call, 4, "dilation", axes, 1, 1)?);
    let ceil = call.flag(5, "ceil_mode", false)?;
    let taps = |axis: usize| ints((0..kernel[axis]).map(|tap| tap * dilation[axis] - padding[axis]));
    let out = |axis: usize| {
        let reach = dilation[axis] * (kernel[axis] - 1) + 1;
        count(x.shape()[lead + axis] as i64, reach, stride[axis], padding[axis], ceil)
    };
    let [sd, sh, sw] = stride;
    let (best, place) = largest(&x, taps(0)?, taps(1)?, taps(2)?, out(0), out(1), out(2), sd, sh, sw)?;
    let mut results = vec![lowered(&best, lead, axes)?];
    if call.flag(6, "return_indices", false)? {
        results.push(lowered(&place, lead, axes)?);
    }
    Ok(results)
}

/// `avg_pool(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)`, one axis after
/// the other.
fn avg_pool(call: &Call, axes: usize) -> Outcome {
    let mut x = call.x()?;
    let lead = x.rank() - axes;
    let kernel = three(call, 1, "kernel_size", axes, 1, 1)?;
    let stride = match call.list(2, "stride")? {
        Some(list) if !list.is_empty() => three(call, 2, "stride", axes, 1, 1)?,
        _ => kernel,
    };
    let padding = three(call, 3, "padding", axes, 0, 0)?;
    let (ceil, padded) = (call.flag(4, "ceil_mode", false)?, call.flag(5, "count_include_pad", true)?);
    let divisor = call.number(6, "divisor_override")?;
    for axis in 0..axes {
        let [kernel, stride, padding] = [kernel, stride, padding].map(|three| three[3 - axes + axis]);
        let place = (lead + axis) as i64;
        let size = x.shape()[lead + axis] as i64;
        let windows = count(size, kernel, stride, padding, ceil);
        let elements = |window: usize| {
            let start = window as i64 * stride - padding;
            let end = (start + kernel).min(size + padding);
            (if padded { end - start } else { end.min(size) - start.max(0) }) as f64
        };
        // A divisor that is given is for all axes together, so only the last axis divides by it.
        let scale: Vec<f64> = match divisor {
            Some(divisor) => vec![if axis + 1 == axes { 1.0 / divisor } else { 1.0 }; windows],
            None => (0..windows).map(|window| 1.0 / elements(window)).collect(),
        };
        let scale = Tensor::from_vec(scale, [windows], &x.device())?;
        let taps = ints((0..kernel).map(|tap| tap - padding))?;
        x = super::movement::on_last(&x, place, |x| window_sums(x, &taps, &scale, stride))?;
    }
    Ok(vec![x])
}

/// Cuts each axis into as many parts as the result has elements. `None` leaves an axis as it is.
pub(super) fn in_parts(x: Tensor, lead: usize, sizes: &[Option<i64>]) -> Outcome {
    let part = |x: Tensor, (axis, parts): (usize, &Option<i64>)| {
        let size = x.shape()[lead + axis] as i64;
        let Some(parts) = parts.filter(|parts| *parts != size) else { return Ok(x) };
        let longest = (0..parts).map(|at| ((at + 1) * size + parts - 1) / parts - at * size / parts).max();
        let taps = ints(0..longest.unwrap_or(0))?;
        super::movement::on_last(&x, (lead + axis) as i64, |x| part_averages(x, &taps, parts as usize))
    };
    Ok(vec![sizes.iter().enumerate().try_fold(x, part)?])
}

fn adaptive_avg_pool(call: &Call, axes: usize) -> Outcome {
    let x = call.x()?;
    let sizes: Vec<Option<i64>> = match call.get(1, "output_size") {
        Argument::List(list) => {
            let size = |item: &Argument| match item {
                Argument::Int(size) => Ok(Some(*size)),
                Argument::None => Ok(None),
                _ => Err(call.wrong("output_size", "sizes")),
            };
            list.iter().map(size).collect::<Outcome<_>>()?
        }
        _ => vec![call.int(1, "output_size")?],
    };
    let sizes = if sizes.len() == 1 { vec![sizes[0]; axes] } else { sizes };
    let lead = x.rank() - axes;
    in_parts(x, lead, &sizes)
}

/// `unfold(kernel_size, dilation, padding, stride)`.
fn unfold(call: &Call) -> Outcome {
    let x = call.x()?;
    let batched = x.rank() == 4;
    let x = if batched { x } else { x.unsqueeze(0)? };
    let [_, kh, kw] = three(call, 1, "kernel_size", 2, 1, 1)?;
    let [_, dh, dw] = three(call, 2, "dilation", 2, 1, 1)?;
    let [_, ph, pw] = three(call, 3, "padding", 2, 0, 0)?;
    let [_, sh, sw] = three(call, 4, "stride", 2, 1, 1)?;
    let out = |axis: usize, kernel: i64, dilation: i64, padding: i64, stride: i64| {
        count(x.shape()[axis] as i64, dilation * (kernel - 1) + 1, stride, padding, false)
    };
    let (oh, ow) = (out(2, kh, dh, ph, sh), out(3, kw, dw, pw, sw));
    let padded = pad::constant(&pad::constant(&x, 2, (ph, ph), 0.0)?, 3, (pw, pw), 0.0)?;
    let y = columns(padded, kh as usize, kw as usize, oh, ow, sh, sw, dh, dw)?;
    Ok(vec![if batched { y } else { y.squeeze(0)? }])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("nn.functional.adaptive_avg_pool1d", |call| adaptive_avg_pool(call, 1)),
        Entry::new("nn.functional.adaptive_avg_pool2d", |call| adaptive_avg_pool(call, 2)),
        Entry::new("nn.functional.adaptive_avg_pool3d", |call| adaptive_avg_pool(call, 3)),
        Entry::new("nn.functional.avg_pool1d", |call| avg_pool(call, 1)),
        Entry::new("nn.functional.avg_pool2d", |call| avg_pool(call, 2)),
        Entry::new("nn.functional.avg_pool3d", |call| avg_pool(call, 3)),
        Entry::new("nn.functional.conv1d", |call| conv(call, 1)),
        Entry::new("nn.functional.conv2d", |call| conv(call, 2)),
        Entry::new("nn.functional.conv3d", |call| conv(call, 3)),
        Entry::new("nn.functional.conv_transpose1d", |call| conv_transpose(call, 1)),
        Entry::new("nn.functional.conv_transpose2d", |call| conv_transpose(call, 2)),
        Entry::new("nn.functional.conv_transpose3d", |call| conv_transpose(call, 3)),
        Entry::new("nn.functional.max_pool1d", |call| max_pool(call, 1)),
        Entry::new("nn.functional.max_pool2d", |call| max_pool(call, 2)),
        Entry::new("nn.functional.max_pool3d", |call| max_pool(call, 3)),
        Entry::new("nn.functional.unfold", unfold),
    ]
}
