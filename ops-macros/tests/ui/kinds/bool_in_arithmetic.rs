use tensor_op::prelude::*;

#[tensor_op]
pub fn masked(x: Tensor, mask: BoolTensor) -> Tensor {
    x * mask
}

fn main() {}
