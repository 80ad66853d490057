use tensor_op::prelude::*;

#[tensor_op]
pub fn fraction(x: Tensor) -> Tensor {
    x - floor(x)
}

fn main() {}
