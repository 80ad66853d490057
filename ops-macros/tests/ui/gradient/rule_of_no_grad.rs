use tensor_op::prelude::*;

#[tensor_op]
#[grad(x = grad)]
pub fn same(#[no_grad] x: Tensor, y: Tensor) -> Tensor {
    x + y
}

fn main() {}
