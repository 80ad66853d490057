//! Convolutions, and windows as columns.
//!
//! Names and arguments are PyTorch's, but padding has no words: `same` with a stride of 1 is `dilation * (k
//! - 1) / 2` for an odd window. It is zero, as many on both sides.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Convolution over sequences, with groups. `torch.nn.functional.conv1d`.
///
/// ```
/// use tensor_op::catalogue::convolution::conv1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, weight) = (Tensor::from([[[1.0, 2.0, 3.0]]]), Tensor::from([[[1.0, 1.0]]]));
/// let y = conv1d(&x, &weight, None, None, None, None, None)?;
/// assert_eq!(y.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = conv1d_burn)]
pub fn conv1d(
    input: Tensor![.., (groups, c), n],
    weight: Tensor![(groups, o), c, k],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(1)] dilation: usize,
    #[default(1)] groups: usize,
) -> Tensor![.., (groups, o), l = (n + 2 * padding - dilation * (k - 1) - 1) / stride + 1] {
    sum(at(input, n = l * stride + k * dilation - padding, or = 0.0) * weight, (c, k)) + bias.unwrap_or(0.0)
}

/// Convolution over images, with groups. `torch.nn.functional.conv2d`.
///
/// ```
/// use tensor_op::catalogue::convolution::conv2d;
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
#[tensor_op(method(inherent), burn = conv2d_burn)]
pub fn conv2d(
    input: Tensor![.., (groups, c), h, w],
    weight: Tensor![(groups, o), c, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride @ [sh, sw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(1)] dilation @ [dh, dw]: [usize; 2],
    #[default(1)] groups: usize,
) -> Tensor![
    ..,
    (groups, o),
    oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1,
    ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1
] {
    let windows = at(input, h = oh * sh + kh * dh - ph, w = ow * sw + kw * dw - pw, or = 0.0);
    sum(windows * weight, (c, kh, kw)) + bias.unwrap_or(0.0)
}

/// Convolution over volumes, with groups. `torch.nn.functional.conv3d`.
#[tensor_op(method(inherent), burn = conv3d_burn)]
pub fn conv3d(
    input: Tensor![.., (groups, c), d, h, w],
    weight: Tensor![(groups, o), c, kd, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride @ [sd, sh, sw]: [usize; 3],
    #[default(0)] padding @ [pd, ph, pw]: [usize; 3],
    #[default(1)] dilation @ [dd, dh, dw]: [usize; 3],
    #[default(1)] groups: usize,
) -> Tensor![
    ..,
    (groups, o),
    od = (d + 2 * pd - dd * (kd - 1) - 1) / sd + 1,
    oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1,
    ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1
] {
    let windows = at(
        input,
        d = od * sd + kd * dd - pd,
        h = oh * sh + kh * dh - ph,
        w = ow * sw + kw * dw - pw,
        or = 0.0,
    );
    sum(windows * weight, (c, kd, kh, kw)) + bias.unwrap_or(0.0)
}

/// Transposed convolution over sequences: the gradient of [`conv1d`] in its input.
/// `torch.nn.functional.conv_transpose1d`.
#[tensor_op(method(inherent), burn = conv_transpose1d_burn)]
pub fn conv_transpose1d(
    input: Tensor![.., (groups, c), n],
    weight: Tensor![(groups, c), o, k],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride: usize,
    #[default(0)] padding: usize,
    #[default(0)] output_padding: usize,
    #[default(1)] groups: usize,
    #[default(1)] dilation: usize,
) -> Tensor![.., (groups, o), l = (n - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1] {
    sum(at(input, n = div_exact(l + padding - k * dilation, stride), or = 0.0) * weight, (c, k))
        + bias.unwrap_or(0.0)
}

/// Transposed convolution over images: the gradient of [`conv2d`] in its input.
/// `torch.nn.functional.conv_transpose2d`.
#[tensor_op(method(inherent), burn = conv_transpose2d_burn)]
pub fn conv_transpose2d(
    input: Tensor![.., (groups, c), h, w],
    weight: Tensor![(groups, c), o, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride @ [sh, sw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(0)] output_padding @ [qh, qw]: [usize; 2],
    #[default(1)] groups: usize,
    #[default(1)] dilation @ [dh, dw]: [usize; 2],
) -> Tensor![
    ..,
    (groups, o),
    oh = (h - 1) * sh - 2 * ph + dh * (kh - 1) + qh + 1,
    ow = (w - 1) * sw - 2 * pw + dw * (kw - 1) + qw + 1
] {
    let windows =
        at(input, h = div_exact(oh + ph - kh * dh, sh), w = div_exact(ow + pw - kw * dw, sw), or = 0.0);
    sum(windows * weight, (c, kh, kw)) + bias.unwrap_or(0.0)
}

/// Transposed convolution over volumes: the gradient of [`conv3d`] in its input.
/// `torch.nn.functional.conv_transpose3d`.
// The cases of views are large: without `TENSOR_OP_TESTS=full` none of them would run.
#[tensor_op(method(inherent), burn = conv_transpose3d_burn, tests(skip = views))]
pub fn conv_transpose3d(
    input: Tensor![.., (groups, c), d, h, w],
    weight: Tensor![(groups, c), o, kd, kh, kw],
    bias: Option<Tensor![(groups, o)]>,
    #[default(1)] stride @ [sd, sh, sw]: [usize; 3],
    #[default(0)] padding @ [pd, ph, pw]: [usize; 3],
    #[default(0)] output_padding @ [qd, qh, qw]: [usize; 3],
    #[default(1)] groups: usize,
    #[default(1)] dilation @ [dd, dh, dw]: [usize; 3],
) -> Tensor![
    ..,
    (groups, o),
    od = (d - 1) * sd - 2 * pd + dd * (kd - 1) + qd + 1,
    oh = (h - 1) * sh - 2 * ph + dh * (kh - 1) + qh + 1,
    ow = (w - 1) * sw - 2 * pw + dw * (kw - 1) + qw + 1
] {
    let windows = at(
        input,
        d = div_exact(od + pd - kd * dd, sd),
        h = div_exact(oh + ph - kh * dh, sh),
        w = div_exact(ow + pw - kw * dw, sw),
        or = 0.0,
    );
    sum(windows * weight, (c, kd, kh, kw)) + bias.unwrap_or(0.0)
}

/// Convolution over sequences of the form `[time, batch, channel]`. The weight has the window first and the
/// new channels last. `torch.nn.functional.conv_tbc`.
#[tensor_op(method(inherent), burn = conv_tbc_burn)]
pub fn conv_tbc(
    input: Tensor![t, b, c],
    weight: Tensor![k, c, o],
    bias: Tensor![o],
    #[default(0)] pad: usize,
) -> Tensor![l = t + 2 * pad - k + 1, b, o] {
    sum(at(input, t = l + k - pad, or = 0.0) * weight, (c, k)) + bias
}

/// Each position sees itself and the `k - 1` positions before it; each channel has its own weights. The
/// convolution of Mamba and of other recurrent layers.
#[tensor_op(burn = causal_conv1d_burn)]
pub fn causal_conv1d(input: Tensor![b, c, t], weight: Tensor![c, k]) -> Tensor![b, c, t] {
    sum(at(input, t = t + k - len(k) + 1, or = 0.0) * weight, k)
}

/// The windows of images as columns: im2col. `torch.nn.functional.unfold`.
#[tensor_op(burn = unfold_burn)]
pub fn unfold(
    input: Tensor![.., c, h, w],
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(1)] dilation @ [dh, dw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(1)] stride @ [sh, sw]: [usize; 2],
) -> Tensor![
    ..,
    (c, kh, kw),
    (oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1, ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1)
] {
    at(input, h = oh * sh + iota(kh) * dh - ph, w = ow * sw + iota(kw) * dw - pw, or = 0.0)
}

/// Images of size `h` by `w` out of windows of size `kh` by `kw`: col2im, the gradient of [`unfold`]. Each
/// pixel is the sum of the elements of all windows that lie on it. `torch.nn.functional.fold`.
///
/// ```
/// use tensor_op::catalogue::convolution::{fold, unfold};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let image = Tensor::ones([1, 1, 3, 3], DType::F64, &Device::default())?;
/// let columns = unfold(&image, 2, None, None, None)?;
/// assert_eq!(columns.shape().to_vec(), [1, 4, 4]);
/// let overlaps = fold(&columns, 3, 2, None, None, None)?;
/// assert_eq!(overlaps.to_vec::<f64>()?, [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = fold_burn)]
pub fn fold(
    input: Tensor![
        ..,
        (c, kh, kw),
        (oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1, ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1)
    ],
    output_size @ [h, w]: [usize; 2],
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(1)] dilation @ [dh, dw]: [usize; 2],
    #[default(0)] padding @ [ph, pw]: [usize; 2],
    #[default(1)] stride @ [sh, sw]: [usize; 2],
) -> Tensor![.., c, h, w] {
    let elements = at(
        input,
        oh = div_exact(iota(h) + ph - iota(kh) * dh, sh),
        ow = div_exact(iota(w) + pw - iota(kw) * dw, sw),
        or = 0.0,
    );
    sum(elements, (kh, kw))
}
