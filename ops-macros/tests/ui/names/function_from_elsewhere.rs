use tensor_op::prelude::*;

#[tensor_op]
pub fn sum_of_squares(x: Tensor![n]) -> Tensor![] {
    sum(x.powi(2), n)
}

fn main() {}
