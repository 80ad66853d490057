use tensor_op::prelude::*;

pub struct SiluMul;

#[tensor_op]
pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gate)
}

fn main() {}
