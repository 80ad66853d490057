use tensor_op::prelude::*;

#[tensor_op]
pub fn nothing(x: Tensor) -> Tensor {}

fn main() {}
