//! Convolutions and other windows that are measured: ops of the catalogue with the numbers of known networks.

use tensor_op::catalogue::{convolution, movement, padding, pooling};
use tensor_op::prelude::*;

/// A 3x3 convolution of ResNet-50 (He et al., 2015, arXiv 1512.03385).
pub(crate) fn conv3x3(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::conv2d(x, weight, None, 1, 1, None, None)
}

/// A 3x3 convolution that halves the image.
pub(crate) fn conv3x3_s2(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::conv2d(x, weight, None, 2, 1, None, None)
}

/// A 1x1 convolution of ResNet-50.
pub(crate) fn conv1x1(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::conv2d(x, weight, None, None, None, None, None)
}

/// The first layer of ResNet-50.
pub(crate) fn conv7x7(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::conv2d(x, weight, None, 2, 3, None, None)
}

/// The depthwise convolution of a MobileNet block (Howard et al., 2017, arXiv 1704.04861).
pub(crate) fn depthwise(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::conv2d(x, weight, None, 1, 1, None, x.shape()[1])
}

/// A layer of a network for audio.
pub(crate) fn audio(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::conv1d(x, weight, None, 1, 4, None, None)
}

/// The convolution of a Mamba block (Gu and Dao, 2023, arXiv 2312.00752).
pub(crate) fn causal_conv(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    convolution::causal_conv1d(x, weight)
}

/// The pooling layer of ResNet-50.
pub(crate) fn max_pool(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    pooling::max_pool2d(x, 3, 2, 1, None, None)
}

/// Halves the image.
pub(crate) fn avg_pool(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    pooling::avg_pool2d(x, 2, None, None, None, None, None)
}

/// The largest of four.
pub(crate) fn max_pool2x2(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    pooling::max_pool2d(x, 2, None, None, None, None)
}

/// A mean of neighbours, with as many results as elements.
pub(crate) fn avg_pool3x3(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    pooling::avg_pool2d(x, 3, 1, 1, None, None, None)
}

/// The norm of four.
pub(crate) fn lp_pool(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    pooling::lp_pool2d(x, 2.0, 2, None, None)
}

/// Zeros around the last axis.
pub(crate) fn pad(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    padding::constant_pad1d(x, 1, 1, None)
}

/// Rotary encoding of halves.
pub(crate) fn rotary_halves(x: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<Tensor> {
    movement::rotary_halves(x, cos, sin)
}

/// Rotary encoding of pairs.
pub(crate) fn rotary_pairs(x: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<Tensor> {
    movement::rotary_pairs(x, cos, sin)
}

/// One half, gated by the other.
#[tensor_op]
fn geglu_halves(x: Tensor![.., (half = 2, n)]) -> Tensor![.., n] {
    at(x, half = 0) * gelu(at(x, half = 1))
}

/// GeGLU on the halves of one tensor (Shazeer, 2020, arXiv 2002.05202).
pub(crate) fn geglu(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    geglu_halves(x)
}
