use tensor_op::prelude::*;

use tensor_op::catalogue::nn;

#[tensor_op]
pub fn norm(x: Tensor![t, d], gamma: Tensor![d]) -> Tensor![t, d] {
    nn::rms_norm(x, x + gamma, n = d)
}

fn main() {}
