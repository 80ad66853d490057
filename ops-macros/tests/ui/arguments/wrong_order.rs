use tensor_op::prelude::*;

#[tensor_op]
fn scaled(x: Tensor, by: f64) -> Tensor {
    x * by
}

pub fn run(x: Tensor) -> Result<Tensor> {
    scaled(2.0, x)
}

fn main() {}
