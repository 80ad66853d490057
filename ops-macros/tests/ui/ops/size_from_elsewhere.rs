use tensor_op::prelude::*;

#[tensor_op]
fn mean_of_groups(x: Tensor![(g, c)], g: usize) -> Tensor![c] {
    sum(x, g) / cast(g, float)
}

#[tensor_op]
fn act(x: Tensor![(g, c)], g: usize, k: usize) -> Tensor![c] {
    cast(k, float) * self::mean_of_groups(x, k)
}

fn main() {}
