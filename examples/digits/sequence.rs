//! A network that reads an image row by row, as a sequence of eight tokens: one layer of a selective
//! state-space model, as in Mamba, and a classifier of what it has seen at the end.

use tensor_op::catalogue::scan::selective_scan;
use tensor_op::prelude::*;

const CHANNELS: usize = 64;
const STATES: usize = 8;

/// A token for each row of pixels.
#[tensor_op]
fn tokens(x: Tensor![n, (t = 8, i)], weight: Tensor![i, d], bias: Tensor![d]) -> Tensor![n, t, d] {
    silu(sum(x * weight, i) + bias)
}

/// How far each channel moves on at a token, and what a token writes to the state and reads from it.
#[tensor_op]
fn choices(
    u: Tensor![n, t, d],
    steps: Tensor![d, e],
    bias: Tensor![e],
    writes: Tensor![d, s],
    reads: Tensor![d, s],
) -> (Tensor![n, t, e], Tensor![n, t, s], Tensor![n, t, s]) {
    (softplus(sum(u * steps, d) + bias), sum(u * writes, d), sum(u * reads, d))
}

/// State `s` of a channel decays at rate `s + 1`.
#[tensor_op]
fn rates(channel: Tensor![d], s: usize) -> Tensor![d, s] {
    -(cast(iota(s), float) + 1.0) * channel
}

/// A layer over what the last token reads.
#[tensor_op]
fn classify(y: Tensor![n, t, d], weight: Tensor![d, o], bias: Tensor![o]) -> Tensor![n, o] {
    sum(at(y, t = len(t) - 1) * weight, d) + bias
}

/// The shape of each weight, and how many numbers are added up for each of its results.
pub(crate) const SHAPES: [(&[usize], usize); 5] = [
    (&[8, CHANNELS], 8),
    (&[CHANNELS, CHANNELS], CHANNELS),
    (&[CHANNELS, STATES], CHANNELS),
    (&[CHANNELS, STATES], CHANNELS),
    (&[CHANNELS, 10], CHANNELS),
];

/// The logits of images, given a weight and a bias for each layer.
pub(crate) fn logits(images: &Tensor, params: &[Tensor]) -> Result<Tensor> {
    let [w1, b1, steps, bias, writes, _, reads, _, w2, b2] = params else {
        unreachable!("five layers have ten parameters")
    };
    let u = tokens(images, w1, b1)?;
    let (delta, write, read) = choices(&u, steps, bias, writes, reads)?;
    let one = Tensor::ones([CHANNELS], images.dtype(), &images.device())?;
    let y = selective_scan(&u, delta, rates(&one, STATES)?, write, read, &one)?;
    classify(y, w2, b2)
}
