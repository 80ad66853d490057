use tensor_op::prelude::*;

#[tensor_op]
pub fn tensor(x: Tensor) -> Tensor {
    x + 1
}

fn main() {}
