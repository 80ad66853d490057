use tensor_op::prelude::*;

#[tensor_op]
pub fn first(x: Tensor![n]) -> Tensor![] {
    x[0]
}

fn main() {}
