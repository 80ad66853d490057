//! The ops of a small convolutional network, each declared as the formula that it is.

use tensor_op::prelude::*;

/// A 3x3 convolution with a bias, and the ReLU of it. The image keeps its size: outside there are zeros.
#[tensor_op]
fn conv_relu(
    x: Tensor![b, c, h, w],
    weight: Tensor![o, c, kh = 3, kw = 3],
    bias: Tensor![o],
) -> Tensor![b, o, h, w] {
    relu(sum(at(x, h = h + kh - 1, w = w + kw - 1, or = 0.0) * weight, (c, kh, kw)) + bias)
}

/// The largest of each 2x2 pixels.
#[tensor_op]
fn halve(x: Tensor![b, c, (h, p = 2), (w, q = 2)]) -> Tensor![b, c, h, w] {
    max(x, (p, q))
}

/// An image of one channel from a row of pixels.
#[tensor_op]
fn image(x: Tensor![b, (h = 8, w = 8)], channel: Tensor![c]) -> Tensor![b, c, h, w] {
    x * channel
}

/// A layer over all pixels.
#[tensor_op]
fn classify(x: Tensor![b, c, h, w], weight: Tensor![(c, h, w), o], bias: Tensor![o]) -> Tensor![b, o] {
    sum(x * weight, (c, h, w)) + bias
}

/// The shape of each weight, and how many numbers are added up for each of its results.
pub(crate) const SHAPES: [(&[usize], usize); 3] =
    [(&[24, 1, 3, 3], 9), (&[48, 24, 3, 3], 24 * 9), (&[48 * 2 * 2, 10], 48 * 2 * 2)];

/// The logits of images, given a weight and a bias for each layer.
pub(crate) fn logits(images: &Tensor, params: &[Tensor]) -> Result<Tensor> {
    let [w1, b1, w2, b2, w3, b3] = params else { unreachable!("three layers have six parameters") };
    let x = image(images, Tensor::ones([1], images.dtype(), &images.device())?)?;
    let x = halve(conv_relu(x, w1, b1)?)?;
    let x = halve(conv_relu(x, w2, b2)?)?;
    classify(x, w3, b3)
}
