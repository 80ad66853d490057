use tensor_op::prelude::*;

#[tensor_op]
pub fn act(x: Tensor) -> Tensor {
    sigmod(x)
}

fn main() {
    let x = Tensor::zeros([2], DType::F32, &Device::default());
    let y = x.and_then(|x| act(&x));
    drop(y);
}
