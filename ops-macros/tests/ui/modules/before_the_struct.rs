use tensor_op::prelude::*;

#[derive(Module)]
#[module(name = "network")]
struct Network {
    weight: Tensor,
}

fn main() {}
