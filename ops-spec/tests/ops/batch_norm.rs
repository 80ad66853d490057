fn batch_norm(x: Tensor![b, c, h, w], gamma: Tensor![c], beta: Tensor![c], eps: f64) -> Tensor![b, c, h, w] {
    (x - mean(x, (b, h, w))) * rsqrt(var(x, (b, h, w)) + eps) * gamma + beta
}
