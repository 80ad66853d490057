use tensor_op::prelude::*;

#[tensor_op]
pub fn act(x: Tensor, y: Tensor) -> Tensor {
    exp(x, y)
}

fn main() {}
