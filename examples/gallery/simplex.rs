//! What gives probabilities.

use tensor_op::prelude::*;

/// The nearest probabilities to the scores: many of them are 0.
///
/// Paper: Martins and Astudillo, *From Softmax to Sparsemax: A Sparse Model of Attention and Multi-Label
/// Classification*, 2016, arXiv:1602.02068.
#[tensor_op]
pub(crate) fn sparsemax(x: Tensor![.., n]) -> Tensor![.., n] {
    let z = sort(x, n, descending = true);
    let kept = cast(iota(n) + 1, float) * z > cumsum(z, n) - 1.0;
    let count = sum(select(kept, 1.0, 0.0), n);
    let threshold = (sum(select(kept, z, 0.0), n) - 1.0) / count;
    maximum(x - threshold, 0.0)
}

/// Half-way from softmax to sparsemax: smooth, and 0 for scores that are far behind.
///
/// Paper: Peters, Niculae and Martins, *Sparse Sequence-to-Sequence Models*, 2019, arXiv:1905.05702.
#[tensor_op]
pub(crate) fn entmax15(x: Tensor![.., n]) -> Tensor![.., n] {
    let half = (x - stop_grad(max(x, n))) / 2.0;
    let z = sort(half, n, descending = true);
    let count = cast(iota(n) + 1, float);
    let average = cumsum(z, n) / count;
    let rest = (1.0 - cumsum(square(z), n)) / count + square(average);
    let threshold = average - sqrt(maximum(rest, 1e-12));
    let kept = sum(cast(stop_grad(threshold) <= stop_grad(z), int), n);
    square(maximum(half - at(threshold, n = kept - 1), 0.0))
}

/// One step of Sinkhorn's iteration for optimal transport, with logarithms. The plan is
/// `exp((f + g - cost) / eps)`. A loop around the step is Rust.
///
/// Paper: Cuturi, *Sinkhorn Distances: Lightspeed Computation of Optimal Transport*, 2013, arXiv:1306.0895.
#[tensor_op]
pub(crate) fn sinkhorn_step(
    cost: Tensor![n, m],
    log_a: Tensor![n],
    log_b: Tensor![m],
    g: Tensor![m],
    #[default(0.05)] eps: f64,
) -> (Tensor![n], Tensor![m]) {
    let f = eps * (log_a - logsumexp((g - cost) / eps, m));
    (f, eps * (log_b - logsumexp((f - cost) / eps, n)))
}
