use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: Tensor<f32>) -> Tensor {
    x + x
}

fn main() {}
