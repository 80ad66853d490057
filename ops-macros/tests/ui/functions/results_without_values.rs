use tensor_op::prelude::*;

#[tensor_op]
pub fn split(x: Tensor) -> (Tensor, Tensor) {
    x
}

fn main() {}
