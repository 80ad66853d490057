use tensor_op::prelude::*;

#[tensor_op]
#[grad(gamma = grad * x)]
pub fn scale(x: Tensor![b, n], gamma: Tensor![n]) -> Tensor![b, n] {
    x * gamma
}

fn main() {}
