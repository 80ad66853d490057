//! The ops of a small state-space model, which reads an image row by row.

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
    sum(state * read, s)
}

/// A layer over the channels at all times.
#[tensor_op]
fn classify(x: Tensor![b, t, d], weight: Tensor![(t, d), o], bias: Tensor![o]) -> Tensor![b, o] {
    sum(x * weight, (t, d)) + bias
}

/// The shape of each weight, and how many numbers are added up for each of its results.
pub(crate) const SHAPES: [(&[usize], usize); 5] = [
    (&[8, CHANNELS], 8),
    (&[CHANNELS, CHANNELS], CHANNELS),
    (&[CHANNELS, STATES], CHANNELS),
    (&[CHANNELS, STATES], CHANNELS),
    (&[8 * CHANNELS, 10], 8 * CHANNELS),
];

/// The logits of images, given a weight and a bias for each layer.
pub(crate) fn logits(images: &Tensor, params: &[Tensor]) -> Result<Tensor> {
    let [w1, b1, w2, b2, w3, b3, w4, b4, w5, b5] = params else {
        unreachable!("five layers have ten parameters")
    };
    let u = rows(images, w1, b1)?;
    let (write, read) = (project(&u, w3, b3)?, project(&u, w4, b4)?);
    classify(scan(&u, project(&u, w2, b2)?, write, read)?, w5, b5)
}
