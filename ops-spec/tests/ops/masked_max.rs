fn masked_max(x: Tensor![.., n], keep: BoolTensor![n]) -> (Tensor, IntTensor) {
    let kept = select(keep, x, -INFINITY);
    (max(kept, n), argmax(stop_grad(kept), n))
}
