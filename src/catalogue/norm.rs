//! Normalization by statistics of the tensor itself, or by running statistics. Names and arguments are those
//! of `torch.nn.functional`; channels are axis 1.
//!
//! Layer norm and root-mean-square norm are in [`nn`](super::nn).
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![3.0, 4.0], [1, 2], &Device::default())?;
//! assert_eq!(x.normalize(-1, None)?.to_vec::<f64>()?, [0.6, 0.8]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Divides by the Euclidean norm along an axis, at least by `eps`. `torch.nn.functional.normalize`.
#[tensor_op(method(inherent))]
pub fn normalize(input: Tensor, dim: Axis, #[default(1e-12)] eps: f64) -> Tensor {
    input / maximum(norm(input, dim), eps)
}

/// Normalizes each channel over the batch and all positions, as in training. The second and the third result
/// are the mean and the variance (divided by the number of elements), of which
/// [`optim::ema`](super::optim::ema) makes running statistics.
/// `torch.nn.functional.batch_norm(training=True)`.
#[tensor_op]
pub fn batch_norm_train(
    input: Tensor![b, c, ..],
    weight: Option<Tensor![c]>,
    bias: Option<Tensor![c]>,
    #[default(1e-5)] eps: f64,
) -> (Tensor![b, c, ..], Tensor![c], Tensor![c]) {
    let mu = mean(input, (b, ..));
    let centered = input - mu;
    let variance = mean(square(centered), (b, ..));
    let y = centered * rsqrt(variance + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0);
    (y, stop_grad(mu), stop_grad(variance))
}

/// Normalizes each channel by running statistics, as in evaluation.
/// `torch.nn.functional.batch_norm(training=False)`.
#[tensor_op]
pub fn batch_norm(
    input: Tensor![b, c, ..],
    #[no_grad] running_mean: Tensor![c],
    #[no_grad] running_var: Tensor![c],
    weight: Option<Tensor![c]>,
    bias: Option<Tensor![c]>,
    #[default(1e-5)] eps: f64,
) -> Tensor![b, c, ..] {
    (input - running_mean) * rsqrt(running_var + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0)
}

/// Normalizes each channel of each sample over all positions. `torch.nn.functional.instance_norm`.
#[tensor_op]
pub fn instance_norm(
    input: Tensor![b, c, ..],
    weight: Option<Tensor![c]>,
    bias: Option<Tensor![c]>,
    #[default(1e-5)] eps: f64,
) -> Tensor![b, c, ..] {
    let centered = input - mean(input, ..);
    centered * rsqrt(mean(square(centered), ..) + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0)
}

/// Normalizes each of several groups of channels over its channels and positions.
/// `torch.nn.functional.group_norm`.
#[tensor_op]
pub fn group_norm(
    input: Tensor![b, (num_groups, c), ..],
    num_groups: usize,
    weight: Option<Tensor![(num_groups, c)]>,
    bias: Option<Tensor![(num_groups, c)]>,
    #[default(1e-5)] eps: f64,
) -> Tensor![b, (num_groups, c), ..] {
    let centered = input - mean(input, (c, ..));
    centered * rsqrt(mean(square(centered), (c, ..)) + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0)
}

/// Divides by a power of the mean square over `size` neighbouring channels, at least 1.
/// `torch.nn.functional.local_response_norm`.
///
/// Source: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012.
#[tensor_op]
pub fn local_response_norm(
    input: Tensor![b, c, ..],
    size: usize,
    #[default(1e-4)] alpha: f64,
    #[default(0.75)] beta: f64,
    #[default(1.0)] k: f64,
) -> Tensor![b, c, ..] {
    let near = at(square(input), c = c + iota(size) - size / 2, or = 0.0);
    input / pow(k + alpha * mean(near, size), beta)
}

/// A weight as a direction and a length for each row. `torch.nn.utils.weight_norm`.
///
/// Source: Salimans and Kingma, Weight Normalization, 2016.
#[tensor_op]
pub fn weight_norm(v: Tensor![o, i], g: Tensor![o]) -> Tensor![o, i] {
    v * (g / norm(v, i))
}
