use tensor_op::prelude::*;

#[tensor_op]
pub async fn double(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
