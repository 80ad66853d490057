// Written by the test of `mod.rs`.

use tensor_op::prelude::*;

#[test]
fn my_norm_of_ones() -> tensor_op::Result<()> {
    let device = Device::default();
    let ones = Tensor::ones([2, 4], DType::F32, &device)?.require_grad();
    let y = my_norm(&ones, &Tensor::ones([4], DType::F32, &device)?)?;
    assert!(y.to_vec::<f32>()?.iter().all(|y| (y - 1.0).abs() < 1e-5));
    assert_eq!(y.sum(None)?.backward()?[&ones].shape(), ones.shape());
    Ok(())
}

/// Root-mean-square norm over the last axis.
#[tensor_op]
pub fn my_norm(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] {
    x * rsqrt(mean(x * x, n) + 1e-6) * gamma
}

/// Softmax along an axis.
#[tensor_op]
pub fn my_softmax(x: Tensor, #[default(-1)] axis: Axis) -> Tensor {
    let e = exp(x - stop_grad(max(x, axis)));
    e / sum(e, axis)
}

/// Silu.
#[tensor_op]
#[grad(x = grad * (sigmoid(x) + out * (1.0 - sigmoid(x))))]
pub fn my_silu(x: Tensor) -> Tensor {
    x * sigmoid(x)
}

/// A product of matrices with a bias.
#[tensor_op]
pub fn my_linear(x: Tensor![.., i], weight: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![.., o] {
    sum(x * weight, i) + bias.unwrap_or(0.0)
}
