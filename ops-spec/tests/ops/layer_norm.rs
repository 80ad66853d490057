fn layer_norm(x: Tensor![.., n], gamma: Tensor![n], beta: Tensor![n], #[default(1e-5)] eps: f64) -> Tensor![.., n] {
    let mu = mean(x, n);
    let rstd = rsqrt(var(x, n) + eps);
    (x - mu) * rstd * gamma + beta
}
