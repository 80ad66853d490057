use tensor_op::prelude::*;

#[tensor_op]
pub fn rotate(x: Tensor![(half = 2, d)]) -> Tensor![(half = 3, d)] {
    x
}

fn main() {}
