//! Attention, and what surrounds it in a transformer.

use tensor_op::prelude::*;

/// Rotary positions in a picture: half of the channels turn with the row, the other half with the column.
///
/// Paper: Heo, Park, Han and Yun, *Rotary Position Embedding for Vision Transformer*, 2024, arXiv:2403.13298.
#[tensor_op]
pub(crate) fn axial_rotary(
    x: Tensor![.., h, w, (axis = 2, f, pair = 2)],
    #[default(100.0)] base: f64,
) -> Tensor![.., h, w, (axis, f, pair)] {
    let place = cast(select(iota(axis) == 0, iota(h), iota(w)), float);
    let angle = place * pow(base, -cast(iota(f), float) / len(f));
    let other = at(x, pair = 1 - pair);
    x * cos(angle) + select(iota(pair) == 0, -other, other) * sin(angle)
}

/// Causal attention with a gate on each channel of its result, which makes it sparse and removes the sink on
/// the first token.
///
/// Paper: Qiu and others, *Gated Attention for Large Language Models: Non-linearity, Sparsity, and
/// Attention-Sink-Free*, 2025, arXiv:2505.06708.
#[tensor_op]
pub(crate) fn gated_attention(
    q: Tensor![.., t, d],
    k: Tensor![.., s, d],
    v: Tensor![.., s, e],
    gate: Tensor![.., t, e],
) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) * rsqrt(cast(len(d), float));
    let weights = softmax(select(iota(s) <= iota(t), scores, -INFINITY), s);
    sum(weights * v, s) * sigmoid(gate)
}

/// The difference of two causal attentions: what both see is noise, and cancels.
///
/// Paper: Ye and others, *Differential Transformer*, 2024, arXiv:2410.05258.
#[tensor_op]
pub(crate) fn differential_attention(
    q: Tensor![.., t, (half = 2, d)],
    k: Tensor![.., s, (half = 2, d)],
    v: Tensor![.., s, e],
    lambda: Tensor![],
) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) * rsqrt(cast(len(d), float));
    let weights = softmax(select(iota(s) <= iota(t), scores, -INFINITY), s);
    sum((at(weights, half = 0) - lambda * at(weights, half = 1)) * v, s)
}

/// Causal attention without a softmax: each weight is a sigmoid, lowered by the logarithm of how many keys
/// there are.
///
/// Paper: Ramapuram and others, *Theory, Analysis, and Best Practices for Sigmoid Self-Attention*, 2024,
/// arXiv:2409.04431.
#[tensor_op]
pub(crate) fn sigmoid_attention(
    q: Tensor![.., t, d],
    k: Tensor![.., s, d],
    v: Tensor![.., s, e],
) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) * rsqrt(cast(len(d), float));
    let weights = sigmoid(scores - ln(cast(len(s), float)));
    sum(select(iota(s) <= iota(t), weights, 0.0) * v, s)
}

/// What stands in place of a normalization: a `tanh` whose slope is learned. It needs no statistics.
///
/// Paper: Zhu, Chen, He, LeCun and Liu, *Transformers without Normalization*, 2025, arXiv:2503.10622.
#[tensor_op]
pub(crate) fn dynamic_tanh(
    x: Tensor![.., n],
    alpha: Tensor![],
    gamma: Tensor![n],
    beta: Tensor![n],
) -> Tensor![.., n] {
    gamma * tanh(alpha * x) + beta
}
