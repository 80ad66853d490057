use tensor_op::prelude::*;

#[tensor_op]
pub fn nearest(x: Tensor![n]) -> Tensor![] {
    argmax(x, n)
}

fn main() {}
