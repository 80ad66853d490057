use tensor_op::prelude::*;

#[tensor_op]
fn act(x: Tensor) -> Tensor {
    self::slu(x)
}

pub fn run(x: Tensor) -> Result<Tensor> {
    act(x)
}

fn main() {}
