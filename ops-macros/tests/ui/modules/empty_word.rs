use tensor_op::prelude::*;

#[derive(Module)]
struct Network {
    #[module(name = "layer..weight")]
    weight: Tensor,
}

fn main() {}
