use tensor_op::prelude::*;

#[tensor_op]
pub fn average(x: Tensor![m, n]) -> Tensor![m] {
    mean(x, -1)
}

fn main() {}
