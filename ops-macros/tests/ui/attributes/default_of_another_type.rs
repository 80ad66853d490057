use tensor_op::prelude::*;

#[tensor_op]
pub fn total(x: Tensor, #[default(1.5)] axis: Axis) -> Tensor {
    sum(x, axis)
}

fn main() {}
