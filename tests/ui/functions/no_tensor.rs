use tensor_op::prelude::*;

#[tensor_op]
pub fn double(x: f64) -> Tensor {
    x + x
}

fn main() {}
