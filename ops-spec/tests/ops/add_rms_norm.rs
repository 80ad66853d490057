fn add_rms_norm(x: Tensor![.., n], residual: Tensor![.., n], gamma: Tensor![n], eps: f64) -> (Tensor![.., n], Tensor![.., n]) {
    let s = x + residual;
    (s * rsqrt(mean(s * s, n) + eps) * gamma, s)
}
