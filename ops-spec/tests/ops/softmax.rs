fn softmax(x: Tensor, axis: Axis) -> Tensor {
    let e = exp(x - stop_grad(max(x, axis)));
    e / sum(e, axis)
}
