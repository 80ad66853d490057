use tensor_op::prelude::*;

#[tensor_op]
pub fn diagonal(x: Tensor![n, n]) -> Tensor![n] {
    x
}

fn main() {}
