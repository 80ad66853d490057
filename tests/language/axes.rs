//! Arguments of type `Axes`: sets of axes that are chosen at run time. Each op is generated with its tests.

use tensor_op::prelude::*;

#[tensor_op]
pub fn mean_over(x: Tensor, axes: Axes) -> Tensor {
    mean(x, axes)
}

#[tensor_op]
fn softmax_over(x: Tensor, #[default(all)] axes: Axes) -> Tensor {
    softmax(x, axes) * len(axes)
}

/// The statistics are over the axes, the result is scaled along another one.
#[tensor_op]
fn standardized(x: Tensor, y: Tensor, axis: Axis, axes: Axes) -> (Tensor, Tensor) {
    let centered = x - mean(x, axes);
    let scaled = centered * rsqrt(mean(square(centered), axes) + 0.1);
    (scaled * y * cast(iota(axis) + 1, float), sum(x, (axis, axes)))
}

/// Two sets, and the places of the largest elements.
#[tensor_op]
fn largest(x: Tensor, first: Axes, second: Axes) -> (Tensor, IntTensor, Tensor) {
    (max(x, first), argmax(x, first), logsumexp(max(x, second), first))
}

/// Axes of a called op are dims of the formula, or its own axes.
#[tensor_op]
fn calls(x: Tensor![b, m, n], y: Tensor![b]) -> (Tensor![b], Tensor![m, n]) {
    (self::mean_over(x, (m, n)) * y, self::mean_over(x, b))
}

#[tensor_op]
fn centered(x: Tensor, #[default(all)] axes: Axes) -> Tensor {
    x - self::mean_over(x, axes)
}

fn numbers(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 37 + i / 5) % 23) as f64 - 7.0).collect();
    Tensor::from_vec(values, shape.to_vec(), &Device::default()).expect("as many values as the shape")
}

#[test]
fn any_number_of_axes() -> Result<()> {
    let x = numbers(&[2, 3, 4]);
    let values = x.to_vec::<f64>()?;
    let wanted: Vec<f64> =
        (0..3).map(|j| (0..8).map(|k| values[k / 4 * 12 + j * 4 + k % 4]).sum::<f64>() / 8.0).collect();
    for found in [mean_over(&x, [0, -1])?, mean_over(&x, [2, 0])?, mean_over(&x, vec![-3, -1])?] {
        assert_eq!((found.shape().to_vec(), found.to_vec::<f64>()?), (vec![3], wanted.clone()));
    }
    assert_eq!(mean_over(&x, [])?.to_vec::<f64>()?, values);
    let all = values.iter().sum::<f64>() / 24.0;
    assert_eq!([mean_over(&x, ..)?.item::<f64>()?, mean_over(&x, [0, 1, 2])?.item::<f64>()?], [all; 2]);
    let axes: &[i64] = &[1];
    assert_eq!(mean_over(&x, axes)?.to_vec::<f64>()?, mean_over(&x, 1)?.to_vec::<f64>()?);
    assert_eq!(mean_over(numbers(&[]), ..)?.item::<f64>()?, -7.0);
    Ok(())
}

#[test]
fn gradients_know_the_axes() -> Result<()> {
    let x = numbers(&[2, 3]).require_grad();
    for (axes, each) in [(tensor_op::Axes::all(), 6.0), (tensor_op::Axes::of(&[-2]), 2.0)] {
        let found = mean_over(&x, axes)?;
        let seed = Tensor::ones(found.shape().to_vec(), DType::F64, &Device::default())?;
        let gradients = found.backward_with(&seed)?;
        assert_eq!(gradients.get(&x).expect("a gradient").to_vec::<f64>()?, [1.0 / each; 6]);
    }
    Ok(())
}

#[test]
fn calls_give_dims() -> Result<()> {
    let (x, y) = (numbers(&[2, 3, 4]), Tensor::ones([2], DType::F64, &Device::default())?);
    let (rows, columns) = calls(&x, y)?;
    assert_eq!(rows.to_vec::<f64>()?, mean_over(&x, [1, 2])?.to_vec::<f64>()?);
    assert_eq!(columns.to_vec::<f64>()?, mean_over(&x, 0)?.to_vec::<f64>()?);
    let sum = mean_over(centered(&x, None)?, ..)?.item::<f64>()?;
    assert!(sum.abs() < 1e-12);
    Ok(())
}

#[test]
fn mistakes_name_the_argument() {
    let x = numbers(&[2, 3]);
    let text = |result: Result<Tensor>| result.expect_err("a mistake").to_string();
    assert_eq!(text(mean_over(&x, [1, 1])), "mean_over: `axes`: axis 1 stands twice: remove one");
    assert_eq!(
        text(mean_over(&x, [1, -1])),
        "mean_over: `axes`: names axis 1 twice, once from the start and once from the end"
    );
    assert_eq!(
        text(mean_over(&x, [0, 2])),
        "mean_over: `axes`: axis 2 is out of range for 2 axes: write one of -2..=1"
    );
    assert_eq!(
        text(mean_over(&x, i64::MIN)),
        "mean_over: `axes`: axis -9223372036854775808 is out of range: no tensor has so many axes"
    );
    let both = standardized(&x, &x, 1, [0, 1]).expect_err("axis 1 twice").to_string();
    assert_eq!(both, "standardized: `axes`: names the same axis as `axis`; two axes must differ");
}
