use tensor_op::prelude::*;

#[tensor_op(tests = false, tests = true)]
pub fn double(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
