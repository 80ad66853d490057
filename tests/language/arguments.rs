//! Arguments of the functions of ops: results of other ops, whole numbers for floats, and two axes.

use tensor_op::ErrorKind;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn double(x: Tensor) -> Tensor {
    x + x
}

#[tensor_op(tests = false)]
fn pair(x: Tensor![n], y: Tensor![n]) -> (Tensor![n], Tensor![n]) {
    (x * y, x - y)
}

#[tensor_op(tests = false)]
fn scaled(x: Tensor, by: f64, narrow: f32, #[default(0.5)] plus: f64, #[default(2)] times: i64) -> Tensor {
    (x * by + narrow + plus) * cast(times, float)
}

#[tensor_op(tests = false)]
fn softmax_of_max(x: Tensor, over: Axis, along: Axis) -> Tensor {
    softmax(max(x, over), along)
}

/// `&&` means the same as `&`, and groups as in Rust.
#[tensor_op]
fn inside(x: Tensor, keep: BoolTensor) -> Tensor {
    select(x > 0.0 && x < 1.0 || keep, x, 0.0)
}

fn tensor(values: &[f64]) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), [values.len()], &Device::default())
}

#[test]
fn nested_calls_need_one_question_mark() -> Result<()> {
    let x = tensor(&[1.0, 2.0])?;
    assert_eq!(double(double(double(&x)))?.to_vec::<f64>()?, [8.0, 16.0]);
    let (product, difference) = pair(double(&x), x.clone())?;
    assert_eq!(product.to_vec::<f64>()?, [2.0, 8.0]);
    assert_eq!(difference.to_vec::<f64>()?, [1.0, 2.0]);
    assert_eq!(double(&x + &x)?.to_vec::<f64>()?, [4.0, 8.0]);
    let results: Vec<Tensor> = [&x, &x].into_iter().map(double).collect::<Result<_>>()?;
    assert_eq!(results.len(), 2);
    Ok(())
}

#[test]
fn the_error_of_an_argument_is_that_of_the_call() -> Result<()> {
    let (x, longer) = (tensor(&[1.0, 2.0])?, tensor(&[1.0, 2.0, 3.0])?);
    let inner = (&x + &longer).unwrap_err();
    let outer = double(double(&x + &longer)).unwrap_err();
    assert_eq!(outer.to_string(), inner.to_string());
    assert!(outer.to_string().starts_with("add: "), "{outer}");
    Ok(())
}

#[test]
fn floats_take_whole_numbers() -> Result<()> {
    let x = tensor(&[1.0])?;
    let found = |result: Result<Tensor>| result.and_then(|y| y.item::<f64>());
    assert_eq!(found(scaled(&x, 2, 3, None, None))?, 11.0);
    assert_eq!(found(scaled(&x, 2.0, 3.0, 1, 1))?, 6.0);
    assert_eq!(found(scaled(&x, 2_u8, 3_i16, 1.0_f32, 5_000_000_000))?, 6.0 * 5e9);
    assert_eq!(found(scaled(&x, -2, -3, Some(0.25), None))?, -9.5);
    let by = 2.0;
    assert_eq!(found(scaled(&x, by * 2.0, 0.0, None, None))?, 9.0);
    Ok(())
}

#[test]
fn axes_must_differ() -> Result<()> {
    let x = Tensor::ones([2, 3], DType::F64, &Device::default())?;
    assert_eq!(softmax_of_max(&x, 0, 1)?.to_vec::<f64>()?, [1.0 / 3.0; 3]);
    for (over, along) in [(1, 1), (-1, 1), (0, -2)] {
        let error = softmax_of_max(&x, over, along).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Rank);
        assert_eq!(
            error.to_string(),
            "softmax_of_max: `along`: names the same axis as `over`; two axes must differ"
        );
    }
    Ok(())
}

#[test]
fn conditions_combine_as_in_rust() -> Result<()> {
    let x = tensor(&[-1.0, 0.5, 2.0, 3.0])?;
    let keep = Tensor::from_vec(vec![false, false, false, true], [4], &Device::default())?;
    assert_eq!(inside(&x, &keep)?.to_vec::<f64>()?, [0.0, 0.5, 0.0, 3.0]);
    Ok(())
}
