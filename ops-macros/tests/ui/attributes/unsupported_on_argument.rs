use tensor_op::prelude::*;

#[tensor_op]
pub fn double(#[keep] x: Tensor) -> Tensor {
    x + x
}

fn main() {}
