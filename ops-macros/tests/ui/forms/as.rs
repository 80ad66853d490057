use tensor_op::prelude::*;

#[tensor_op]
pub fn to_float(x: IntTensor) -> Tensor {
    x as f64
}

fn main() {}
