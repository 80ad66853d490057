use tensor_op::prelude::*;

#[tensor_op]
pub fn double<'a>(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
