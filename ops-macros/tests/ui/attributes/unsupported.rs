use tensor_op::prelude::*;

#[tensor_op]
#[track_caller]
pub fn double(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
