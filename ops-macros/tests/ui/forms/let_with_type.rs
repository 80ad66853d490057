use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: Tensor) -> Tensor {
    let y: Tensor = x + x;
    y
}

fn main() {}
