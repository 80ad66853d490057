use tensor_op::prelude::*;

#[tensor_op]
pub fn power(x: Tensor) -> Tensor {
    pow(x)
}

fn main() {}
