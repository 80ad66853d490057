use tensor_op::prelude::*;

#[tensor_op]
pub fn turn(x: Tensor) -> Tensor {
    x * std::f64::consts::PI
}

fn main() {}
