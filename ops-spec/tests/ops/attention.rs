fn attention(q: Tensor![.., t, d], k: Tensor![.., s, d], v: Tensor![.., s, e]) -> Tensor![.., t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(scores, s) * v, s)
}
