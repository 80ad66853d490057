//! Compares the catalogue with the code that Burn's users write today.

use crate::burn::Tensor;
use crate::burn::tensor::{Int, activation};
use crate::case::{Case, Function};
use tensor_op::Reduction;
use tensor_op::burn as declared;

#[track_caller]
fn check(inputs: &'static [[usize; 2]], roundings: f64, declared: Function, reference: Function) {
    Case { inputs, declared, reference, roundings }.check();
}

/// The first row of a matrix, as a vector.
fn row(x: &Tensor<2>) -> Tensor<1> {
    x.clone().narrow(0, 0, 1).squeeze_dim(0)
}

/// A class for each row.
fn classes(x: &Tensor<2>) -> Tensor<1, Int> {
    let [rows, columns] = x.dims();
    let ids: Vec<i32> = (0..rows).map(|row| ((row * 5 + 3) % columns) as i32).collect();
    Tensor::from_data(ids.as_slice(), &x.device())
}

fn rms(x: Tensor<2>, gamma: Tensor<1>) -> Tensor<2> {
    let mean = (x.clone() * x.clone()).mean_dim(1);
    x * (mean + 1e-6).sqrt().recip() * gamma.unsqueeze()
}

fn cross_entropy(logits: Tensor<2>, target: Tensor<1, Int>) -> Tensor<2> {
    activation::log_softmax(logits, 1).gather(1, target.unsqueeze_dim(1)).neg()
}

fn softmax_attention(q: Tensor<2>, k: Tensor<2>, v: Tensor<2>) -> Tensor<2> {
    let width = (q.dims()[1] as f64).sqrt();
    activation::softmax(q.matmul(k.transpose()) / width, 1).matmul(v)
}

#[test]
fn silu_mul() {
    let shapes: [&[[usize; 2]]; 6] = [
        &[[5, 7], [5, 7]],
        &[[1, 7], [5, 7]],
        &[[5, 7], [5, 1]],
        &[[5, 1], [1, 7]],
        &[[0, 7], [1, 7]],
        &[[1, 1], [33, 1]],
    ];
    for inputs in shapes {
        check(
            inputs,
            32.0,
            |x| declared::silu_mul(x[0].clone(), x[1].clone()),
            |x| x[0].clone() * activation::silu(x[1].clone()),
        );
    }
}

#[test]
fn softmax() {
    check(&[[5, 7]], 16.0, |x| declared::softmax(x[0].clone(), 1), |x| activation::softmax(x[0].clone(), 1));
    check(&[[5, 7]], 16.0, |x| declared::softmax(x[0].clone(), -2), |x| activation::softmax(x[0].clone(), 0));
    check(
        &[[1, 1025]],
        16.0,
        |x| declared::softmax(x[0].clone(), 1),
        |x| activation::softmax(x[0].clone(), 1),
    );
}

#[test]
fn log_softmax() {
    check(
        &[[5, 7]],
        16.0,
        |x| declared::log_softmax(x[0].clone(), 1),
        |x| activation::log_softmax(x[0].clone(), 1),
    );
}

#[test]
fn rms_norm() {
    check(
        &[[5, 7], [2, 7]],
        32.0,
        |x| declared::rms_norm(x[0].clone(), row(&x[1]), None),
        |x| rms(x[0].clone(), row(&x[1])),
    );
}

#[test]
fn layer_norm() {
    check(
        &[[5, 7], [2, 7], [2, 7]],
        64.0,
        |x| declared::layer_norm(x[0].clone(), row(&x[1]), row(&x[2]), 1e-3),
        |x| {
            let centered = x[0].clone() - x[0].clone().mean_dim(1);
            let variance = (centered.clone() * centered.clone()).mean_dim(1);
            centered / (variance + 1e-3).sqrt() * row(&x[1]).unsqueeze() + row(&x[2]).unsqueeze()
        },
    );
}

#[test]
fn add_rms_norm() {
    check(
        &[[5, 7], [5, 7], [2, 7]],
        64.0,
        |x| {
            let (normed, sum) = declared::add_rms_norm(x[0].clone(), x[1].clone(), row(&x[2]), None);
            normed * 2.0 + sum
        },
        |x| {
            let sum = x[0].clone() + x[1].clone();
            rms(sum.clone(), row(&x[2])) * 2.0 + sum
        },
    );
}

#[test]
fn one_of_two_results() {
    check(
        &[[5, 7], [5, 7], [2, 7]],
        64.0,
        |x| declared::add_rms_norm(x[0].clone(), x[1].clone(), row(&x[2]), None).1,
        |x| x[0].clone() + x[1].clone() + row(&x[2]).unsqueeze() * 0.0,
    );
    check(
        &[[5, 7], [5, 7], [2, 7]],
        64.0,
        |x| declared::add_rms_norm(x[0].clone(), x[1].clone(), row(&x[2]), None).0,
        |x| rms(x[0].clone() + x[1].clone(), row(&x[2])),
    );
}

#[test]
fn cross_entropy_of_classes() {
    check(
        &[[5, 7]],
        16.0,
        |x| declared::cross_entropy(x[0].clone(), classes(&x[0])).unsqueeze_dim(1),
        |x| cross_entropy(x[0].clone(), classes(&x[0])),
    );
}

#[test]
fn embedding() {
    check(
        &[[5, 7]],
        8.0,
        |x| {
            let ids = Tensor::<1, Int>::from_data([4, 0, 4, 1], &x[0].device());
            declared::embedding(x[0].clone(), ids)
        },
        |x| {
            let ids = Tensor::<1, Int>::from_data([4, 0, 4, 1], &x[0].device());
            x[0].clone().select(0, ids)
        },
    );
}

#[test]
fn matmul() {
    check(
        &[[5, 7], [7, 3]],
        32.0,
        |x| declared::matmul(x[0].clone(), x[1].clone()),
        |x| x[0].clone().matmul(x[1].clone()),
    );
}

#[test]
fn linear() {
    check(
        &[[5, 7], [3, 7], [2, 3]],
        32.0,
        |x| declared::linear(x[0].clone(), x[1].clone(), row(&x[2])),
        |x| x[0].clone().matmul(x[1].clone().transpose()) + row(&x[2]).unsqueeze(),
    );
}

#[test]
fn linear_without_bias() {
    check(
        &[[5, 7], [3, 7]],
        32.0,
        |x| declared::linear(x[0].clone(), x[1].clone(), None),
        |x| x[0].clone().matmul(x[1].clone().transpose()),
    );
}

/// The rank of the result is that of the formula that was chosen.
#[test]
fn mse_loss() {
    check(
        &[[5, 7], [5, 7]],
        32.0,
        |x| declared::mse_loss(x[0].clone(), x[1].clone(), Reduction::None),
        |x| (x[0].clone() - x[1].clone()).powi_scalar(2),
    );
    check(
        &[[5, 7], [5, 7]],
        64.0,
        |x| {
            let loss: Tensor<1> = declared::mse_loss(x[0].clone(), x[1].clone(), None);
            loss.unsqueeze()
        },
        |x| (x[0].clone() - x[1].clone()).powi_scalar(2).mean().unsqueeze(),
    );
}

#[test]
fn matmul_add_relu() {
    check(
        &[[5, 7], [7, 3], [2, 3]],
        64.0,
        |x| declared::matmul_add_relu(x[0].clone(), x[1].clone(), row(&x[2])),
        |x| activation::relu(x[0].clone().matmul(x[1].clone()) + row(&x[2]).unsqueeze()),
    );
}

#[test]
fn attention() {
    check(
        &[[5, 4], [6, 4], [6, 3]],
        64.0,
        |x| declared::attention(x[0].clone(), x[1].clone(), x[2].clone()),
        |x| softmax_attention(x[0].clone(), x[1].clone(), x[2].clone()),
    );
}
