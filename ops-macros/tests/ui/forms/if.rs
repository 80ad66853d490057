use tensor_op::prelude::*;

#[tensor_op]
pub fn relu(x: Tensor) -> Tensor {
    if x > 0.0 { x } else { 0.0 }
}

fn main() {}
