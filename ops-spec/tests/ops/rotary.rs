fn rotary(x: Tensor![.., t, (half = 2, d)], cos: Tensor![t, d], sin: Tensor![t, d]) -> Tensor![.., t, (half, d)] {
    let other = at(x, half = 1 - iota(half));
    x * cos + select(iota(half) == 0, -other, other) * sin
}
