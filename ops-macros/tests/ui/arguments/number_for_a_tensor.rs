use tensor_op::prelude::*;

#[tensor_op]
fn double(x: Tensor) -> Tensor {
    x + x
}

fn main() {
    drop(double(2.0));
}
