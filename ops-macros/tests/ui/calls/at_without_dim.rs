use tensor_op::prelude::*;

#[tensor_op]
pub fn pick(x: Tensor![n], ids: IntTensor![m]) -> Tensor![m] {
    at(x, ids)
}

fn main() {}
