use tensor_op::prelude::*;

#[tensor_op]
pub fn normalise(x: Tensor![n], axis: Axis) -> Tensor![n] {
    softmax(x, axis)
}

fn main() {}
