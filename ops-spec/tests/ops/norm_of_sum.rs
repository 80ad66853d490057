pub fn add_rms_norm(
    x: Tensor![.., n],
    residual: Tensor![.., n],
    gamma: Tensor![n],
    #[default(1e-6)] eps: f64,
) -> (Tensor![.., n], Tensor![.., n]) {
    let s = x + residual;
    (s * rsqrt(mean(s * s, n) + eps) * gamma, s)
}

/// Both results of an op, in a matrix product.
pub fn norm_of_sum(
    x: Tensor![t, n],
    residual: Tensor![t, n],
    gamma: Tensor![n],
    weight: Tensor![n, m],
) -> (Tensor![t, m], Tensor![t, n]) {
    let (normed, s) = self::add_rms_norm(x, residual, gamma, 1e-5);
    (sum(normed * weight, n), s)
}
