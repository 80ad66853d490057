use tensor_op::prelude::*;

#[tensor_op]
pub fn act(x: Tensor) -> Tensor {
    let (a, b) = exp(x);
    a + b
}

fn main() {}
