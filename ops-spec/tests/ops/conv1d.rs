fn conv1d(
    x: Tensor![b, c, n],
    weight: Tensor![o, c, k],
    #[default(1)] stride: usize,
    #[default(0)] pad: usize,
) -> Tensor![b, o, l = (n + 2 * pad - k) / stride + 1] {
    sum(at(x, n = l * stride + k - pad, or = 0.0) * weight, (c, k))
}
