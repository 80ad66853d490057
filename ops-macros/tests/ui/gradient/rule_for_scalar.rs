use tensor_op::prelude::*;

#[tensor_op]
#[grad(s = grad)]
pub fn scale(x: Tensor, s: f64) -> Tensor {
    x * s
}

fn main() {}
