use tensor_op::prelude::*;

#[tensor_op]
pub fn positions(x: Tensor![n]) -> Tensor![n] {
    x + sin(iota(n))
}

fn main() {}
