use tensor_op::prelude::*;

#[derive(Module)]
struct Network {
    weight: Tensor,
    heads: usize,
}

fn main() {}
