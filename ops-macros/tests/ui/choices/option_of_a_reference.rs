use tensor_op::prelude::*;

#[tensor_op]
fn shift(x: Tensor, by: Option<Tensor>) -> Tensor {
    x + by.unwrap_or(0.0)
}

fn main() {
    let x = Tensor::scalar(1.0, &Device::default()).unwrap();
    let by = Some(x.clone());
    let _ = shift(&x, by.as_ref());
}
