//! The largest element of each window, where it is, and the way back.
//!
//! Elements that are equally large share the gradient of a maximum, where PyTorch gives it to the first. A
//! place in the padding is found only where all elements of a window are -inf. Then the first place of the
//! window that is no padding stands for it, the remainder by the dilation.

use crate::tensor_op;

/// The largest element of each window of the last axis. Outside there is -inf. With `ceil_mode` a last
/// window may end outside. `torch.nn.functional.max_pool1d`, but elements that are equally large share the
/// gradient.
#[tensor_op(method(inherent), burn = max_pool1d_burn)]
pub fn max_pool1d(
    input: Tensor![.., n],
    kernel_size: usize,
    #[default(kernel_size)] stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    l = minimum(
        (n + 2 * padding - dilation * (kernel_size - 1) - 1 + cast(ceil_mode, int) * (stride - 1)) / stride,
        (n + padding - 1) / stride
    ) + 1
] {
    let windows = at(input, n = l * stride + iota(kernel_size) * dilation - padding, or = -INFINITY);
    max(windows, kernel_size)
}

/// The largest element of each window of the last two axes. Outside there is -inf. With `ceil_mode` a last
/// window may end outside. `torch.nn.functional.max_pool2d`, but elements that are equally large share the
/// gradient.
///
/// ```
/// use tensor_op::catalogue::pooling::max_pool2d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(max_pool2d(&x, [1, 2], None, None, None, None)?.to_vec::<f64>()?, [2.0, 5.0]);
/// assert_eq!(max_pool2d(&x, 2, None, None, None, true)?.to_vec::<f64>()?, [5.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = max_pool2d_burn)]
pub fn max_pool2d(
    input: Tensor![.., h, w],
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(kernel_size)] stride @ [sh, sw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(1)] dilation @ [dh, dw]: [usize; 2],
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    oh = minimum((h + 2 * ph - dh * (kh - 1) - 1 + cast(ceil_mode, int) * (sh - 1)) / sh, (h + ph - 1) / sh)
        + 1,
    ow = minimum((w + 2 * pw - dw * (kw - 1) - 1 + cast(ceil_mode, int) * (sw - 1)) / sw, (w + pw - 1) / sw)
        + 1
] {
    let windows =
        at(input, h = oh * sh + iota(kh) * dh - ph, w = ow * sw + iota(kw) * dw - pw, or = -INFINITY);
    max(windows, (kh, kw))
}

/// The largest element of each window of the last three axes. Outside there is -inf. With `ceil_mode` a
/// last window may end outside. `torch.nn.functional.max_pool3d`, but elements that are equally large share
/// the gradient.
#[tensor_op(method(inherent), burn = max_pool3d_burn)]
pub fn max_pool3d(
    input: Tensor![.., d, h, w],
    kernel_size @ [kd, kh, kw]: [usize; 3],
    #[default(kernel_size)] stride @ [sd, sh, sw]: [usize; 3],
    #[default(0)] padding @ [pd, ph, pw]: [usize; 3],
    #[default(1)] dilation @ [dd, dh, dw]: [usize; 3],
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    od = minimum((d + 2 * pd - dd * (kd - 1) - 1 + cast(ceil_mode, int) * (sd - 1)) / sd, (d + pd - 1) / sd)
        + 1,
    oh = minimum((h + 2 * ph - dh * (kh - 1) - 1 + cast(ceil_mode, int) * (sh - 1)) / sh, (h + ph - 1) / sh)
        + 1,
    ow = minimum((w + 2 * pw - dw * (kw - 1) - 1 + cast(ceil_mode, int) * (sw - 1)) / sw, (w + pw - 1) / sw)
        + 1
] {
    let windows = at(
        input,
        d = od * sd + iota(kd) * dd - pd,
        h = oh * sh + iota(kh) * dh - ph,
        w = ow * sw + iota(kw) * dw - pw,
        or = -INFINITY,
    );
    max(windows, (kd, kh, kw))
}

/// [`max_pool1d`], and where the largest elements are along the last axis.
/// `torch.nn.functional.max_pool1d_with_indices`.
#[tensor_op(method(inherent), burn = max_pool1d_with_indices_burn)]
pub fn max_pool1d_with_indices(
    input: Tensor![.., n],
    kernel_size: usize,
    #[default(kernel_size)] stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
    #[default(false)] ceil_mode: bool,
) -> (
    Tensor![
        ..,
        l = minimum(
            (n + 2 * padding - dilation * (kernel_size - 1) - 1 + cast(ceil_mode, int) * (stride - 1))
                / stride,
            (n + padding - 1) / stride
        ) + 1
    ],
    IntTensor![.., l],
) {
    let windows = at(input, n = l * stride + iota(kernel_size) * dilation - padding, or = -INFINITY);
    let tap = argmax(windows, kernel_size);
    let place = iota(l) * stride + tap * dilation - padding;
    (max(windows, kernel_size), select(place < 0, remainder(place, maximum(dilation, 1)), place))
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
/// let (best, place) = max_pool2d_with_indices(&x, 2, None, None, None, None)?;
/// assert_eq!((best.item::<f64>()?, place.item::<i64>()?), (4.0, 3));
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = max_pool2d_with_indices_burn)]
pub fn max_pool2d_with_indices(
    input: Tensor![.., h, w],
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(kernel_size)] stride @ [sh, sw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(1)] dilation @ [dh, dw]: [usize; 2],
    #[default(false)] ceil_mode: bool,
) -> (
    Tensor![
        ..,
        oh = minimum(
            (h + 2 * ph - dh * (kh - 1) - 1 + cast(ceil_mode, int) * (sh - 1)) / sh,
            (h + ph - 1) / sh
        ) + 1,
        ow = minimum(
            (w + 2 * pw - dw * (kw - 1) - 1 + cast(ceil_mode, int) * (sw - 1)) / sw,
            (w + pw - 1) / sw
        ) + 1
    ],
    IntTensor![.., oh, ow],
) {
    let windows =
        at(input, h = oh * sh + iota(kh) * dh - ph, w = ow * sw + iota(kw) * dw - pw, or = -INFINITY);
    let tap = argmax(windows, (kh, kw));
    let row = iota(oh) * sh + tap / kw * dh - ph;
    let column = iota(ow) * sw + tap % kw * dw - pw;
    let row = select(row < 0, remainder(row, maximum(dh, 1)), row);
    let column = select(column < 0, remainder(column, maximum(dw, 1)), column);
    (max(windows, (kh, kw)), row * len(w) + column)
}

/// [`max_pool3d`], and where the largest elements are: the position in a volume of one row,
/// `(plane * h + row) * w + column`. `torch.nn.functional.max_pool3d_with_indices`.
#[tensor_op(method(inherent), burn = max_pool3d_with_indices_burn)]
pub fn max_pool3d_with_indices(
    input: Tensor![.., d, h, w],
    kernel_size @ [kd, kh, kw]: [usize; 3],
    #[default(kernel_size)] stride @ [sd, sh, sw]: [usize; 3],
    #[default(0)] padding @ [pd, ph, pw]: [usize; 3],
    #[default(1)] dilation @ [dd, dh, dw]: [usize; 3],
    #[default(false)] ceil_mode: bool,
) -> (
    Tensor![
        ..,
        od = minimum(
            (d + 2 * pd - dd * (kd - 1) - 1 + cast(ceil_mode, int) * (sd - 1)) / sd,
            (d + pd - 1) / sd
        ) + 1,
        oh = minimum(
            (h + 2 * ph - dh * (kh - 1) - 1 + cast(ceil_mode, int) * (sh - 1)) / sh,
            (h + ph - 1) / sh
        ) + 1,
        ow = minimum(
            (w + 2 * pw - dw * (kw - 1) - 1 + cast(ceil_mode, int) * (sw - 1)) / sw,
            (w + pw - 1) / sw
        ) + 1
    ],
    IntTensor![.., od, oh, ow],
) {
    let windows = at(
        input,
        d = od * sd + iota(kd) * dd - pd,
        h = oh * sh + iota(kh) * dh - ph,
        w = ow * sw + iota(kw) * dw - pw,
        or = -INFINITY,
    );
    let tap = argmax(windows, (kd, kh, kw));
    let plane = iota(od) * sd + tap / (kh * kw) * dd - pd;
    let row = iota(oh) * sh + tap / kw % kh * dh - ph;
    let column = iota(ow) * sw + tap % kw * dw - pw;
    let plane = select(plane < 0, remainder(plane, maximum(dd, 1)), plane);
    let row = select(row < 0, remainder(row, maximum(dh, 1)), row);
    let column = select(column < 0, remainder(column, maximum(dw, 1)), column);
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
/// let (best, place) = max_pool1d_with_indices(&x, 2, None, None, None, None)?;
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
    output_size @ [oh, ow]: [usize; 2],
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
    output_size @ [od, oh, ow]: [usize; 3],
) -> Tensor![.., od, oh, ow] {
    scatter_mean(input, (d, h, w), od = indices / (oh * ow), oh = indices / ow % oh, ow = indices % ow)
}
