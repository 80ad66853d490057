use tensor_op::prelude::*;

fn double(x: f64) -> f64 {
    x + x
}

#[tensor_op]
pub fn act(x: Tensor) -> Tensor {
    self::double(x)
}

fn main() {}
