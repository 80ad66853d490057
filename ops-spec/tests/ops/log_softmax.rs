fn log_softmax_of(x: Tensor![.., n]) -> Tensor![.., n] {
    log_softmax(x, n)
}
