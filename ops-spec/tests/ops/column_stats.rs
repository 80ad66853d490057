fn column_stats(x: Tensor![b, n]) -> (Tensor![n], Tensor![n]) {
    (sum(x, b), sum(x * x, b))
}
