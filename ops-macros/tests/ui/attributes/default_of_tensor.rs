use tensor_op::prelude::*;

#[tensor_op]
pub fn double(#[default(1.0)] x: Tensor) -> Tensor {
    x + x
}

fn main() {}
