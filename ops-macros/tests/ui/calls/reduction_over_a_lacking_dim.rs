use tensor_op::prelude::*;

#[tensor_op]
pub fn normalise(x: Tensor![m, n], scale: Tensor![m]) -> Tensor![m] {
    sum(x, n) / sum(scale, n)
}

fn main() {}
