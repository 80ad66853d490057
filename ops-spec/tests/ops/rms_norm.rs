fn rms_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
    x * rsqrt(mean(x * x, n) + eps) * gamma
}
