use tensor_op::prelude::*;

#[tensor_op]
pub fn apply(x: Tensor) -> Tensor {
    let square = |v| v * v;
    square(x)
}

fn main() {}
