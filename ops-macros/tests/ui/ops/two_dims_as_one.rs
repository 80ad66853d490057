use tensor_op::prelude::*;

use tensor_op::catalogue::nn;

#[tensor_op]
pub fn gram(x: Tensor![m, n]) -> Tensor![m] {
    nn::matmul(x, x, m = m, k = n, n = m)
}

fn main() {}
