//! The declared ops of the network. Each is one formula; its kernels, gradients and nodes in Burn's autodiff
//! are generated.

use tensor_op::tensor_op;

/// Root-mean-square norm over the last axis.
#[tensor_op(burn)]
pub fn rms_norm(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] {
    x * rsqrt(mean(x * x, n) + 1e-6) * gamma
}

/// The gate of SwiGLU.
#[tensor_op(burn)]
pub fn swiglu(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gate)
}

/// Rotary embedding of positions: each pair of features is turned by an angle that grows with the position.
#[tensor_op(burn)]
pub fn rotary(x: Tensor![.., t, (half = 2, d)], #[default(100.0)] base: f64) -> Tensor![.., t, (half, d)] {
    let angle = cast(iota(t), float) * pow(base, -cast(iota(d), float) / cast(len(d), float));
    let other = select(iota(half) == 0, -1.0, 1.0) * at(x, half = 1 - iota(half));
    x * cos(angle) + other * sin(angle)
}

/// Scaled dot-product attention; batch and heads come first.
#[tensor_op(burn)]
pub fn attention(q: Tensor![.., t, d], k: Tensor![.., s, d], v: Tensor![.., s, e]) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(scores, s) * v, s)
}

/// Cross-entropy of logits against classes, averaged over the batch.
#[tensor_op(burn)]
pub fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![] {
    mean(logsumexp(logits, v) - at(logits, v = target), b)
}

/// The op that the Burn Book's chapter on backend extensions writes by hand.
#[tensor_op(burn)]
pub fn fused_matmul_add_relu(
    lhs: Tensor![.., m, k],
    rhs: Tensor![.., k, n],
    bias: Tensor![.., m, n],
) -> Tensor![.., m, n] {
    relu(sum(lhs * rhs, k) + bias)
}
