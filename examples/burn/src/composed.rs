//! The same ops, written with Burn's operations: what users write if they have no kernels of their own.

use burn::tensor::{Int, Tensor, activation};

pub fn rms_norm(x: Tensor<3>, gamma: Tensor<1>) -> Tensor<3> {
    let mean = (x.clone() * x.clone()).mean_dim(2);
    x * (mean + 1e-6).sqrt().recip() * gamma.unsqueeze()
}

pub fn swiglu(x: Tensor<3>, gate: Tensor<3>) -> Tensor<3> {
    x * activation::silu(gate)
}

pub fn rotary(x: Tensor<4>) -> Tensor<4> {
    let [_, _, positions, width] = x.dims();
    let half = width / 2;
    let device = x.device();
    let places = Tensor::<1, Int>::arange(0..positions as i64, &device).float().unsqueeze_dim::<2>(1);
    let features = Tensor::<1, Int>::arange(0..half as i64, &device).float();
    let rates = (features * (-100.0_f64.ln() / half as f64)).exp().unsqueeze_dim::<2>(0);
    let angles = (places * rates).unsqueeze::<4>();
    let (cos, sin) = (angles.clone().cos(), angles.sin());
    let (first, second) = (x.clone().narrow(3, 0, half), x.narrow(3, half, half));
    let turned = first.clone() * cos.clone() - second.clone() * sin.clone();
    Tensor::cat(vec![turned, second * cos + first * sin], 3)
}

pub fn attention(q: Tensor<4>, k: Tensor<4>, v: Tensor<4>) -> Tensor<4> {
    let scale = (q.dims()[3] as f64).sqrt();
    activation::softmax(q.matmul(k.swap_dims(2, 3)) / scale, 3).matmul(v)
}

pub fn cross_entropy(logits: Tensor<2>, target: Tensor<1, Int>) -> Tensor<1> {
    activation::log_softmax(logits, 1).gather(1, target.unsqueeze_dim(1)).mean().neg()
}

pub fn fused_matmul_add_relu(lhs: Tensor<3>, rhs: Tensor<3>, bias: Tensor<3>) -> Tensor<3> {
    activation::relu(lhs.matmul(rhs) + bias)
}
