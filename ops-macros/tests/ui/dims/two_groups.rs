use tensor_op::prelude::*;

#[tensor_op]
pub fn both(x: Tensor![.., n, ..]) -> Tensor![.., n] {
    x
}

fn main() {}
