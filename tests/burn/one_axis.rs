//! Gradients of tensors of one axis, where that axis is reduced: Burn has no tensors without axes, so that
//! what lacks the axis comes back with one of size 1.

use crate::burn::Tensor;
use crate::burn::tensor::{DType, Device};
use crate::case::devices;
use tensor_op::tensor_op;

#[tensor_op(burn, tests = false)]
fn total_along(x: Tensor, dim: Axis) -> Tensor {
    sum(x, dim)
}

#[tensor_op(burn, tests = false)]
fn unit(x: Tensor, dim: Axis) -> Tensor {
    x / sqrt(sum(x * x, dim))
}

#[tensor_op(burn, tests = false)]
fn unit_along(x: Tensor, #[default(all)] dims: Axes) -> Tensor {
    x / sqrt(sum(x * x, dims))
}

#[tensor_op(burn, tests = false)]
fn around(x: Tensor, y: Tensor, dim: Axis) -> Tensor {
    x - sum(x * y, dim)
}

fn tensor<const D: usize>(values: [f64; 2], shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::<1>::from_data(values, (device, DType::F32)).reshape(shape)
}

/// The gradient of the results, weighted by 1 and 2, at (3, 4).
#[track_caller]
fn check<const D: usize, const R: usize>(
    what: &str,
    shape: [usize; D],
    op: impl Fn(Tensor<D>) -> Tensor<R>,
    wanted: [f64; 2],
) {
    for device in devices() {
        let device = device.autodiff();
        let x = tensor([3.0, 4.0], shape, &device).require_grad();
        let y = op(x.clone());
        let count = y.shape().num_elements();
        let weights = tensor([1.0, 2.0], [2], &device).slice(0..count).reshape(y.shape());
        let gradients = (y * weights).sum().backward();
        let found: Vec<f64> = x.grad(&gradients).expect("it is tracked").into_data().iter::<f64>().collect();
        let is_close = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(is_close && found.len() == 2, "{what} {shape:?}: {found:?}, not {wanted:?}");
    }
}

/// Along `dim` of the shape `D`, whose other axes have size 1.
fn check_axis<const D: usize>(shape: [usize; D], dim: i64) {
    // (w - u (u, w)) / |x|, where u = x / |x|.
    check("unit", shape, |x| unit(x, dim), [-0.064, 0.048]);
    check("unit_along", shape, |x| unit_along(x, [dim]), [-0.064, 0.048]);
    check("total", shape, |x| total_along::<D, 1>(x, dim), [1.0, 1.0]);
    let device = |x: &Tensor<D>| x.device();
    // w - y (1, w)
    check("around", shape, |x| around(x.clone(), tensor([0.5, -1.0], shape, &device(&x)), dim), [-0.5, 5.0]);
}

#[test]
fn the_only_axis() {
    check_axis([2], 0);
    check_axis([2], -1);
    check("unit_along", [2], |x| unit_along(x, None), [-0.064, 0.048]);
}

#[test]
fn one_of_two_axes() {
    check_axis([2, 1], 0);
    check_axis([1, 2], 1);
    check_axis([1, 2], -1);
}
