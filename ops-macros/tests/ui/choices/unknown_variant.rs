use tensor_op::prelude::*;
use tensor_op::Reduction;

#[tensor_op]
fn loss(x: Tensor, reduction: Reduction) -> Tensor {
    match reduction {
        Reduction::None => x,
        Reduction::Average => mean(x, ..),
        Reduction::Mean | Reduction::Sum => sum(x, ..),
    }
}

fn main() {}
