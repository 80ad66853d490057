use tensor_op::prelude::*;

#[tensor_op]
pub fn split(x: Tensor![(g, c), w]) -> Tensor![g, c, w] {
    x
}

fn main() {}
