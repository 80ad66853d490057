fn linear(x: Tensor![.., i], weight: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![.., o] {
    sum(x * weight, i) + bias.unwrap_or(0.0)
}
