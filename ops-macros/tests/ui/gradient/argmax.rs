use tensor_op::prelude::*;

#[tensor_op]
pub fn best(x: Tensor![m, n]) -> Tensor![m] {
    at(x, n = argmax(x, n))
}

fn main() {}
