fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![b] {
    logsumexp(logits, v) - at(logits, v = target)
}
