use tensor_op::prelude::*;

#[tensor_op]
pub fn total(x: Tensor![n]) -> f64 {
    sum(x, n)
}

fn main() {}
