use tensor_op::prelude::*;

#[tensor_op]
pub fn name(x: Tensor) -> Tensor {
    x + "one"
}

fn main() {}
