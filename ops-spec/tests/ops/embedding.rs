fn embedding(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] {
    at(weight, v = ids)
}
