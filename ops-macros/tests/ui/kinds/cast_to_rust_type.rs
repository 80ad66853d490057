use tensor_op::prelude::*;

#[tensor_op]
pub fn to_float(x: IntTensor) -> Tensor {
    cast(x, f32)
}

fn main() {}
