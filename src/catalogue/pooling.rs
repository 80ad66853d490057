//! Pooling: what is known of each window.
//!
//! Names and arguments are PyTorch's. A stride, padding or dilation is one number for all dims, and there is
//! no `ceil_mode`: pad on the right before the call. Elements that are equally large share the gradient of a
//! maximum, where PyTorch gives it to the first.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// The largest element of each window. Outside there is -inf. `torch.nn.functional.max_pool1d`, but elements
/// that are equally large share the gradient.
#[tensor_op(method(inherent), burn = max_pool1d_burn)]
pub fn max_pool1d(
    input: Tensor![b, c, n],
    kernel_size: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
) -> Tensor![b, c, l = (n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1] {
    max(at(input, n = l * stride + iota(kernel_size) * dilation - padding, or = -INFINITY), kernel_size)
}

/// The largest element of each window of size `kh` by `kw`. Outside there is -inf.
/// `torch.nn.functional.max_pool2d`, but elements that are equally large share the gradient.
#[tensor_op(method(inherent), burn = max_pool2d_burn)]
pub fn max_pool2d(
    input: Tensor![b, c, h, w],
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
) -> Tensor![
    b,
    c,
    oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
    ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
] {
    let windows = at(
        input,
        h = oh * stride + iota(kh) * dilation - padding,
        w = ow * stride + iota(kw) * dilation - padding,
        or = -INFINITY,
    );
    max(windows, (kh, kw))
}

/// The largest element of each window of size `kd` by `kh` by `kw`. Outside there is -inf.
/// `torch.nn.functional.max_pool3d`.
#[tensor_op(method(inherent), burn = max_pool3d_burn)]
pub fn max_pool3d(
    input: Tensor![b, c, d, h, w],
    kd: usize,
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
) -> Tensor![
    b,
    c,
    od = (d + 2 * padding - dilation * (kd - 1) - 1) / stride + 1,
    oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
    ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
] {
    let windows = at(
        input,
        d = od * stride + iota(kd) * dilation - padding,
        h = oh * stride + iota(kh) * dilation - padding,
        w = ow * stride + iota(kw) * dilation - padding,
        or = -INFINITY,
    );
    max(windows, (kd, kh, kw))
}

/// [`max_pool1d`], and where the largest elements are along the last axis.
/// `torch.nn.functional.max_pool1d_with_indices`.
#[tensor_op(method(inherent), burn = max_pool1d_with_indices_burn)]
pub fn max_pool1d_with_indices(
    input: Tensor![b, c, n],
    kernel_size: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
) -> (Tensor![b, c, l = (n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1], IntTensor![b, c, l])
{
    let windows = at(input, n = l * stride + iota(kernel_size) * dilation - padding, or = -INFINITY);
    let tap = argmax(windows, kernel_size);
    (max(windows, kernel_size), iota(l) * stride + tap * dilation - padding)
}

/// [`max_pool2d`], and where the largest elements are: the position in an image of one row,
/// `row * w + column`. `torch.nn.functional.max_pool2d_with_indices`.
///
/// ```
/// use tensor_op::catalogue::pooling::max_pool2d_with_indices;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2], &Device::default())?;
/// let (best, place) = max_pool2d_with_indices(&x, 2, 2, 2, None, None)?;
/// assert_eq!((best.item::<f64>()?, place.item::<i64>()?), (4.0, 3));
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = max_pool2d_with_indices_burn)]
pub fn max_pool2d_with_indices(
    input: Tensor![b, c, h, w],
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
) -> (
    Tensor![
        b,
        c,
        oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
        ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
    ],
    IntTensor![b, c, oh, ow],
) {
    let windows = at(
        input,
        h = oh * stride + iota(kh) * dilation - padding,
        w = ow * stride + iota(kw) * dilation - padding,
        or = -INFINITY,
    );
    let tap = argmax(windows, (kh, kw));
    let row = iota(oh) * stride + tap / kw * dilation - padding;
    let column = iota(ow) * stride + tap % kw * dilation - padding;
    (max(windows, (kh, kw)), row * len(w) + column)
}

/// [`max_pool3d`], and where the largest elements are: the position in a volume of one row,
/// `(plane * h + row) * w + column`. `torch.nn.functional.max_pool3d_with_indices`.
#[tensor_op(method(inherent), burn = max_pool3d_with_indices_burn)]
pub fn max_pool3d_with_indices(
    input: Tensor![b, c, d, h, w],
    kd: usize,
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
) -> (
    Tensor![
        b,
        c,
        od = (d + 2 * padding - dilation * (kd - 1) - 1) / stride + 1,
        oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
        ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
    ],
    IntTensor![b, c, od, oh, ow],
) {
    let windows = at(
        input,
        d = od * stride + iota(kd) * dilation - padding,
        h = oh * stride + iota(kh) * dilation - padding,
        w = ow * stride + iota(kw) * dilation - padding,
        or = -INFINITY,
    );
    let tap = argmax(windows, (kd, kh, kw));
    let plane = iota(od) * stride + tap / (kh * kw) * dilation - padding;
    let row = iota(oh) * stride + tap / kw % kh * dilation - padding;
    let column = iota(ow) * stride + tap % kw * dilation - padding;
    (max(windows, (kd, kh, kw)), (plane * len(h) + row) * len(w) + column)
}

/// The mean of each window. The zeros outside count, unless `count_include_pad` is false.
/// `torch.nn.functional.avg_pool1d`.
#[tensor_op(method(inherent), burn = avg_pool1d_burn)]
pub fn avg_pool1d(
    input: Tensor![b, c, n],
    kernel_size: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(true)] count_include_pad: bool,
) -> Tensor![b, c, l = (n + 2 * padding - kernel_size) / stride + 1] {
    let window = mean(at(input, n = l * stride + iota(kernel_size) - padding, or = 0.0), kernel_size);
    let place = iota(l) * stride + iota(kernel_size) - padding;
    let part = mean(select((place >= 0) & (place < len(n)), 1.0, 0.0), kernel_size);
    window / select(count_include_pad, 1.0, part)
}

/// The mean of each window of size `kh` by `kw`. The zeros outside count, unless `count_include_pad` is
/// false. `torch.nn.functional.avg_pool2d` without `divisor_override`: multiply the result instead.
///
/// ```
/// use tensor_op::catalogue::pooling::avg_pool2d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2], &Device::default())?;
/// assert_eq!(avg_pool2d(&x, 2, 2, 2, 1, None)?.to_vec::<f64>()?, [0.25, 0.5, 0.75, 1.0]);
/// assert_eq!(avg_pool2d(&x, 2, 2, 2, 1, false)?.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = avg_pool2d_burn)]
pub fn avg_pool2d(
    input: Tensor![b, c, h, w],
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(true)] count_include_pad: bool,
) -> Tensor![b, c, oh = (h + 2 * padding - kh) / stride + 1, ow = (w + 2 * padding - kw) / stride + 1] {
    let windows =
        at(input, h = oh * stride + iota(kh) - padding, w = ow * stride + iota(kw) - padding, or = 0.0);
    let row = iota(oh) * stride + iota(kh) - padding;
    let column = iota(ow) * stride + iota(kw) - padding;
    let rows = mean(select((row >= 0) & (row < len(h)), 1.0, 0.0), kh);
    let columns = mean(select((column >= 0) & (column < len(w)), 1.0, 0.0), kw);
    mean(windows, (kh, kw)) / select(count_include_pad, 1.0, rows * columns)
}

/// The mean of each window of size `kd` by `kh` by `kw`. The zeros outside count, unless `count_include_pad`
/// is false. `torch.nn.functional.avg_pool3d` without `divisor_override`: multiply the result instead.
#[tensor_op(method(inherent), burn = avg_pool3d_burn)]
pub fn avg_pool3d(
    input: Tensor![b, c, d, h, w],
    kd: usize,
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
    #[default(true)] count_include_pad: bool,
) -> Tensor![
    b,
    c,
    od = (d + 2 * padding - kd) / stride + 1,
    oh = (h + 2 * padding - kh) / stride + 1,
    ow = (w + 2 * padding - kw) / stride + 1
] {
    let windows = at(
        input,
        d = od * stride + iota(kd) - padding,
        h = oh * stride + iota(kh) - padding,
        w = ow * stride + iota(kw) - padding,
        or = 0.0,
    );
    let plane = iota(od) * stride + iota(kd) - padding;
    let row = iota(oh) * stride + iota(kh) - padding;
    let column = iota(ow) * stride + iota(kw) - padding;
    let planes = mean(select((plane >= 0) & (plane < len(d)), 1.0, 0.0), kd);
    let rows = mean(select((row >= 0) & (row < len(h)), 1.0, 0.0), kh);
    let columns = mean(select((column >= 0) & (column < len(w)), 1.0, 0.0), kw);
    mean(windows, (kd, kh, kw)) / select(count_include_pad, 1.0, planes * rows * columns)
}

/// The `norm_type`-norm of each window: the root of the sum of powers. `torch.nn.functional.lp_pool1d`.
///
/// ```
/// use tensor_op::catalogue::pooling::lp_pool1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![3.0, 4.0, 0.0, 5.0], [1, 1, 4], &Device::default())?;
/// assert_eq!(lp_pool1d(&x, 2, 2, 2)?.to_vec::<f64>()?, [5.0, 5.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = lp_pool1d_burn)]
pub fn lp_pool1d(
    input: Tensor![b, c, n],
    norm_type: f64,
    kernel_size: usize,
    stride: usize,
) -> Tensor![b, c, l = (n - kernel_size) / stride + 1] {
    let powers = pow(at(input, n = l * stride + iota(kernel_size)), norm_type);
    pow(sum(powers, kernel_size), 1.0 / norm_type)
}

/// The `norm_type`-norm of each window of size `kh` by `kw`. `torch.nn.functional.lp_pool2d`.
#[tensor_op(method(inherent), burn = lp_pool2d_burn)]
pub fn lp_pool2d(
    input: Tensor![b, c, h, w],
    norm_type: f64,
    kh: usize,
    kw: usize,
    stride: usize,
) -> Tensor![b, c, oh = (h - kh) / stride + 1, ow = (w - kw) / stride + 1] {
    let powers = pow(at(input, h = oh * stride + iota(kh), w = ow * stride + iota(kw)), norm_type);
    pow(sum(powers, (kh, kw)), 1.0 / norm_type)
}

/// The `norm_type`-norm of each window of size `kd` by `kh` by `kw`. `torch.nn.functional.lp_pool3d`.
///
/// ```
/// use tensor_op::catalogue::pooling::lp_pool3d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([1, 1, 2, 2, 4], DType::F64, &Device::default())?;
/// assert_eq!(lp_pool3d(&x, 1, 2, 2, 2, 2)?.to_vec::<f64>()?, [8.0, 8.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = lp_pool3d_burn)]
pub fn lp_pool3d(
    input: Tensor![b, c, d, h, w],
    norm_type: f64,
    kd: usize,
    kh: usize,
    kw: usize,
    stride: usize,
) -> Tensor![b, c, od = (d - kd) / stride + 1, oh = (h - kh) / stride + 1, ow = (w - kw) / stride + 1] {
    let windows =
        at(input, d = od * stride + iota(kd), h = oh * stride + iota(kh), w = ow * stride + iota(kw));
    pow(sum(pow(windows, norm_type), (kd, kh, kw)), 1.0 / norm_type)
}

/// The inverse of [`max_pool1d_with_indices`]: each element goes back to its place in a row of
/// `output_size` elements, and elsewhere there are zeros. If several windows have chosen one place, their
/// mean stands there. `torch.nn.functional.max_unpool1d`.
///
/// ```
/// use tensor_op::catalogue::pooling::{max_pool1d_with_indices, max_unpool1d};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 4.0, 3.0, 2.0, 9.0], [1, 1, 5], &Device::default())?;
/// let (best, place) = max_pool1d_with_indices(&x, 2, 2, None, None)?;
/// assert_eq!(max_unpool1d(best, &place, 5)?.to_vec::<f64>()?, [0.0, 4.0, 3.0, 0.0, 0.0]);
/// assert!(max_unpool1d(Tensor::ones([1, 1, 2], DType::F64, &Device::default()), place, 2).is_err());
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = max_unpool1d_burn)]
pub fn max_unpool1d(
    input: Tensor![.., l],
    indices: IntTensor![.., l],
    output_size: usize,
) -> Tensor![.., output_size] {
    scatter_mean(input, l, output_size = indices)
}

/// The inverse of [`max_pool2d_with_indices`]: each element goes back to its place in an image of `oh` by
/// `ow`, and elsewhere there are zeros. If several windows have chosen one place, their mean stands there.
/// `torch.nn.functional.max_unpool2d`.
#[tensor_op(method(inherent), burn = max_unpool2d_burn)]
pub fn max_unpool2d(
    input: Tensor![.., h, w],
    indices: IntTensor![.., h, w],
    oh: usize,
    ow: usize,
) -> Tensor![.., oh, ow] {
    scatter_mean(input, (h, w), oh = indices / ow, ow = indices % ow)
}

/// The inverse of [`max_pool3d_with_indices`]: each element goes back to its place in a volume of `od` by
/// `oh` by `ow`, and elsewhere there are zeros. If several windows have chosen one place, their mean
/// stands there. `torch.nn.functional.max_unpool3d`.
#[tensor_op(method(inherent), burn = max_unpool3d_burn)]
pub fn max_unpool3d(
    input: Tensor![.., d, h, w],
    indices: IntTensor![.., d, h, w],
    od: usize,
    oh: usize,
    ow: usize,
) -> Tensor![.., od, oh, ow] {
    scatter_mean(input, (d, h, w), od = indices / (oh * ow), oh = indices / ow % oh, ow = indices % ow)
}
