use tensor_op::prelude::*;

#[tensor_op]
pub fn split(x: Tensor![(a, (b, c))], a: usize) -> Tensor![a, b, c] {
    x
}

fn main() {}
