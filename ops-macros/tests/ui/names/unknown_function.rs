use tensor_op::prelude::*;

#[tensor_op]
pub fn act(x: Tensor) -> Tensor {
    sigmod(x)
}

fn main() {}
