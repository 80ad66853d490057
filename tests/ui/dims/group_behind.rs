use tensor_op::prelude::*;

#[tensor_op]
pub fn first(x: Tensor![n, ..]) -> Tensor![.., n] {
    x
}

fn main() {}
