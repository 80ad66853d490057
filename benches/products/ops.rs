//! The ops that are measured, as a user declares them.

use tensor_op::prelude::*;

/// A product of matrices in memory order.
#[tensor_op]
pub fn product(x: Tensor![.., m, k], y: Tensor![.., k, n]) -> Tensor![.., m, n] {
    sum(x * y, k)
}

/// The left factor lies transposed.
#[tensor_op]
pub fn left_transposed(x: Tensor![.., k, m], y: Tensor![.., k, n]) -> Tensor![.., m, n] {
    sum(x * y, k)
}

/// The right factor lies transposed, as the weight of a linear layer.
#[tensor_op]
pub fn right_transposed(x: Tensor![.., m, k], y: Tensor![.., n, k]) -> Tensor![.., m, n] {
    sum(x * y, k)
}

/// A linear layer with an activation.
#[tensor_op]
pub fn linear_gelu(x: Tensor![b, i], weight: Tensor![o, i], bias: Tensor![o]) -> Tensor![b, o] {
    gelu(sum(x * weight, i) + bias)
}

/// The network of a block of Llama (Shazeer, 2020, arXiv 2002.05202).
#[tensor_op]
pub fn swiglu(
    x: Tensor![b, i],
    gate: Tensor![h, i],
    up: Tensor![h, i],
    down: Tensor![i, h],
) -> Tensor![b, i] {
    let g = sum(x * gate, i);
    sum(silu(g) * sum(x * up, i) * down, h)
}

/// Scaled dot-product attention.
#[tensor_op]
pub fn full(q: Tensor![b, h, t, d], k: Tensor![b, h, s, d], v: Tensor![b, h, s, e]) -> Tensor![b, h, t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(scores, s) * v, s)
}

/// Attention to what came before.
#[tensor_op]
pub fn causal(q: Tensor![b, h, t, d], k: Tensor![b, h, s, d], v: Tensor![b, h, s, e]) -> Tensor![b, h, t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * v, s)
}

/// Attention to the last 512 positions, Mistral's window (Jiang et al., 2023, arXiv 2310.06825).
#[tensor_op]
pub fn window(q: Tensor![b, h, t, d], k: Tensor![b, h, s, d], v: Tensor![b, h, s, e]) -> Tensor![b, h, t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    let kept = iota(s) <= iota(t) && iota(t) - iota(s) < 512;
    sum(softmax(select(kept, scores, -INFINITY), s) * v, s)
}

/// Causal attention with a slope for each of 16 heads (Press et al., 2021, arXiv 2108.12409).
#[tensor_op]
pub fn alibi(q: Tensor![b, h, t, d], k: Tensor![b, h, s, d], v: Tensor![b, h, s, e]) -> Tensor![b, h, t, e] {
    let slope = exp2(-0.5 * cast(iota(h) + 1, float));
    let scores = sum(q * k, d) / sqrt(cast(len(d), float)) + slope * cast(iota(s) - iota(t), float);
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * v, s)
}

/// Capped scores, as in Gemma 2 (2024, arXiv 2408.00118).
#[tensor_op]
pub fn capped(q: Tensor![b, h, t, d], k: Tensor![b, h, s, d], v: Tensor![b, h, s, e]) -> Tensor![b, h, t, e] {
    let scores = 20.0 * tanh(sum(q * k, d) / sqrt(cast(len(d), float)) / 20.0);
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * v, s)
}

/// Causal attention in which four heads of queries share a head of keys (Ainslie et al., 2023, arXiv
/// 2305.13245).
#[tensor_op]
pub fn grouped(
    q: Tensor![b, h, g, t, d],
    k: Tensor![b, h, s, d],
    v: Tensor![b, h, s, e],
) -> Tensor![b, h, g, t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * v, s)
}
