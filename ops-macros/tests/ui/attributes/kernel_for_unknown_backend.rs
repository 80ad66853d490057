use tensor_op::prelude::*;

#[tensor_op]
#[kernel(gpu = fast::double)]
pub fn double(x: Tensor) -> Tensor {
    x + x
}

fn main() {}
