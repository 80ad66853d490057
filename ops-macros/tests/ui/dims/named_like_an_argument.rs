use tensor_op::prelude::*;

#[tensor_op]
pub fn scale(x: Tensor![n], n: f64) -> Tensor![n] {
    x * n
}

fn main() {}
