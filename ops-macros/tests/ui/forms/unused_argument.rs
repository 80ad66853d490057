use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: Tensor, y: Tensor) -> Tensor {
    x + x
}

fn main() {}
