use tensor_op::prelude::*;

#[tensor_op]
fn f(x: Tensor) -> Tensor {
    x + self::f(x)
}

fn main() {}
