fn group_norm(x: Tensor![b, (g, c), h, w], g: usize, eps: f64) -> Tensor![b, (g, c), h, w] {
    let centered = x - mean(x, (c, h, w));
    centered * rsqrt(mean(centered * centered, (c, h, w)) + eps)
}
