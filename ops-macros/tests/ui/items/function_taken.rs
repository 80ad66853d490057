use tensor_op::prelude::*;

pub fn double() {}

#[tensor_op]
pub fn double(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
