use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: Tensor) -> Tensor {
    return x + x;
}

fn main() {}
