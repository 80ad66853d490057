use tensor_op::prelude::*;

#[tensor_op]
#[grad(out = grad)]
pub fn same(out: Tensor) -> Tensor {
    out
}

fn main() {}
