//! Convolutions of single channels, which run as loops, are those of several channels, which are products of
//! matrices.

use tensor_op::catalogue::convolution::{conv_transpose2d, conv1d, conv2d};
use tensor_op::prelude::*;

fn numbers(shape: &[usize]) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 37 + i / 11) % 101) as f64 / 64.0 - 0.8).collect();
    Tensor::from_vec(values, shape.to_vec(), &Device::default())
}

/// The result of an op, and its gradients in the input and the weight.
fn run(
    input: &Tensor,
    weight: &Tensor,
    op: impl Fn(&[Tensor; 2]) -> Result<Tensor>,
) -> Result<Vec<Vec<f64>>> {
    let args = [input, weight].map(|arg| arg.clone().require_grad());
    let y = op(&args)?;
    let gradients = y.backward_with(&y.ones_like()?)?;
    let all = args.iter().map(|arg| gradients.get(arg).expect("it is tracked").to_vec());
    std::iter::once(y.to_vec()).chain(all).collect()
}

/// `op` gives one channel for each filter of the weight's axis `filters`. With each filter twice, it has two
/// equal channels, whose mean is taken.
#[track_caller]
fn check(shapes: [&[usize]; 2], filters: usize, op: impl Fn(&[Tensor; 2]) -> Result<Tensor>) {
    let [input, weight] = shapes.map(|shape| numbers(shape).expect("as many numbers as the shape has"));
    check_of(&input, &weight, filters, op);
}

#[track_caller]
fn check_of(input: &Tensor, weight: &Tensor, filters: usize, op: impl Fn(&[Tensor; 2]) -> Result<Tensor>) {
    let once = run(input, weight, &op).expect("it runs");
    let twice = run(input, weight, |[input, weight]| {
        let mut shape = weight.shape().to_vec();
        shape.insert(filters + 1, 1);
        let pair = weight.reshape(shape.clone())?;
        shape[filters + 1] = 2;
        let pair = pair.broadcast_to(shape.clone())?;
        shape.remove(filters + 1);
        shape[filters] *= 2;
        let y = op(&[input.clone(), pair.reshape(shape)?])?;
        let mut shape = y.shape().to_vec();
        shape[1] /= 2;
        shape.insert(2, 2);
        y.reshape(shape)?.mean(2)
    });
    for (at, (once, twice)) in once.iter().zip(twice.expect("it runs")).enumerate() {
        assert_eq!(once.len(), twice.len());
        for (i, (once, twice)) in once.iter().zip(&twice).enumerate() {
            let same = once == twice || (once.is_nan() && twice.is_nan());
            assert!(same || (once - twice).abs() < 1e-12, "number {i} of value {at}: {once}, not {twice}");
        }
    }
}

#[test]
fn one_channel_in_each_group() {
    for (stride, padding, dilation) in [(1, 1, 1), (2, 1, 1), (1, 2, 2), (3, 0, 1)] {
        check([&[2, 5, 9, 8], &[5, 1, 3, 3]], 0, |[x, w]| conv2d(x, w, None, stride, padding, dilation, 5));
    }
    check([&[2, 6, 20], &[6, 1, 5]], 0, |[x, w]| conv1d(x, w, None, 1, 2, None, 6));
    // Each group has several channels in.
    check([&[2, 6, 20], &[2, 3, 4]], 0, |[x, w]| conv1d(x, w, None, 2, 1, None, 2));
}

#[test]
fn one_channel_out() {
    check([&[2, 5, 9, 8], &[1, 5, 3, 3]], 0, |[x, w]| conv2d(x, w, None, 1, 1, None, None));
    check([&[1, 3, 4, 4], &[1, 3, 1, 1]], 0, |[x, w]| conv2d(x, w, None, None, None, None, None));
}

#[test]
fn the_way_back() {
    check([&[2, 1, 4, 5], &[1, 1, 3, 3]], 1, |[x, w]| conv_transpose2d(x, w, None, 2, 1, 1, None, None));
    check([&[2, 3, 4, 5], &[3, 1, 2, 3]], 1, |[x, w]| conv_transpose2d(x, w, None, 1, 1, None, None, None));
}

/// What lies outside of an image is not multiplied in the gradient, on either way.
#[test]
fn infinite_weights_meet_no_zeros_of_the_gradient() {
    let input = numbers(&[1, 2, 5, 5]).expect("numbers");
    let values: Vec<f64> = (0..18).map(|i| if i % 5 == 0 { f64::INFINITY } else { f64::from(i) }).collect();
    let weight = Tensor::from_vec(values, [2, 1, 3, 3], &Device::default()).expect("numbers");
    check_of(&input, &weight, 0, |[x, w]| conv2d(x, w, None, 2, 1, None, 2));
}
