use tensor_op::prelude::*;

#[tensor_op]
pub fn split(x: Tensor![(half = 2, d)], half: usize) -> Tensor![half, d] {
    x
}

fn main() {}
