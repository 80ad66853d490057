use tensor_op::prelude::*;

#[tensor_op]
pub fn forget(x: Tensor![m, k], y: Tensor![k]) -> Tensor![m] {
    x * y
}

fn main() {}
