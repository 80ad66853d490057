use tensor_op::prelude::*;

#[tensor_op]
pub fn scale(x: Tensor, count: i32) -> Tensor {
    x * cast(count, float)
}

fn main() {}
