//! Bugs that random declarations found: calls that gave a wrong shape, a wrong gradient or an error, each in
//! its smallest form.

use tensor_op::{Gradients, prelude::*};

#[tensor_op]
fn same_choice(x: Tensor, s: f64, axis: Axis) -> Tensor {
    select(x > 0.0, s, s) + len(axis)
}

#[tensor_op]
fn same_truth(x: Tensor, axis: Axis) -> BoolTensor {
    is_finite(select(x > 0.0, cast(len(axis), float), cast(len(axis), float)))
}

#[tensor_op]
fn same_count(x: Tensor, axis: Axis) -> IntTensor {
    select(x > 0.0, len(axis), len(axis))
}

/// The constants move in the gradient, which matters close to the largest number.
#[tensor_op]
fn three_scaled_factors(x: Tensor, y: Tensor, z: Tensor) -> Tensor {
    x * 0.3 * y * 0.7 * z
}

#[tensor_op]
fn largest_exp(x: Tensor![m, n]) -> Tensor![m] {
    max(exp(x), n)
}

#[tensor_op]
fn no_slope(x: Tensor, flags: BoolTensor, axis: Axis) -> Tensor {
    select((x > 0.0) & flags, 1.0, 0.25) + len(axis)
}

/// The choice has fewer dims after simplification. So has the function of it, whose gradient is given.
#[tensor_op]
fn mish_of_same(x: Tensor![n], flags: BoolTensor![m, n]) -> Tensor![m, n] {
    mish(select(flags, x, x))
}

/// After simplification the first result is a value of fewer dims. The second result needs this value as it
/// is.
#[tensor_op]
fn spread_and_total(x: Tensor![m, n]) -> (Tensor![m, n], Tensor![]) {
    let length = sqrt(sum(square(x), n));
    (select(x > 0.0, length, length), sum(length, m))
}

#[tensor_op]
fn least_share(x: Tensor, flags: BoolTensor, axis: Axis) -> (BoolTensor, Tensor) {
    (flags, min(log_softmax(x, axis), axis))
}

#[tensor_op]
fn spread_sum(x: Tensor![n, k, m], z: Tensor![k, m, n]) -> Tensor![k, m, n] {
    z + sum(x, (n, k))
}

#[tensor_op]
fn largest(x: Tensor, axis: Axis) -> Tensor {
    max(x, axis)
}

#[tensor_op]
fn broadcast_asinh(x: Tensor, y: Tensor) -> Tensor {
    x + asinh(y)
}

#[tensor_op]
fn length_of_axis(x: Tensor, y: Tensor, axis: Axis) -> Tensor {
    square(sum(exp(x), axis)) + stop_grad(min(y, axis))
}

#[tensor_op]
fn flat(x: Tensor, axis: Axis) -> Tensor {
    select(max(x, axis) > 0.0, 1.0, 2.0)
}

fn tensor(elements: &[f64], shape: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(elements.to_vec(), shape, &Device::default())
}

fn flags(shape: &[usize]) -> Result<Tensor> {
    Tensor::ones(shape, DType::Bool, &Device::default())
}

/// If a value turns out to be constant along an `Axis`, it still has its size there.
#[test]
fn shapes_do_not_depend_on_what_is_simplified() -> Result<()> {
    let x = tensor(&[1.0, -2.0, 3.0], &[3])?;
    assert_eq!(same_choice(&x, 0.5, 0)?.to_vec::<f64>()?, [3.5; 3]);
    assert_eq!(same_truth(&x, 0)?.to_vec::<bool>()?, [true; 3]);
    assert_eq!(same_count(&x, 0)?.to_vec::<i64>()?, [3; 3]);
    Ok(())
}

/// The gradients of the sum of the elements.
fn of_sum(y: &Tensor) -> Result<Gradients> {
    y.backward_with(&y.ones_like()?)
}

fn tracked_of_sum(y: &Tensor) -> Result<Gradients> {
    y.backward_tracked_with(&y.ones_like()?)
}

/// The result is rounded when it is stored. So it is not equal to the value that the backward pass computes
/// again.
#[test]
fn the_largest_of_computed_values_has_a_gradient_in_every_dtype() -> Result<()> {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let x = tensor(&[0.1, 0.7, 0.3, -0.4, -0.9, -0.6], &[2, 3])?.cast(dtype)?.require_grad();
        let gradients = of_sum(&largest_exp(&x)?)?;
        let found = gradients.get(&x).expect("required").to_vec::<f64>()?;
        for (found, wanted) in found.iter().zip([0.0, 0.7f64.exp(), 0.0, (-0.4f64).exp(), 0.0, 0.0]) {
            assert!((found - wanted).abs() < 0.02, "{dtype}: {found}, not {wanted}");
        }
    }
    Ok(())
}

/// Only another argument tells the size of the axis, or has the axis at all.
#[test]
fn a_gradient_knows_axes_that_only_other_arguments_have() -> Result<()> {
    let x = tensor(&[0.5], &[])?.require_grad();
    let gradients = of_sum(&no_slope(&x, flags(&[3])?, -1)?)?;
    assert_eq!(gradients.get(&x).expect("required").to_vec::<f64>()?, [0.0]);
    let x = tensor(&[0.5, 1.0, 2.0], &[3])?.require_grad();
    let (_, shares) = least_share(&x, flags(&[2, 3])?, 0)?;
    assert_eq!(shares.to_vec::<f64>()?, [-(2.0f64.ln()); 3]);
    let gradients = of_sum(&shares)?;
    assert_eq!(gradients.get(&x).expect("required").to_vec::<f64>()?, [0.0; 3]);
    Ok(())
}

/// The gradient of `x` is the same along the summed dims. The kernel that sums stores it without those dims.
#[test]
fn a_sum_is_stored_along_its_own_dims() -> Result<()> {
    let x = tensor(&[0.0; 6], &[1, 2, 3])?.require_grad();
    let gradients = of_sum(&spread_sum(&x, tensor(&[0.0; 6], &[2, 3, 1])?)?)?;
    assert_eq!(gradients.get(&x).expect("required").to_vec::<f64>()?, [2.0; 6]);
    Ok(())
}

/// The gradient of a reduced result lacks the axis, and so does its own gradient.
#[test]
fn second_order_knows_which_axes_were_reduced() -> Result<()> {
    let x = tensor(&[1.75, 1.0], &[2])?.require_grad();
    let weight = tensor(&[0.5], &[])?.require_grad();
    let mut first = tracked_of_sum(&(largest(&x, 0)? * &weight)?)?;
    let slopes = of_sum(&(first.remove(&x).expect("required") * tensor(&[3.0, 10.0], &[2])?)?)?;
    assert_eq!(slopes.get(&weight).expect("required").to_vec::<f64>()?, [3.0]);
    Ok(())
}

/// The gradient of a broadcast argument is a sum, and not a saved value of one element.
#[test]
fn second_order_of_a_broadcast_argument() -> Result<()> {
    let (x, y) = (tensor(&[1.0, 2.0, 3.0], &[3])?, tensor(&[0.5], &[1])?.require_grad());
    let first = tracked_of_sum(&broadcast_asinh(&x, &y)?)?.remove(&y).expect("required");
    let found = of_sum(&first)?.get(&y).expect("required").item::<f64>()?;
    assert!((found + 3.0 * 0.5 * 1.25f64.powf(-1.5)).abs() < 1e-12, "{found}");
    Ok(())
}

/// Only an argument without a gradient, which passes its shape, tells the size of the axis.
#[test]
fn second_order_knows_how_long_an_axis_is() -> Result<()> {
    let (x, y) = (tensor(&[0.5], &[])?.require_grad(), tensor(&[1.0, 2.0], &[2])?);
    let first = tracked_of_sum(&length_of_axis(&x, &y, -1)?)?.remove(&x).expect("required");
    let slope = 8.0 * 1.0f64.exp();
    assert!((first.item::<f64>()? - slope).abs() < 1e-12);
    let found = of_sum(&first)?.get(&x).expect("required").item::<f64>()?;
    assert!((found - 2.0 * slope).abs() < 1e-12, "{found}");
    Ok(())
}

/// A gradient that is zero reads no gradient of the result, which still has its axes.
#[test]
fn second_order_of_what_is_flat() -> Result<()> {
    let x = tensor(&[1.0, 2.0, -3.0, -4.0, 5.0, 6.0], &[3, 2])?.require_grad();
    let first = tracked_of_sum(&flat(&x, -1)?)?.remove(&x).expect("required");
    assert_eq!(first.to_vec::<f64>()?, [0.0; 6]);
    if first.is_tracked() {
        of_sum(&first)?;
    }
    Ok(())
}

/// Each of the three rows adds the slope, and no row adds it three times.
#[test]
fn a_given_gradient_has_the_dims_of_its_value() -> Result<()> {
    let mish = |x: f64| x * x.exp().ln_1p().tanh();
    let (numbers, h) = ([0.5, -1.25], 1e-4);
    let x = tensor(&numbers, &[2])?.require_grad();
    let flags = Tensor::from_vec(vec![true, false, true, true, false, false], [3, 2], &Device::default())?;
    let first = tracked_of_sum(&mish_of_same(&x, &flags)?)?.remove(&x).expect("required");
    let second = of_sum(&first)?.get(&x).expect("required").to_vec::<f64>()?;
    for ((x, first), second) in numbers.into_iter().zip(first.to_vec::<f64>()?).zip(second) {
        let [below, at, above] = [x - h, x, x + h].map(mish);
        let expected = [3.0 * (above - below) / (2.0 * h), 3.0 * (above - 2.0 * at + below) / (h * h)];
        let is_close = (first - expected[0]).abs() < 1e-6 && (second - expected[1]).abs() < 1e-6;
        assert!(is_close, "{first} and {second}, not {expected:?}");
    }
    Ok(())
}

/// The gradient of a mean over no elements is divided by their number only where there are terms.
#[tensor_op]
fn mean_of_products(x: Tensor![b, i], w: Tensor![i]) -> Tensor![] {
    mean(x * w, (b, i))
}

#[test]
fn an_empty_batch_adds_nothing_to_the_gradient_of_a_weight() -> Result<()> {
    let device = Device::default();
    let x = Tensor::zeros([0, 2], DType::F64, &device)?;
    let w = Tensor::ones([2], DType::F64, &device)?.require_grad();
    let gradients = mean_of_products(&x, &w)?.backward()?;
    assert_eq!(gradients.get(&w).expect("it is tracked").to_vec::<f64>()?, [0.0, 0.0]);
    Ok(())
}
