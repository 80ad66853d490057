//! Names of users that must not conflict with those in generated code.

use tensor_op::ErrorKind;
use tensor_op::prelude::*;

#[tensor_op]
#[allow(non_snake_case)]
fn capitals(CPU: Tensor, SPEC: Tensor, L: Tensor) -> Tensor {
    let block = CPU * SPEC;
    block + L
}

#[tensor_op]
fn größe_2(größe: Tensor, out0: Tensor, t0: Tensor) -> Tensor {
    let e = exp(größe);
    e * e + out0 * t0
}

#[tensor_op]
fn r#type(r#fn: Tensor, r#loop: f64) -> Tensor {
    r#fn * r#loop
}

#[test]
fn arguments_and_ops_of_any_name() -> Result<()> {
    let x = Tensor::from_vec(vec![2.0_f64], [1], &Device::default())?;
    assert_eq!(capitals(&x, &x, &x)?.item::<f64>()?, 6.0);
    let zero = Tensor::zeros([1], DType::F64, &Device::default())?;
    assert_eq!(größe_2(&zero, &x, &x)?.item::<f64>()?, 5.0);
    assert_eq!(r#type(&x, 3.0)?.item::<f64>()?, 6.0);
    Ok(())
}

#[test]
fn scalars_that_a_dtype_cannot_hold_are_refused() -> Result<()> {
    let bytes = Tensor::from_vec(vec![1_u8], [1], &Device::default())?;
    let ints = Tensor::from_vec(vec![1_i32], [1], &Device::default())?;
    assert_eq!((&bytes - 300_i64).unwrap_err().kind(), ErrorKind::DType);
    assert_eq!((&ints + (1_i64 << 40)).unwrap_err().kind(), ErrorKind::DType);
    assert_eq!((&ints + 4_i64)?.to_vec::<i32>()?, [5]);
    Ok(())
}

/// The layout of the coefficients is the author's.
#[rustfmt::skip]
#[tensor_op(tests = false)]
fn turned(x: Tensor, y: Tensor) -> (Tensor, Tensor) {
    ( 0.6 * x + 0.8 * y,
     -0.8 * x + 0.6 * y)
}

#[test]
fn an_op_may_keep_its_layout() -> Result<()> {
    let (x, y) = turned(Tensor::from([1.0]), Tensor::from([2.0]))?;
    let far = |found: Tensor, wanted: f64| Ok::<_, tensor_op::Error>((found.item::<f64>()? - wanted).abs());
    assert!(far(x, 2.2)? < 1e-6 && far(y, 0.4)? < 1e-6);
    Ok(())
}
