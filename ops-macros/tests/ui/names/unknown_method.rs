use tensor_op::prelude::*;

#[tensor_op]
pub fn act(x: Tensor![.., n]) -> Tensor![.., n] {
    x.sofmax(n)
}

fn main() {}
