use tensor_op::prelude::*;

#[derive(Module)]
struct Network {
    weight: Tensor,
    #[module(skipped)]
    heads: usize,
}

fn main() {}
