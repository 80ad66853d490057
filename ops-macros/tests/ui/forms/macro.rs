use tensor_op::prelude::*;

#[tensor_op]
pub fn checked(x: Tensor) -> Tensor {
    assert!(x > 0.0);
    x
}

fn main() {}
