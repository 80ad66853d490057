//! Norms of groups of channels, and of neighbouring ones.

use crate::tensor_op;

/// Normalizes each of several groups of channels over its channels and positions.
/// `torch.nn.functional.group_norm`.
#[tensor_op(method(inherent))]
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
#[tensor_op(method(inherent))]
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
