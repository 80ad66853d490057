use tensor_op::prelude::*;

#[tensor_op]
fn total(x: Tensor, axes: Axes) -> Tensor {
    sum(x, axes)
}

fn main() {
    let x = Tensor::ones([2], DType::F32, &Device::default()).unwrap();
    drop(total(x, 0.5));
}
