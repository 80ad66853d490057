use tensor_op::prelude::*;

#[tensor_op]
pub fn scale(x: Tensor![n], count: usize) -> Tensor![n] {
    x * count
}

fn main() {}
