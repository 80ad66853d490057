use tensor_op::prelude::*;

#[tensor_op]
pub fn attend(scores: Tensor![m, n], mask: Tensor![m]) -> Tensor![m, n] {
    scores * softmax(mask, n)
}

fn main() {}
