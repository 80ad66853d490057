//! The largest element of each window, where it is, and the way back.
//!
//! Elements that are equally large share the gradient of a maximum, where PyTorch gives it to the first.

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
