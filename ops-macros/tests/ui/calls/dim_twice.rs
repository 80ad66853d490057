use tensor_op::prelude::*;

#[tensor_op]
pub fn total(x: Tensor![m, n]) -> Tensor![] {
    sum(x, (m, m, n))
}

fn main() {}
