use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: Tensor) -> Tensor {
    let y = x * x;
    x + x
}

fn main() {}
