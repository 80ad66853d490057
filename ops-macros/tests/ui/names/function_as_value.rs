use tensor_op::prelude::*;

#[tensor_op]
pub fn act(x: Tensor) -> Tensor {
    x * sigmoid
}

fn main() {}
