use tensor_op::prelude::*;

#[derive(Module)]
struct Network {
    weight: Tensor,
    #[module(skip, name = "heads")]
    heads: usize,
}

fn main() {}
