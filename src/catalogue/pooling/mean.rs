//! The mean of each window, and norms of windows.

use crate::tensor_op;

/// The mean of each window of the last axis. The zeros in the padding count, unless `count_include_pad` is
/// false. With `ceil_mode` a last window may end outside, where nothing counts.
/// `torch.nn.functional.avg_pool1d`.
#[tensor_op(method(inherent), burn = avg_pool1d_burn)]
pub fn avg_pool1d(
    input: Tensor![.., n],
    kernel_size: usize,
    #[default(kernel_size)] stride: usize,
    #[default(0)] padding: usize,
    #[default(false)] ceil_mode: bool,
    #[default(true)] count_include_pad: bool,
) -> Tensor![
    ..,
    l = minimum(
        (n + 2 * padding - kernel_size + cast(ceil_mode, int) * (stride - 1)) / stride,
        (n + padding - 1) / stride
    ) + 1
] {
    let windows = at(input, n = l * stride + iota(kernel_size) - padding, or = 0.0);
    let place = iota(l) * stride + iota(kernel_size) - padding;
    let place_reach = select(count_include_pad, padding, 0);
    let places = sum(select((place >= -place_reach) & (place < len(n) + place_reach), 1.0, 0.0), kernel_size);
    sum(windows, kernel_size) / places
}

/// The mean of each window of the last two axes. The zeros in the padding count, unless `count_include_pad`
/// is false. With `ceil_mode` a last window may end outside, where nothing counts. A `divisor_override`
/// that is not 0 stands for the number of elements. `torch.nn.functional.avg_pool2d`.
///
/// ```
/// use tensor_op::catalogue::pooling::avg_pool2d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2], &Device::default())?;
/// assert_eq!(avg_pool2d(&x, 2, None, 1, None, None, None)?.to_vec::<f64>()?, [0.25, 0.5, 0.75, 1.0]);
/// assert_eq!(avg_pool2d(&x, 2, 2, 1, None, false, None)?.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(avg_pool2d(&x, [2, 1], 1, 0, None, None, 1)?.to_vec::<f64>()?, [4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = avg_pool2d_burn)]
pub fn avg_pool2d(
    input: Tensor![.., h, w],
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(kernel_size)] stride @ [sh, sw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(false)] ceil_mode: bool,
    #[default(true)] count_include_pad: bool,
    #[default(0)] divisor_override: i64,
) -> Tensor![
    ..,
    oh = minimum((h + 2 * ph - kh + cast(ceil_mode, int) * (sh - 1)) / sh, (h + ph - 1) / sh) + 1,
    ow = minimum((w + 2 * pw - kw + cast(ceil_mode, int) * (sw - 1)) / sw, (w + pw - 1) / sw) + 1
] {
    let windows = at(input, h = oh * sh + iota(kh) - ph, w = ow * sw + iota(kw) - pw, or = 0.0);
    let row = iota(oh) * sh + iota(kh) - ph;
    let column = iota(ow) * sw + iota(kw) - pw;
    let row_reach = select(count_include_pad, ph, 0);
    let rows = sum(select((row >= -row_reach) & (row < len(h) + row_reach), 1.0, 0.0), kh);
    let column_reach = select(count_include_pad, pw, 0);
    let columns = sum(select((column >= -column_reach) & (column < len(w) + column_reach), 1.0, 0.0), kw);
    let count = select(divisor_override != 0, cast(divisor_override, float), rows * columns);
    sum(windows, (kh, kw)) / count
}

/// The mean of each window of the last three axes. The zeros in the padding count, unless
/// `count_include_pad` is false. With `ceil_mode` a last window may end outside, where nothing counts. A
/// `divisor_override` that is not 0 stands for the number of elements. `torch.nn.functional.avg_pool3d`.
#[tensor_op(method(inherent), burn = avg_pool3d_burn)]
pub fn avg_pool3d(
    input: Tensor![.., d, h, w],
    kernel_size @ [kd, kh, kw]: [usize; 3],
    #[default(kernel_size)] stride @ [sd, sh, sw]: [usize; 3],
    #[default(0)] padding @ [pd, ph, pw]: [usize; 3],
    #[default(false)] ceil_mode: bool,
    #[default(true)] count_include_pad: bool,
    #[default(0)] divisor_override: i64,
) -> Tensor![
    ..,
    od = minimum((d + 2 * pd - kd + cast(ceil_mode, int) * (sd - 1)) / sd, (d + pd - 1) / sd) + 1,
    oh = minimum((h + 2 * ph - kh + cast(ceil_mode, int) * (sh - 1)) / sh, (h + ph - 1) / sh) + 1,
    ow = minimum((w + 2 * pw - kw + cast(ceil_mode, int) * (sw - 1)) / sw, (w + pw - 1) / sw) + 1
] {
    let windows = at(
        input,
        d = od * sd + iota(kd) - pd,
        h = oh * sh + iota(kh) - ph,
        w = ow * sw + iota(kw) - pw,
        or = 0.0,
    );
    let plane = iota(od) * sd + iota(kd) - pd;
    let row = iota(oh) * sh + iota(kh) - ph;
    let column = iota(ow) * sw + iota(kw) - pw;
    let plane_reach = select(count_include_pad, pd, 0);
    let planes = sum(select((plane >= -plane_reach) & (plane < len(d) + plane_reach), 1.0, 0.0), kd);
    let row_reach = select(count_include_pad, ph, 0);
    let rows = sum(select((row >= -row_reach) & (row < len(h) + row_reach), 1.0, 0.0), kh);
    let column_reach = select(count_include_pad, pw, 0);
    let columns = sum(select((column >= -column_reach) & (column < len(w) + column_reach), 1.0, 0.0), kw);
    let count = select(divisor_override != 0, cast(divisor_override, float), planes * rows * columns);
    sum(windows, (kd, kh, kw)) / count
}

/// The `norm_type`-norm of each window of the last axis: the root of the sum of powers. With `ceil_mode` a
/// last window may end outside. Its sum is scaled as if it had all elements.
/// `torch.nn.functional.lp_pool1d`.
///
/// ```
/// use tensor_op::catalogue::pooling::lp_pool1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![3.0, 4.0, 0.0, 5.0], [1, 1, 4], &Device::default())?;
/// assert_eq!(lp_pool1d(&x, 2, 2, None, None)?.to_vec::<f64>()?, [5.0, 5.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = lp_pool1d_burn)]
pub fn lp_pool1d(
    input: Tensor![.., n],
    norm_type: f64,
    kernel_size: usize,
    #[default(kernel_size)] stride: usize,
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    l = minimum((n - kernel_size + cast(ceil_mode, int) * (stride - 1)) / stride, (n - 1) / stride) + 1
] {
    let windows = at(input, n = l * stride + iota(kernel_size), or = 0.0);
    let places = sum(select(iota(l) * stride + iota(kernel_size) < len(n), 1.0, 0.0), kernel_size);
    let scale = cast(kernel_size, float) / places;
    pow(sum(pow(windows, norm_type), kernel_size) * scale, 1.0 / norm_type)
}

/// The `norm_type`-norm of each window of the last two axes: the root of the sum of powers. With
/// `ceil_mode` a last window may end outside. Its sum is scaled as if it had all elements.
/// `torch.nn.functional.lp_pool2d`.
#[tensor_op(method(inherent), burn = lp_pool2d_burn)]
pub fn lp_pool2d(
    input: Tensor![.., h, w],
    norm_type: f64,
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(kernel_size)] stride @ [sh, sw]: [usize; 2],
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    oh = minimum((h - kh + cast(ceil_mode, int) * (sh - 1)) / sh, (h - 1) / sh) + 1,
    ow = minimum((w - kw + cast(ceil_mode, int) * (sw - 1)) / sw, (w - 1) / sw) + 1
] {
    let windows = at(input, h = oh * sh + iota(kh), w = ow * sw + iota(kw), or = 0.0);
    let rows = sum(select(iota(oh) * sh + iota(kh) < len(h), 1.0, 0.0), kh);
    let columns = sum(select(iota(ow) * sw + iota(kw) < len(w), 1.0, 0.0), kw);
    let scale = cast(kh * kw, float) / (rows * columns);
    pow(sum(pow(windows, norm_type), (kh, kw)) * scale, 1.0 / norm_type)
}

/// The `norm_type`-norm of each window of the last three axes: the root of the sum of powers. With
/// `ceil_mode` a last window may end outside. Its sum is scaled as if it had all elements.
/// `torch.nn.functional.lp_pool3d`.
#[tensor_op(method(inherent), burn = lp_pool3d_burn)]
pub fn lp_pool3d(
    input: Tensor![.., d, h, w],
    norm_type: f64,
    kernel_size @ [kd, kh, kw]: [usize; 3],
    #[default(kernel_size)] stride @ [sd, sh, sw]: [usize; 3],
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    od = minimum((d - kd + cast(ceil_mode, int) * (sd - 1)) / sd, (d - 1) / sd) + 1,
    oh = minimum((h - kh + cast(ceil_mode, int) * (sh - 1)) / sh, (h - 1) / sh) + 1,
    ow = minimum((w - kw + cast(ceil_mode, int) * (sw - 1)) / sw, (w - 1) / sw) + 1
] {
    let windows = at(input, d = od * sd + iota(kd), h = oh * sh + iota(kh), w = ow * sw + iota(kw), or = 0.0);
    let planes = sum(select(iota(od) * sd + iota(kd) < len(d), 1.0, 0.0), kd);
    let rows = sum(select(iota(oh) * sh + iota(kh) < len(h), 1.0, 0.0), kh);
    let columns = sum(select(iota(ow) * sw + iota(kw) < len(w), 1.0, 0.0), kw);
    let scale = cast(kd * kh * kw, float) / (planes * rows * columns);
    pow(sum(pow(windows, norm_type), (kd, kh, kw)) * scale, 1.0 / norm_type)
}
