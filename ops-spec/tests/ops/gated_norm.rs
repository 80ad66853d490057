pub fn rms_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
    x * rsqrt(mean(x * x, n) + eps) * gamma
}

#[grad(x = grad * (sigmoid(x) + out * (1.0 - sigmoid(x))))]
pub fn silu(x: Tensor) -> Tensor {
    x * sigmoid(x)
}

/// Two ops, one kernel.
pub fn gated_norm(x: Tensor![.., d], gamma: Tensor![d], gate: Tensor![.., d]) -> Tensor![.., d] {
    self::rms_norm(x, gamma, n = d) * self::silu(gate)
}
