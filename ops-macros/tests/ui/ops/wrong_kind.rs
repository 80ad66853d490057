use tensor_op::prelude::*;

use tensor_op::catalogue::nn;

#[tensor_op]
pub fn rows(table: Tensor![v, d], x: Tensor![t]) -> Tensor![t, d] {
    nn::embedding(table, x)
}

fn main() {}
