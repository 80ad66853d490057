//! What mixes tokens without attention.

use tensor_op::prelude::*;

/// Mamba-2's scan: the state of each head, channels by `n`, decays by one number for each token.
///
/// Paper: Dao and Gu, *Transformers are SSMs: Generalized Models and Efficient Algorithms Through Structured
/// State Space Duality*, 2024, arXiv:2405.21060.
#[tensor_op]
pub(crate) fn mamba2(
    x: Tensor![b, t, h, p],
    dt: Tensor![b, t, h],
    a: Tensor![h],
    key: Tensor![b, t, n],
    query: Tensor![b, t, n],
) -> Tensor![b, t, h, p] {
    let state = linear_recurrence(exp(a * dt), dt * x * key, t);
    sum(state * query, n)
}

/// RWKV-6, "Finch": the state is a matrix, and each of its rows decays by a number that depends on the token.
/// The newest token counts by `bonus` instead.
///
/// Paper: Peng and others, *Eagle and Finch: RWKV with Matrix-Valued States and Dynamic Recurrence*, 2024,
/// arXiv:2404.05892.
#[tensor_op]
pub(crate) fn rwkv6(
    query: Tensor![b, t, k],
    key: Tensor![b, t, k],
    value: Tensor![b, t, e],
    decay: Tensor![b, t, k],
    bonus: Tensor![k],
) -> Tensor![b, t, e] {
    let state = linear_recurrence(exp(-exp(decay)), key * value, t);
    sum(query * (at(state, t = t - 1, or = 0.0) + bonus * key * value), k)
}

/// The real part of the Fourier transform over tokens and channels. As a formula it is two products with
/// waves; for the fast algorithm there is `tensor_op::fft`.
///
/// Paper: Lee-Thorp, Ainslie, Eckstein and Ontanon, *FNet: Mixing Tokens with Fourier Transforms*, 2021,
/// arXiv:2105.03824.
#[tensor_op]
pub(crate) fn fourier_mixing(x: Tensor![.., n, d]) -> Tensor![.., u = n, v = d] {
    let along_n = 2.0 * PI * cast(iota(n) * iota(u) % len(n), float) / len(n);
    let along_d = 2.0 * PI * cast(iota(d) * iota(v) % len(d), float) / len(d);
    let real = sum(x * cos(along_d), d);
    let imaginary = sum(x * sin(along_d), d);
    sum(real * cos(along_n), n) - sum(imaginary * sin(along_n), n)
}
