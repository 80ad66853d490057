fn outer(x: Tensor![m], y: Tensor![n]) -> Tensor![n, m] {
    x * y
}
