fn max_pool(x: Tensor![b, n], k: usize, stride: usize, #[default(0)] pad: usize) -> Tensor![b, l = (n + 2 * pad - k) / stride + 1] {
    max(at(x, n = l * stride + iota(k) - pad, or = -INFINITY), k)
}
