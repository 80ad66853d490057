use tensor_op::prelude::*;

#[derive(Module)]
enum Network {
    Plain(Tensor),
}

fn main() {}
