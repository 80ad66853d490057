//! Adaptive pooling: an axis is cut into as many parts as the result has elements. Neighbouring parts share
//! elements if the axis can't be divided evenly.
//!
//! Names and arguments are PyTorch's. The parts are masks over the axis, so that the work grows with the size
//! of the axis times the number of parts.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The means of `output_size` parts of the last axis. `torch.nn.functional.adaptive_avg_pool1d`.
///
/// ```
/// use tensor_op::catalogue::adaptive::adaptive_avg_pool1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0], [1, 1, 5], &Device::default())?;
/// assert_eq!(adaptive_avg_pool1d(&x, 2)?.to_vec::<f64>()?, [2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = adaptive_avg_pool1d_burn)]
pub fn adaptive_avg_pool1d(input: Tensor![.., n], output_size: usize) -> Tensor![.., output_size] {
    let start = iota(output_size) * len(n) / output_size;
    let end = ((iota(output_size) + 1) * len(n) + output_size - 1) / output_size;
    let is_in = (iota(n) >= start) & (iota(n) < end);
    sum(select(is_in, input, 0.0), n) / cast(end - start, float)
}

/// The means of `oh` by `ow` parts of the last two axes. `torch.nn.functional.adaptive_avg_pool2d`.
#[tensor_op(method(inherent), burn = adaptive_avg_pool2d_burn)]
pub fn adaptive_avg_pool2d(
    input: Tensor![.., h, w],
    output_size @ [oh, ow]: [usize; 2],
) -> Tensor![.., oh, ow] {
    let lines = self::adaptive_avg_pool1d(input, ow, n = w, output_size = ow);
    self::adaptive_avg_pool1d(lines, oh, n = h, output_size = oh)
}

/// The means of `od` by `oh` by `ow` parts of the last three axes.
/// `torch.nn.functional.adaptive_avg_pool3d`.
#[tensor_op(method(inherent), burn = adaptive_avg_pool3d_burn)]
pub fn adaptive_avg_pool3d(
    input: Tensor![.., d, h, w],
    output_size @ [od, oh, ow]: [usize; 3],
) -> Tensor![.., od, oh, ow] {
    let images = self::adaptive_avg_pool2d(input, [oh, ow], h = h, w = w, oh = oh, ow = ow);
    self::adaptive_avg_pool1d(images, od, n = d, output_size = od)
}

/// The largest elements of `output_size` parts of the last axis. Elements that are equally large share the
/// gradient. `torch.nn.functional.adaptive_max_pool1d`.
#[tensor_op(method(inherent), burn = adaptive_max_pool1d_burn)]
pub fn adaptive_max_pool1d(input: Tensor![.., n], output_size: usize) -> Tensor![.., output_size] {
    let start = iota(output_size) * len(n) / output_size;
    let end = ((iota(output_size) + 1) * len(n) + output_size - 1) / output_size;
    max(select((iota(n) >= start) & (iota(n) < end), input, -INFINITY), n)
}

/// The largest elements of `oh` by `ow` parts of the last two axes. Elements that are equally large share the
/// gradient. `torch.nn.functional.adaptive_max_pool2d`.
#[tensor_op(method(inherent), burn = adaptive_max_pool2d_burn)]
pub fn adaptive_max_pool2d(
    input: Tensor![.., h, w],
    output_size @ [oh, ow]: [usize; 2],
) -> Tensor![.., oh, ow] {
    let lines = self::adaptive_max_pool1d(input, ow, n = w, output_size = ow);
    self::adaptive_max_pool1d(lines, oh, n = h, output_size = oh)
}

/// The largest elements of `od` by `oh` by `ow` parts of the last three axes. Elements that are equally large
/// share the gradient. `torch.nn.functional.adaptive_max_pool3d`.
///
/// ```
/// use tensor_op::catalogue::adaptive::adaptive_max_pool3d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 8.0, 3.0, 4.0, 5.0, 6.0, 7.0, 2.0], [2, 2, 2], &Device::default())?;
/// assert_eq!(adaptive_max_pool3d(&x, [2, 1, 1])?.to_vec::<f64>()?, [8.0, 7.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = adaptive_max_pool3d_burn)]
pub fn adaptive_max_pool3d(
    input: Tensor![.., d, h, w],
    output_size @ [od, oh, ow]: [usize; 3],
) -> Tensor![.., od, oh, ow] {
    let images = self::adaptive_max_pool2d(input, [oh, ow], h = h, w = w, oh = oh, ow = ow);
    self::adaptive_max_pool1d(images, od, n = d, output_size = od)
}
