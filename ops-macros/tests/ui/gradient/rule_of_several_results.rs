use tensor_op::prelude::*;

#[tensor_op]
#[grad(x = grad0 * grad1)]
fn f(x: Tensor) -> (Tensor, Tensor) {
    (x * 2.0, -x)
}

fn main() {}
