//! Windows over images: convolution and pooling, by ops of the catalogue.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use crate::windows::{self, Windows, list};
use tensor_op::catalogue::adaptive::{adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d};
use tensor_op::catalogue::convolution::unfold as columns;
use tensor_op::prelude::*;

/// One number for each axis, or one number for all.
pub(super) fn each(call: &Call, place: usize, name: &str, axes: usize, default: i64) -> Outcome<Vec<i64>> {
    let list = call.list(place, name)?.filter(|list| !list.is_empty()).unwrap_or_else(|| vec![default]);
    Ok(if list.len() == 1 { vec![list[0]; axes] } else { list })
}

fn even(sizes: Vec<i64>) -> Vec<(i64, i64)> {
    sizes.into_iter().map(|size| (size, size)).collect()
}

/// `conv(weight, bias, stride, padding, dilation, groups)`.
fn conv(call: &Call, axes: usize) -> Outcome {
    let weight = call.float(1, "weight")?;
    let kernel: Vec<i64> = weight.shape()[2..].iter().map(|size| *size as i64).collect();
    let dilation = each(call, 5, "dilation", axes, 1)?;
    let padding = match call.get(4, "padding") {
        Argument::Text(text) if text == "same" => {
            let reach = (0..axes).map(|axis| dilation[axis] * (kernel[axis] - 1));
            reach.map(|reach| (reach / 2, reach - reach / 2)).collect()
        }
        Argument::Text(_) => vec![(0, 0); axes],
        _ => even(each(call, 4, "padding", axes, 0)?),
    };
    let stride = each(call, 3, "stride", axes, 1)?;
    let numbers = Windows { kernel, stride, padding, dilation, ceil: false };
    let groups = call.int(6, "groups")?.unwrap_or(1) as usize;
    Ok(vec![windows::convolution(&call.x()?, &weight, call.optional(2, "bias")?, &numbers, groups)?])
}

/// `conv_transpose(weight, bias, stride, padding, output_padding, groups, dilation)`.
fn conv_transpose(call: &Call, axes: usize) -> Outcome {
    let weight = call.float(1, "weight")?;
    let (padding, extra) = (each(call, 4, "padding", axes, 0)?, each(call, 5, "output_padding", axes, 0)?);
    let numbers = Windows {
        kernel: weight.shape()[2..].iter().map(|size| *size as i64).collect(),
        stride: each(call, 3, "stride", axes, 1)?,
        padding: padding.iter().zip(extra).map(|(size, extra)| (*size, size - extra)).collect(),
        dilation: each(call, 7, "dilation", axes, 1)?,
        ceil: false,
    };
    let groups = call.int(6, "groups")?.unwrap_or(1) as usize;
    Ok(vec![windows::transposed_convolution(
        &call.x()?,
        &weight,
        call.optional(2, "bias")?,
        &numbers,
        groups,
    )?])
}

/// `kernel_size` and `stride`, which is the size of the window by default.
fn kernel_and_stride(call: &Call, axes: usize) -> Outcome<(Vec<i64>, Vec<i64>)> {
    let kernel = each(call, 1, "kernel_size", axes, 1)?;
    let stride = match call.list(2, "stride")? {
        Some(list) if !list.is_empty() => each(call, 2, "stride", axes, 1)?,
        _ => kernel.clone(),
    };
    Ok((kernel, stride))
}

/// `max_pool(kernel_size, stride, padding, dilation, ceil_mode, return_indices)`.
fn max_pool(call: &Call, axes: usize) -> Outcome {
    let (kernel, stride) = kernel_and_stride(call, axes)?;
    let numbers = Windows {
        kernel,
        stride,
        padding: even(each(call, 3, "padding", axes, 0)?),
        dilation: each(call, 4, "dilation", axes, 1)?,
        ceil: call.flag(5, "ceil_mode", false)?,
    };
    let (best, place) = windows::max_pool(&call.x()?, &numbers)?;
    Ok(if call.flag(6, "return_indices", false)? { vec![best, place] } else { vec![best] })
}

/// `avg_pool(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)`.
fn avg_pool(call: &Call, axes: usize) -> Outcome {
    let (kernel, stride) = kernel_and_stride(call, axes)?;
    let numbers = Windows {
        kernel,
        stride,
        padding: even(each(call, 3, "padding", axes, 0)?),
        dilation: vec![1; axes],
        ceil: call.flag(4, "ceil_mode", false)?,
    };
    let divisor = call.int(6, "divisor_override")?.unwrap_or(0);
    let is_padding_in = call.flag(5, "count_include_pad", true)?;
    Ok(vec![windows::avg_pool(&call.x()?, &numbers, is_padding_in, divisor)?])
}

/// Averages of as many parts of each of the last axes.
pub(super) fn in_parts(x: Tensor, sizes: &[usize]) -> Outcome {
    Ok(vec![match *sizes {
        [n] => adaptive_avg_pool1d(x, n)?,
        [h, w] => adaptive_avg_pool2d(x, [h, w])?,
        [d, h, w] => adaptive_avg_pool3d(x, [d, h, w])?,
        _ => return Err(crate::call::Stop::Argument("there are one to three axes".to_string())),
    }])
}

/// A size of `None` leaves an axis as it is.
fn adaptive_avg_pool(call: &Call, axes: usize) -> Outcome {
    let x = call.x()?;
    let own = &x.shape()[x.rank() - axes..];
    let size = |item: &Argument, own: usize| match item {
        Argument::Int(size) => Ok(*size as usize),
        Argument::None => Ok(own),
        _ => Err(call.wrong("output_size", "sizes")),
    };
    let sizes: Vec<usize> = match call.get(1, "output_size") {
        Argument::List(list) if list.len() > 1 => {
            list.iter().zip(own).map(|(item, own)| size(item, *own)).collect::<Outcome<_>>()?
        }
        Argument::List(list) => own.iter().map(|own| size(&list[0], *own)).collect::<Outcome<_>>()?,
        one => own.iter().map(|own| size(one, *own)).collect::<Outcome<_>>()?,
    };
    in_parts(x, &sizes)
}

/// `unfold(kernel_size, dilation, padding, stride)`.
fn unfold(call: &Call) -> Outcome {
    let [kernel, dilation, padding, stride] =
        [(1, "kernel_size", 1), (2, "dilation", 1), (3, "padding", 0), (4, "stride", 1)]
            .map(|(place, name, default)| each(call, place, name, 2, default));
    Ok(vec![columns(call.x()?, list(&kernel?), list(&dilation?), list(&padding?), list(&stride?))?])
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
