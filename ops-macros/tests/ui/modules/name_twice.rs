use tensor_op::prelude::*;

#[derive(Module)]
struct Network {
    weight: Tensor,
    #[module(name = "weight")]
    other: Tensor,
}

fn main() {}
