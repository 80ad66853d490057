use tensor_op::prelude::*;

#[tensor_op]
pub fn double<T: ?Sized>(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
