use tensor_op::prelude::*;

#[tensor_op]
pub fn spread(x: Tensor) -> Tensor {
    recip(trigamma(x))
}

fn main() {}
