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
