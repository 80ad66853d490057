//! The mean of each window, and norms of windows.

use crate::tensor_op;

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
