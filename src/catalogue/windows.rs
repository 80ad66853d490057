//! Convolutions, pooling and other windows: indices that are known without reading anything.
//!
//! Names and arguments are PyTorch's. A stride, padding or dilation is one number for all dims. Padding is
//! zero, as many on both sides.

use crate::tensor_op;

/// Convolution over sequences, with groups. `torch.nn.functional.conv1d`.
#[tensor_op(burn = conv1d_burn)]
pub fn conv1d(
    input: Tensor![b, (groups, c), n],
    weight: Tensor![(groups, o), c, k],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
    #[default(1)] groups: usize,
) -> Tensor![b, (groups, o), l = (n + 2 * padding - dilation * (k - 1) - 1) / stride + 1] {
    sum(at(input, n = l * stride + k * dilation - padding, or = 0.0) * weight, (c, k)) + bias.unwrap_or(0.0)
}

/// Convolution over images, with groups. `torch.nn.functional.conv2d`.
///
/// ```
/// use tensor_op::catalogue::windows::conv2d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let image = Tensor::ones([1, 3, 32, 32], DType::F32, &Device::default())?;
/// let weight = Tensor::ones([8, 3, 3, 3], DType::F32, &Device::default())?;
/// let features = conv2d(&image, &weight, None, 2, 1, None, None)?;
/// assert_eq!(features.shape().to_vec(), [1, 8, 16, 16]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = conv2d_burn)]
pub fn conv2d(
    input: Tensor![b, (groups, c), h, w],
    weight: Tensor![(groups, o), c, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
    #[default(1)] groups: usize,
) -> Tensor![
    b,
    (groups, o),
    oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
    ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
] {
    let windows = at(
        input,
        h = oh * stride + kh * dilation - padding,
        w = ow * stride + kw * dilation - padding,
        or = 0.0,
    );
    sum(windows * weight, (c, kh, kw)) + bias.unwrap_or(0.0)
}

/// Convolution over volumes, with groups. `torch.nn.functional.conv3d`.
#[tensor_op(burn = conv3d_burn)]
pub fn conv3d(
    input: Tensor![b, (groups, c), d, h, w],
    weight: Tensor![(groups, o), c, kd, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
    #[default(1)] groups: usize,
) -> Tensor![
    b,
    (groups, o),
    od = (d + 2 * padding - dilation * (kd - 1) - 1) / stride + 1,
    oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
    ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
] {
    let windows = at(
        input,
        d = od * stride + kd * dilation - padding,
        h = oh * stride + kh * dilation - padding,
        w = ow * stride + kw * dilation - padding,
        or = 0.0,
    );
    sum(windows * weight, (c, kd, kh, kw)) + bias.unwrap_or(0.0)
}

/// Transposed convolution over sequences: the gradient of [`conv1d`] in its input.
/// `torch.nn.functional.conv_transpose1d`.
#[tensor_op(burn = conv_transpose1d_burn)]
pub fn conv_transpose1d(
    input: Tensor![b, (groups, c), n],
    weight: Tensor![(groups, c), o, k],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(0)] output_padding: usize,
    #[default(1)] groups: usize,
    #[default(1)] dilation: usize,
) -> Tensor![b, (groups, o), l = (n - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1] {
    sum(at(input, n = div_exact(l + padding - k * dilation, stride), or = 0.0) * weight, (c, k))
        + bias.unwrap_or(0.0)
}

/// Transposed convolution over images: the gradient of [`conv2d`] in its input.
/// `torch.nn.functional.conv_transpose2d`.
#[tensor_op(burn = conv_transpose2d_burn)]
pub fn conv_transpose2d(
    input: Tensor![b, (groups, c), h, w],
    weight: Tensor![(groups, c), o, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(0)] output_padding: usize,
    #[default(1)] groups: usize,
    #[default(1)] dilation: usize,
) -> Tensor![
    b,
    (groups, o),
    oh = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1,
    ow = (w - 1) * stride - 2 * padding + dilation * (kw - 1) + output_padding + 1
] {
    let windows = at(
        input,
        h = div_exact(oh + padding - kh * dilation, stride),
        w = div_exact(ow + padding - kw * dilation, stride),
        or = 0.0,
    );
    sum(windows * weight, (c, kh, kw)) + bias.unwrap_or(0.0)
}

/// Each position sees itself and the `k - 1` positions before it; each channel has its own weights. The
/// convolution of Mamba and of other recurrent layers.
#[tensor_op(burn = causal_conv1d_burn)]
pub fn causal_conv1d(input: Tensor![b, c, t], weight: Tensor![c, k]) -> Tensor![b, c, t] {
    sum(at(input, t = t + k - len(k) + 1, or = 0.0) * weight, k)
}

/// The largest element of each window. Outside there is -inf. `torch.nn.functional.max_pool1d`, but elements
/// that are equally large share the gradient.
#[tensor_op(burn = max_pool1d_burn)]
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
#[tensor_op(burn = max_pool2d_burn)]
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

/// The mean of each window. Zeros outside count. `torch.nn.functional.avg_pool1d`.
#[tensor_op(burn = avg_pool1d_burn)]
pub fn avg_pool1d(
    input: Tensor![b, c, n],
    kernel_size: usize,
    stride: usize,
    #[default(0)] padding: usize,
) -> Tensor![b, c, l = (n + 2 * padding - kernel_size) / stride + 1] {
    mean(at(input, n = l * stride + iota(kernel_size) - padding, or = 0.0), kernel_size)
}

/// The mean of each window of size `kh` by `kw`. Zeros outside count. `torch.nn.functional.avg_pool2d`.
#[tensor_op(burn = avg_pool2d_burn)]
pub fn avg_pool2d(
    input: Tensor![b, c, h, w],
    kh: usize,
    kw: usize,
    stride: usize,
    #[default(0)] padding: usize,
) -> Tensor![b, c, oh = (h + 2 * padding - kh) / stride + 1, ow = (w + 2 * padding - kw) / stride + 1] {
    let windows =
        at(input, h = oh * stride + iota(kh) - padding, w = ow * stride + iota(kw) - padding, or = 0.0);
    mean(windows, (kh, kw))
}

/// The windows of images as columns: im2col. `torch.nn.functional.unfold`.
#[tensor_op(burn = unfold_burn)]
pub fn unfold(
    input: Tensor![b, c, h, w],
    kh: usize,
    kw: usize,
    #[default(1)] dilation: usize,
    #[default(0)] padding: usize,
    #[default(1)] stride: usize,
) -> Tensor![
    b,
    (c, kh, kw),
    (
        oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1,
        ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1
    )
] {
    at(
        input,
        h = oh * stride + iota(kh) * dilation - padding,
        w = ow * stride + iota(kw) * dilation - padding,
        or = 0.0,
    )
}

/// A constant before and behind the last axis. `torch.nn.functional.pad` in mode `constant`.
#[tensor_op(burn = pad_burn)]
pub fn pad(
    input: Tensor![.., n],
    left: usize,
    right: usize,
    #[default(0.0)] value: f64,
) -> Tensor![.., l = n + left + right] {
    at(input, n = l - left, or = value)
}

/// The last axis backwards. `torch.flip`.
#[tensor_op(burn = flip_burn)]
pub fn flip(input: Tensor![.., n]) -> Tensor![.., n] {
    at(input, n = len(n) - 1 - n)
}

/// The last axis, shifted around by a number of places from 0 to its size. A larger number gives NaN.
/// `torch.roll`.
#[tensor_op(burn = roll_burn)]
pub fn roll(input: Tensor![.., n], shift: usize) -> Tensor![.., n] {
    select(iota(n) < shift, at(input, n = n - shift + len(n), or = NAN), at(input, n = n - shift, or = NAN))
}

/// The differences of neighbours along the last axis. `torch.diff`.
#[tensor_op(burn = diff_burn)]
pub fn diff(input: Tensor![.., n]) -> Tensor![.., l = n - 1] {
    at(input, n = l + 1) - at(input, n = l)
}

/// The diagonal of square matrices. `torch.diagonal`.
#[tensor_op(burn = diagonal_burn)]
pub fn diagonal(input: Tensor![b, n, m = n]) -> Tensor![b, d = n] {
    at(input, n = d, m = d)
}

/// One half of the last axis, gated by the other. `torch.nn.functional.glu`.
#[tensor_op(burn = glu_burn)]
pub fn glu(input: Tensor![.., (half = 2, n)]) -> Tensor![.., n] {
    at(input, half = 0) * sigmoid(at(input, half = 1))
}

/// Rotary position encoding of the halves of the last axis, as in GPT-NeoX. `cos` and `sin` have the angles
/// of each position. Source: Su et al., "RoFormer", 2021, arXiv 2104.09864.
#[tensor_op(burn = rotary_halves_burn)]
pub fn rotary_halves(
    x: Tensor![.., t, (half = 2, d)],
    cos: Tensor![t, d],
    sin: Tensor![t, d],
) -> Tensor![.., t, (half, d)] {
    let other = at(x, half = 1 - half);
    x * cos + select(iota(half) == 0, -other, other) * sin
}

/// Rotary position encoding of neighbours on the last axis, as in GPT-J. `cos` and `sin` have the angles of
/// each position. Source: Su et al., "RoFormer", 2021, arXiv 2104.09864.
#[tensor_op(burn = rotary_pairs_burn)]
pub fn rotary_pairs(
    x: Tensor![.., t, (d, pair = 2)],
    cos: Tensor![t, d],
    sin: Tensor![t, d],
) -> Tensor![.., t, (d, pair)] {
    let other = at(x, pair = 1 - pair);
    x * cos + select(iota(pair) == 0, -other, other) * sin
}

/// Channels as pixels of an image that is `upscale_factor` times as large.
/// `torch.nn.functional.pixel_shuffle`.
#[tensor_op(burn = pixel_shuffle_burn)]
pub fn pixel_shuffle(
    input: Tensor![b, (c, p = upscale_factor, q = upscale_factor), h, w],
    upscale_factor: usize,
) -> Tensor![b, c, (h, p), (w, q)] {
    input
}
