fn matmul_add_relu(lhs: Tensor![.., m, k], rhs: Tensor![.., k, n], bias: Tensor![n]) -> Tensor![.., m, n] {
    relu(sum(lhs * rhs, k) + bias)
}
