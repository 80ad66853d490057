//! What tests of the catalogue compare with values of PyTorch: the values of an op, and
//! the gradient of their sum.

use tensor_op::Element;
use tensor_op::prelude::*;

pub(crate) fn tensor<T: Element>(values: &[T], shape: &[usize]) -> Tensor {
    Tensor::from_vec(values.to_vec(), shape, &Device::default()).expect("sizes agree")
}

/// Numbers in a text, with spaces between.
pub(crate) fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

/// Quarters from -2 to 2, the numbers that PyTorch was given too.
pub(crate) fn wave(start: usize, shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let values = (0..count).map(|i| ((i * i * 7 + i * 5 + start * 11) % 17) as f64 / 4.0 - 2.0);
    tensor(&values.collect::<Vec<_>>(), shape)
}

#[track_caller]
pub(crate) fn assert_near(found: &[f64], wanted: &[f64]) {
    let near = |a: f64, b: f64| {
        a == b || (a.is_nan() && b.is_nan()) || (b.is_finite() && (a - b).abs() <= 1e-12 * b.abs())
    };
    let agree = found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| near(*a, *b));
    assert!(agree, "found {found:?}, wanted {wanted:?}");
}

/// Checks the op's values at the input, and the gradient of their sum.
#[track_caller]
pub(crate) fn check(
    op: impl Fn(&Tensor) -> Result<Tensor>,
    input: &Tensor,
    values: &[f64],
    gradient: &[f64],
) {
    let (found, slopes) = values_and_gradient(op, input);
    assert_near(&found, values);
    assert_near(&slopes, gradient);
}

/// The op's values at the input, and the gradient of their sum.
#[track_caller]
pub(crate) fn values_and_gradient(
    op: impl Fn(&Tensor) -> Result<Tensor>,
    input: &Tensor,
) -> (Vec<f64>, Vec<f64>) {
    let x = input.clone().require_grad();
    let run = || -> Result<_> {
        let y = op(&x)?;
        let slopes = y.backward_with(&y.ones_like()?)?;
        Ok((y.to_vec::<f64>()?, slopes.get(&x).expect("it is tracked").to_vec::<f64>()?))
    };
    run().expect("it runs")
}
