use tensor_op::prelude::*;

use tensor_op::catalogue::nn;

#[tensor_op]
pub fn soft(x: Tensor) -> Tensor {
    nn::softmax(x)
}

fn main() {}
