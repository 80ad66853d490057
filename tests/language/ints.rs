//! Operations on bits, and quotients that are rounded down: values of PyTorch 2.15 and NumPy 2.4.

use tensor_op::catalogue::bits;
use tensor_op::prelude::*;

fn ints(values: &[i64], dtype: DType) -> Result<Tensor> {
    Tensor::from_vec(values.to_vec(), [values.len()], &Device::default())?.cast(dtype)
}

type OfTwo = fn(Tensor, Tensor) -> Result<Tensor>;

/// An op on all of these pairs, in 64 bits and in 32.
fn check(op: OfTwo, x: &[i64], y: &[i64], expected: &[i64]) -> Result<()> {
    for dtype in [DType::I64, DType::I32] {
        let found = op(ints(x, dtype)?, ints(y, dtype)?)?;
        assert_eq!(found.cast(DType::I64)?.to_vec::<i64>()?, expected, "{x:?}, {y:?} in {dtype}");
    }
    Ok(())
}

#[test]
fn bits_are_those_of_pytorch() -> Result<()> {
    let (x, y) = ([12, -5, 0, 255, -1], [10, 3, -7, 15, i64::from(i32::MIN)]);
    check(bits::bitwise_and, &x, &y, &[8, 3, 0, 15, i64::from(i32::MIN)])?;
    check(bits::bitwise_or, &x, &y, &[14, -5, -7, 255, -1])?;
    check(bits::bitwise_xor, &x, &y, &[6, -8, -7, 240, i64::from(i32::MAX)])?;
    check(|x, _| bits::bitwise_not(x), &x, &y, &[-13, 4, -1, -256, 0])
}

#[test]
fn shifts_are_those_of_pytorch_in_64_bits() -> Result<()> {
    let check = |op: OfTwo, x: &[i64], by: &[i64], expected: &[i64]| -> Result<()> {
        let found = op(ints(x, DType::I64)?, ints(by, DType::I64)?)?;
        assert_eq!(found.to_vec::<i64>()?, expected, "{x:?}, {by:?}");
        Ok(())
    };
    let (x, by) = ([1, -1, 3, -3, 5, -5, 7, i64::MIN], [0, 1, 62, 63, 64, 100, -1, i64::MIN]);
    check(bits::left_shift, &x, &by, &[1, -2, -(1 << 62), i64::MIN, 0, 0, 0, 0])?;
    check(bits::right_shift, &x, &by, &[1, -1, 0, -1, 0, -1, 0, -1])
}

#[test]
fn popcounts_are_those_of_numpy() -> Result<()> {
    let x = [0, 1, -1, 255, -255, i64::from(i32::MAX), i64::MAX, i64::MIN, -(1 << 40) - 1];
    let found = bits::popcount(ints(&x, DType::I64)?)?;
    assert_eq!(found.to_vec::<i64>()?, [0, 1, 1, 8, 8, 31, 63, 1, 2]);
    Ok(())
}

#[test]
fn quotients_and_rests_of_ints_are_those_of_pytorch() -> Result<()> {
    let (x, y) = ([7, -7, 7, -7, 6, -6, 0, 5], [2, 2, -2, -2, 3, -3, 5, 0]);
    check(bits::floor_div, &x, &y, &[3, -4, -4, 3, 2, 2, 0, 0])?;
    check(bits::remainder, &x, &y, &[1, 1, -1, -1, 0, 0, 0, 0])
}

/// `1.0 / 0.1` is 10 after rounding, and `floor_divide` is 9.
#[test]
fn quotients_and_rests_of_floats_are_those_of_pytorch() -> Result<()> {
    let device = Device::default();
    let x = [7.5, -7.5, 7.5, -7.5, 1.0, -1e-20, 5.0, -5.0, 1.0, 0.0, f64::INFINITY];
    let y = [2.0, 2.0, -2.0, -2.0, 0.1, 1.0, f64::INFINITY, f64::INFINITY, 0.0, 0.0, 2.0];
    let of = |values: &[f64]| Tensor::from_vec(values.to_vec(), [values.len()], &device);
    let bits =
        |x: Vec<f64>| x.into_iter().map(|x| format!("{x:?}").replace("-0.0", "0.0")).collect::<Vec<_>>();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let quotients = bits::floor_div(of(&x)?, of(&y)?)?.to_vec::<f64>()?;
    assert_eq!(bits(quotients), bits(vec![3.0, -4.0, -4.0, 3.0, 9.0, -1.0, 0.0, -1.0, inf, nan, nan]));
    let rests = bits::remainder(of(&x)?, of(&y)?)?.to_vec::<f64>()?;
    let expected = vec![1.5, 0.5, -0.5, -1.5, 0.09999999999999995, 1.0, 5.0, inf, nan, nan, nan];
    assert_eq!(bits(rests), bits(expected));
    Ok(())
}

#[test]
fn gradients_of_rests_are_those_of_pytorch() -> Result<()> {
    let device = Device::default();
    let of = |values: [f64; 4]| {
        Ok::<_, tensor_op::Error>(Tensor::from_vec(values.to_vec(), [4], &device)?.require_grad())
    };
    let (x, y) = (of([7.5, -7.5, 7.5, 1.0])?, of([2.0, 2.0, -2.0, 0.1])?);
    let rest = bits::remainder(&x, &y)?;
    let gradients = rest.backward_with(&rest.ones_like()?)?;
    let found = |x| gradients.get(x).map(|gradient| gradient.to_vec::<f64>()).transpose();
    assert_eq!(found(&x)?, Some(vec![1.0; 4]));
    assert_eq!(found(&y)?, Some(vec![-3.0, 4.0, 4.0, -9.0]));
    Ok(())
}
