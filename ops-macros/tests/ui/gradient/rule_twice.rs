use tensor_op::prelude::*;

#[tensor_op]
#[grad(x = grad, x = grad)]
pub fn same(x: Tensor) -> Tensor {
    x
}

fn main() {}
