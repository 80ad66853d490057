use tensor_op::prelude::*;

#[tensor_op]
pub fn accumulate(x: Tensor) -> Tensor {
    x += 1.0;
    x
}

fn main() {}
