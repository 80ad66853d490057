fn span(x: NumTensor![.., n]) -> NumTensor {
    max(x, n) - min(x, n)
}
