use tensor_op::prelude::*;

#[tensor_op]
pub fn matvec(x: Tensor![m, k], y: Tensor![k]) -> Tensor![m, k] {
    sum(x * y, k)
}

fn main() {}
