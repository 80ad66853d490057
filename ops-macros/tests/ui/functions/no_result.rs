use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: Tensor) {
    x + x
}

fn main() {}
