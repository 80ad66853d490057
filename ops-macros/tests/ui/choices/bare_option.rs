use tensor_op::prelude::*;

#[tensor_op]
fn shift(x: Tensor, by: Option<Tensor>) -> Tensor {
    x + by
}

fn main() {}
