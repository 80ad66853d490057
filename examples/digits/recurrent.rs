//! The ops of a small state-space model, which reads an image row by row and tells the digit after the last
//! one.

use tensor_op::prelude::*;

const CHANNELS: usize = 64;
const STATES: usize = 8;

/// What is read of each row of the image.
#[tensor_op]
fn rows(x: Tensor![b, (t = 8, p = 8)], weight: Tensor![p, d], bias: Tensor![d]) -> Tensor![b, t, d] {
    silu(sum(x * weight, p) + bias)
}

/// A layer at each time.
#[tensor_op]
fn project(x: Tensor![b, t, d], weight: Tensor![d, s], bias: Tensor![s]) -> Tensor![b, t, s] {
    sum(x * weight, d) + bias
}

/// The selective scan of Mamba: the step, what goes into the states and what comes out of them depend on the
/// input. The states of a channel decay at the rates 1, 2, .., times the step.
#[tensor_op]
fn scan(
    u: Tensor![b, t, d],
    step: Tensor![b, t, d],
    write: Tensor![b, t, s],
    read: Tensor![b, t, s],
) -> Tensor![b, t, d] {
    let delta = softplus(step - 2.0);
    let decay = exp(-delta * cast(iota(s) + 1, float));
    let state = linear_recurrence(decay, delta * write * u, t);
    sum(state * read, s) + u
}

/// A layer over the channels at the last time.
#[tensor_op]
fn classify_last(x: Tensor![b, t, d], weight: Tensor![d, o], bias: Tensor![o]) -> Tensor![b, o] {
    sum(at(x, t = len(t) - 1) * weight, d) + bias
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
    let [w1, b1, w2, b2, w3, b3, w4, b4, w5, b5] = params else {
        unreachable!("five layers have ten parameters")
    };
    let u = rows(images, w1, b1)?;
    let (write, read) = (project(&u, w3, b3)?, project(&u, w4, b4)?);
    classify_last(scan(&u, project(&u, w2, b2)?, write, read)?, w5, b5)
}
