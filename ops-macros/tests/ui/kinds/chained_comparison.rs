use tensor_op::prelude::*;

#[tensor_op]
fn inside(x: Tensor) -> Tensor {
    select(x > 0.0 & x < 1.0, x, 0.0)
}

fn main() {}
