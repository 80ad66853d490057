use tensor_op::prelude::*;

#[tensor_op]
pub fn double<T>(x: T) -> Tensor {
    x + x
}

fn main() {}
