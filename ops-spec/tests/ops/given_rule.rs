#[grad(x = grad * (sigmoid(x) + out * (1.0 - sigmoid(x))))]
fn my_silu(x: Tensor) -> Tensor {
    x * sigmoid(x)
}
