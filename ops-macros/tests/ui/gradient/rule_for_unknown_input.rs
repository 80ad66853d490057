use tensor_op::prelude::*;

#[tensor_op]
#[grad(xs = grad * 2.0)]
pub fn double(x: Tensor) -> Tensor {
    x * 2.0
}

fn main() {}
