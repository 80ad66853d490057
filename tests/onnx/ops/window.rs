//! Windows over images: convolution, pooling, and sampling.

use super::Entry;
use crate::data::is_float;
use crate::node::{Node, Outcome, Stop};
use crate::windows::{self, Windows, list};
use tensor_op::catalogue::adaptive::{adaptive_avg_pool1d, adaptive_max_pool1d};
use tensor_op::catalogue::convolution::{causal_conv1d, fold};
use tensor_op::catalogue::math;
use tensor_op::catalogue::nn::silu_mul;
use tensor_op::catalogue::pooling::{lp_pool1d, lp_pool2d, lp_pool3d};
use tensor_op::catalogue::sample::{self, GridMode, GridPadding, affine_grid, affine_grid3d};
use tensor_op::prelude::*;

pub(super) fn sizes(x: &Tensor) -> Vec<i64> {
    x.shape()[2..].iter().map(|size| *size as i64).collect()
}

/// The sizes before and behind each axis, out of those before each and then those behind each.
fn pairs(pads: &[i64]) -> Vec<(i64, i64)> {
    let (before, behind) = pads.split_at(pads.len() / 2);
    before.iter().copied().zip(behind.iter().copied()).collect()
}

/// Two parts of a size; the second is the larger one if `upper`.
fn halves(total: i64, upper: bool) -> (i64, i64) {
    let small = total / 2;
    if upper { (small, total - small) } else { (total - small, small) }
}

/// The numbers of the windows over an image of these sizes.
pub(super) fn numbers(node: &Node, kernel: Vec<i64>, sizes: &[i64]) -> Outcome<Windows> {
    let axes = sizes.len();
    let (stride, dilation) = (node.each("strides", axes, 1)?, node.each("dilations", axes, 1)?);
    let padding = match node.text("auto_pad", "NOTSET")? {
        "VALID" => vec![(0, 0); axes],
        "NOTSET" => pairs(&node.list("pads")?.unwrap_or_else(|| vec![0; 2 * axes])),
        same => {
            let total = |axis: usize| {
                let count = (sizes[axis] + stride[axis] - 1) / stride[axis];
                let reach = dilation[axis] * (kernel[axis] - 1) + 1;
                ((count - 1) * stride[axis] + reach - sizes[axis]).max(0)
            };
            (0..axes).map(|axis| halves(total(axis), same == "SAME_UPPER")).collect()
        }
    };
    Ok(Windows { kernel, stride, padding, dilation, ceil: node.flag("ceil_mode", false)? })
}

pub(super) fn kernel(node: &Node, name: &str) -> Outcome<Vec<i64>> {
    node.list(name)?.ok_or_else(|| Stop::Failed(format!("there is no `{name}`")))
}

fn conv(node: &Node) -> Outcome {
    let (x, weight) = (node.x(0)?, node.x(1)?);
    let numbers = numbers(node, sizes(&weight), &sizes(&x))?;
    Ok(vec![windows::convolution(&x, &weight, node.optional(2), &numbers, node.int("group", 1)? as usize)?])
}

/// Whole numbers go through f64, which holds them exactly.
fn conv_integer(node: &Node) -> Outcome {
    let wide = |place: usize, zero: usize| -> Outcome<Tensor> {
        Ok((node.x(place)?.cast(DType::F64)? - node.number(zero)?.unwrap_or(0.0))?)
    };
    let (x, weight) = (wide(0, 2)?, wide(1, 3)?);
    let numbers = numbers(node, sizes(&weight), &sizes(&x))?;
    let y = windows::convolution(&x, &weight, None, &numbers, node.int("group", 1)? as usize)?;
    Ok(vec![y.cast(DType::I32)?])
}

fn conv_transpose(node: &Node) -> Outcome {
    let (x, weight) = (node.x(0)?, node.x(1)?);
    let own = sizes(&x);
    let mut numbers = numbers(node, sizes(&weight), &own)?;
    let extra = node.each("output_padding", own.len(), 0)?;
    let auto = node.text("auto_pad", "NOTSET")?;
    let wanted = match (node.list("output_shape")?, auto) {
        (Some(shape), _) => Some(shape),
        (None, "NOTSET" | "VALID") => None,
        (None, _) => Some(own.iter().zip(&numbers.stride).map(|(size, stride)| size * stride).collect()),
    };
    for axis in 0..own.len() {
        let whole =
            (own[axis] - 1) * numbers.stride[axis] + numbers.dilation[axis] * (numbers.kernel[axis] - 1) + 1;
        if let Some(wanted) = &wanted {
            numbers.padding[axis] = halves(whole + extra[axis] - wanted[axis], auto == "SAME_UPPER");
        }
        numbers.padding[axis].1 -= extra[axis];
    }
    let groups = node.int("group", 1)? as usize;
    Ok(vec![windows::transposed_convolution(&x, &weight, node.optional(2), &numbers, groups)?])
}

/// The state is what the next part of the sequence sees of this one.
fn causal_conv(node: &Node) -> Outcome {
    let (x, weight) = (node.x(0)?, node.x(1)?);
    let shape = weight.shape();
    let before = shape[2] as i64 - 1;
    let past = match node.optional(3) {
        Some(past) => past,
        None => Tensor::zeros([x.shape()[0], shape[0], shape[2] - 1], x.dtype(), &x.device())?,
    };
    let whole = Tensor::cat(&[past, x], 2)?;
    let y = causal_conv1d(&whole, weight.reshape([shape[0], shape[2]])?)?.slice(-1, before..)?;
    let y = windows::biased(y, 1, node.optional(2))?;
    let y = match node.text("activation", "none")? {
        "silu" | "swish" => {
            let one = Tensor::ones([1], y.dtype(), &y.device())?;
            silu_mul(one, y)?
        }
        _ => y,
    };
    let length = whole.shape()[2] as i64;
    Ok(vec![y, whole.slice(-1, length - before..)?])
}

/// Positions count from the first image, and with `storage_order` along the columns.
fn max_pool(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let own = sizes(&x);
    let numbers = numbers(node, kernel(node, "kernel_shape")?, &own)?;
    let dtype = x.dtype();
    let wide = if is_float(dtype) { x.clone() } else { x.cast(DType::F64)? };
    let (best, mut place) = windows::max_pool(&wide, &numbers)?;
    if node.flag("storage_order", false)? {
        let [h, w] = own[..] else { return Err(Stop::Skip("columns of volumes")) };
        let row = (&place / w)?;
        place = ((&place - &row * w)? * h + row)?;
    }
    let images = (x.shape()[0] * x.shape()[1]) as i64;
    let starts = Tensor::arange(0, images, 1, &x.device())?;
    let mut shape = vec![1; x.rank()];
    (shape[0], shape[1]) = (x.shape()[0], x.shape()[1]);
    let starts = (starts * own.iter().product::<i64>())?.reshape(shape)?;
    Ok(vec![best.cast(dtype)?, (place + starts)?])
}

fn average_pool(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let numbers = numbers(node, kernel(node, "kernel_shape")?, &sizes(&x))?;
    Ok(vec![windows::avg_pool(&x, &numbers, node.flag("count_include_pad", false)?, 0)?])
}

/// Of absolute values.
fn lp_pool(node: &Node) -> Outcome {
    let x = math::abs(node.x(0)?)?;
    let numbers = numbers(node, kernel(node, "kernel_shape")?, &sizes(&x))?;
    let x = windows::padded(&x, 2, &numbers.padding, 0.0)?;
    let p = node.int("p", 2)? as f64;
    if numbers.dilation.iter().any(|step| *step != 1) {
        return Err(Stop::Skip("a norm of windows with gaps"));
    }
    let (k, s) = (&numbers.kernel, &numbers.stride);
    Ok(vec![match k.len() {
        1 => lp_pool1d(x, p, k[0] as usize, s[0] as usize, numbers.ceil)?,
        2 => lp_pool2d(x, p, list(k), list(s), numbers.ceil)?,
        3 => lp_pool3d(x, p, list(k), list(s), numbers.ceil)?,
        _ => return Err(Stop::Skip("a norm of windows over more than three axes")),
    }])
}

/// One number for each channel of each image.
fn global(node: &Node, op: fn(Tensor) -> Result<Tensor>) -> Outcome {
    let x = node.x(0)?;
    let shape = x.shape();
    let flat = x.reshape([shape[0], shape[1], shape[2..].iter().product()])?;
    Ok(vec![op(flat)?.reshape([&shape[..2], &vec![1; shape.rank() - 2]].concat())?])
}

/// In two dims by `fold`; otherwise by a transposed convolution whose weights put each element in its place.
fn col2im(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let (image, block) = (node.ints(1)?.unwrap_or_default(), node.ints(2)?.unwrap_or_default());
    let mut numbers = numbers(node, block.clone(), &image)?;
    let elements = block.iter().product::<i64>() as usize;
    let channels = x.shape()[1] / elements;
    if let [h, w] = &image[..] {
        let more = |axis: usize| numbers.padding[axis].0 + numbers.padding[axis].1;
        let whole = list(&[h + more(0), w + more(1)]);
        let whole = fold(x, whole, list(&block), list(&numbers.dilation), 0, list(&numbers.stride))?;
        let cut: Vec<(i64, i64)> =
            numbers.padding.iter().map(|(before, behind)| (-before, -behind)).collect();
        return Ok(vec![windows::padded(&whole, 2, &cut, 0.0)?]);
    }
    let reach = |axis: usize| numbers.dilation[axis] * (block[axis] - 1) + 1;
    let count = |axis: usize| {
        let (before, behind) = numbers.padding[axis];
        (image[axis] + before + behind - reach(axis)) / numbers.stride[axis] + 1
    };
    let counts: Vec<i64> = (0..image.len()).map(count).collect();
    for (axis, count) in counts.iter().enumerate() {
        let whole = (count - 1) * numbers.stride[axis] + numbers.dilation[axis] * (block[axis] - 1) + 1;
        numbers.padding[axis].1 = whole - numbers.padding[axis].0 - image[axis];
    }
    let one = Tensor::eye(elements, x.dtype(), &x.device())?;
    let one = one.reshape([&[elements as i64, 1], &block[..]].concat())?;
    let weight = Tensor::cat(&vec![one; channels], 0)?;
    let columns = x.reshape([&[x.shape()[0] as i64, x.shape()[1] as i64], &counts[..]].concat())?;
    Ok(vec![windows::transposed_convolution(&columns, &weight, None, &numbers, channels)?])
}

fn grid_sample(node: &Node) -> Outcome {
    let mode = match node.text("mode", "linear")? {
        "nearest" => GridMode::Nearest,
        "cubic" | "bicubic" => GridMode::Bicubic,
        _ => GridMode::Bilinear,
    };
    let padding = match node.text("padding_mode", "zeros")? {
        "border" => GridPadding::Border,
        "reflection" => GridPadding::Reflection,
        _ => GridPadding::Zeros,
    };
    let align = node.flag("align_corners", false)?;
    Ok(vec![sample::grid_sample(node.x(0)?, node.x(1)?, mode, padding, align)?])
}

fn grid(node: &Node) -> Outcome {
    let (theta, align) = (node.x(0)?, node.flag("align_corners", false)?);
    let size: Vec<usize> = node.ints(1)?.unwrap_or_default().iter().map(|size| *size as usize).collect();
    Ok(vec![match size[2..] {
        [h, w] => affine_grid(theta, h, w, align)?,
        [d, h, w] => affine_grid3d(theta, d, h, w, align)?,
        _ => return Err(Stop::Failed("images have two or three axes".to_string())),
    }])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("AffineGrid", grid),
        ("AveragePool", average_pool),
        ("CausalConvWithState", causal_conv),
        ("Col2Im", col2im),
        ("Conv", conv),
        ("ConvInteger", conv_integer),
        ("ConvTranspose", conv_transpose),
        ("GlobalAveragePool", |node| global(node, |x| adaptive_avg_pool1d(x, 1))),
        ("GlobalMaxPool", |node| global(node, |x| adaptive_max_pool1d(x, 1))),
        ("GridSample", grid_sample),
        ("LpPool", lp_pool),
        ("MaxPool", max_pool),
    ]
}
