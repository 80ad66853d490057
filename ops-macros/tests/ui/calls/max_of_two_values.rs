use tensor_op::prelude::*;

#[tensor_op]
pub fn larger(x: Tensor, y: Tensor) -> Tensor {
    x.max(y)
}

fn main() {}
