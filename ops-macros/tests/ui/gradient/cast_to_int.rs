use tensor_op::prelude::*;

#[tensor_op]
pub fn truncate(x: Tensor) -> Tensor {
    cast(cast(x, int), float)
}

fn main() {}
