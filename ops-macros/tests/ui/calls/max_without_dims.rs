use tensor_op::prelude::*;

#[tensor_op]
pub fn largest(x: Tensor![n]) -> Tensor![] {
    max(x)
}

fn main() {}
