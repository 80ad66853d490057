use tensor_op::prelude::*;

enum Side {
    Left,
    Right,
    Both,
}

#[tensor_op]
fn shift(x: Tensor, by: Tensor, side: Side) -> Tensor {
    match side {
        Side::Left => x - by,
        Side::Right => x + by,
    }
}

fn main() {}
