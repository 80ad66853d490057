use tensor_op::prelude::*;

#[tensor_op]
fn act(x: Tensor) -> Tensor {
    sigmod(x)
}

#[tensor_op]
fn layer(x: Tensor) -> Tensor {
    self::act(x) * x
}

#[tensor_op]
fn network(x: Tensor) -> Tensor {
    self::layer(self::act(x))
}

pub fn run(x: Tensor) -> Result<Tensor> {
    network(layer(x)?)
}

fn main() {}
