use tensor_op::prelude::*;

#[tensor_op]
pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gat)
}

fn main() {}
