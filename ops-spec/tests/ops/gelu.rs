fn gelu_of(x: Tensor) -> Tensor {
    gelu(x)
}
