use tensor_op::prelude::*;

#[tensor_op]
pub fn twice(x: Tensor) -> Tensor {
    add(x, x)
}

fn main() {}
