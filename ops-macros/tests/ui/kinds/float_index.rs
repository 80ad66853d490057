use tensor_op::prelude::*;

#[tensor_op]
pub fn middle(x: Tensor![n]) -> Tensor![] {
    at(x, n = len(n) * 0.5)
}

fn main() {}
