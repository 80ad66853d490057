use tensor_op::prelude::*;

#[tensor_op]
pub fn scale(x: Tensor![rows], s: f64) -> Tensor![columns] {
    x * s
}

fn main() {}
