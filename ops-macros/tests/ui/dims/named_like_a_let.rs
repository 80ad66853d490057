use tensor_op::prelude::*;

#[tensor_op]
pub fn count(x: Tensor![n]) -> Tensor![] {
    let n = sum(x, n);
    n
}

fn main() {}
