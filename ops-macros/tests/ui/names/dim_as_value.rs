use tensor_op::prelude::*;

#[tensor_op]
pub fn mean_of(x: Tensor![n]) -> Tensor![] {
    sum(x, n) / n
}

fn main() {}
