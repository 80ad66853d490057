use tensor_op::prelude::*;

#[tensor_op]
pub fn step(x: Tensor) -> Tensor {
    x * cast(x > 0.0, float)
}

fn main() {}
