use tensor_op::prelude::*;
use tensor_op::Reduction;

#[tensor_op]
fn loss(x: Tensor![b, n], reduction: Reduction) -> Tensor![b, n] {
    match reduction {
        Reduction::None => x,
        Reduction::Mean => mean(x, m),
        Reduction::Sum => sum(x, ..),
    }
}

fn main() {}
