use tensor_op::prelude::*;

#[tensor_op]
pub fn mean_pool(x: Tensor![batch, time, channel]) -> Tensor![batch, channel] {
    mean(x, tiem)
}

fn main() {}
