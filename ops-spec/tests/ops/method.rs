/// Each row by its norm, as a method of tensors.
#[tensor_op(method)]
pub fn unit(x: Tensor![.., n], #[default(1e-12)] eps: f64) -> Tensor![.., n] {
    x / maximum(norm(x, n), eps)
}
