//! What replaces vectors by the nearest of a few.

use tensor_op::prelude::*;

/// The bottleneck of a VQ-VAE: the nearest vector of the codebook, its place, and the loss of both. The
/// gradient passes straight through to `x`.
///
/// Paper: van den Oord, Vinyals and Kavukcuoglu, *Neural Discrete Representation Learning*, 2017,
/// arXiv:1711.00937.
#[tensor_op]
pub(crate) fn vector_quantize(
    x: Tensor![n, d],
    codebook: Tensor![k, d],
) -> (Tensor![n, d], IntTensor![n], Tensor![n]) {
    let code = argmin(stop_grad(sum(square(codebook), d) - 2.0 * sum(x * codebook, d)), k);
    let nearest = at(codebook, k = code);
    let pull = mean(square(stop_grad(x) - nearest), d);
    let commit = mean(square(x - stop_grad(nearest)), d);
    (x + stop_grad(nearest - x), code, pull + 0.25 * commit)
}

/// A step of k-means: each center moves to the mean of the points that are nearest to it.
///
/// Paper: Lloyd, *Least Squares Quantization in PCM*, IEEE Transactions on Information Theory 28, 1982.
#[tensor_op]
pub(crate) fn k_means_step(x: Tensor![n, d], centers: Tensor![k, d]) -> Tensor![k, d] {
    let nearest = argmin(stop_grad(sum(square(centers), d) - 2.0 * sum(x * centers, d)), k);
    let count = scatter_add(1, n, k = nearest);
    select(count > 0, scatter_mean(x, n, k = nearest), centers)
}
