use tensor_op::prelude::*;

#[tensor_op]
fn scaled(x: Tensor, #[default(2.0)] by: f64) -> Tensor {
    x * by
}

pub fn run(x: Tensor, by: i64) -> Result<Tensor> {
    scaled(x, by)
}

fn main() {}
