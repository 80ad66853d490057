use tensor_op::tensor_op;

pub mod deep {
    use tensor_op::tensor_op;

    #[tensor_op]
    pub fn squared(x: Tensor) -> Tensor {
        super::product(x, x)
    }
}

#[tensor_op]
pub fn product(x: Tensor, y: Tensor) -> Tensor {
    x * y
}

#[tensor_op]
pub fn scores(q: Tensor![.., t, d], k: Tensor![.., s, d]) -> Tensor![.., t, s] {
    sum(q * k, d) / sqrt(cast(len(d), float))
}
