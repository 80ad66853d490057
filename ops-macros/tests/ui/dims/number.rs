use tensor_op::prelude::*;

#[tensor_op]
pub fn luminance(x: Tensor![3, h, w]) -> Tensor![h, w] {
    x
}

fn main() {}
