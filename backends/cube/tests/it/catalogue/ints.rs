//! Ints below zero: what is compared, chosen and indexed with them.

use super::Gpu;
use tensor_op::backend::{Backend, Value, interpret};
use tensor_op::prelude::*;
use tensor_op::{Op, TensorData};

#[tensor_op]
fn signs(x: IntTensor) -> (IntTensor, IntTensor, IntTensor, IntTensor, BoolTensor, BoolTensor) {
    (abs(x), sign(x), maximum(x, 0), select(x >= -2, x, 7), x < 3, x == -1)
}

#[tensor_op]
fn together(x: IntTensor, y: IntTensor) -> (IntTensor, IntTensor, BoolTensor) {
    (x % y, minimum(x, y), x <= y)
}

#[tensor_op]
fn bits(x: IntTensor, y: IntTensor) -> (IntTensor, IntTensor, IntTensor, IntTensor, IntTensor, IntTensor) {
    (x & y, x | y, x ^ y, !x, popcount(x), popcount(x & 0xFF) << 2)
}

#[tensor_op]
fn shifted(x: IntTensor, y: IntTensor) -> (IntTensor, IntTensor, IntTensor, IntTensor, IntTensor) {
    (x << y, x >> y, x >> 3, floor_div(x, y), remainder(x, y))
}

/// Runs an op on numbers of a dtype and compares with the interpreter.
fn check(op: &dyn Op, dtype: DType, args: &[&[i64]]) -> Result<()> {
    let data = |numbers: &&[i64]| Ok(TensorData::new(numbers.to_vec(), [numbers.len()])?.cast(dtype));
    let args: Vec<TensorData> = args.iter().map(data).collect::<Result<_>>()?;
    let on_host: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
    let expected = interpret(op.spec().graph(), &on_host)?;
    let device = Default::default();
    let args = args.into_iter().map(|data| Ok(Value::Tensor(Gpu::from_data(data, &device)?)));
    let found = Gpu::run(op, args.collect::<Result<_>>()?, &vec![true; expected.len()])?;
    for (at, (found, expected)) in found.into_iter().zip(expected).enumerate() {
        let numbers = |data: TensorData| data.cast(DType::F64).into_vec::<f64>();
        let found = numbers(Gpu::into_data(found.expect("wanted"))?)?;
        assert_eq!(found, numbers(expected)?, "result {at} of {} in {dtype}", op.spec().name());
    }
    Ok(())
}

#[test]
fn ints_below_zero() -> Result<()> {
    for dtype in [DType::I64, DType::I32] {
        for length in [1, 3, 8] {
            let x: Vec<i64> =
                (0..length).map(|i| [-1, -3, 5, 0, i64::from(i32::MIN + 1), 2, -2, 100][i]).collect();
            let y: Vec<i64> = x.iter().map(|x| 3 - x % 2).collect();
            check(&Signs, dtype, &[&x])?;
            check(&Together, dtype, &[&x, &y])?;
            check(&Bits, dtype, &[&x, &y])?;
            let by: Vec<i64> = (0..length).map(|i| [1, 3, 0, 31, -1, 64, 100, 7][i]).collect();
            check(&Shifted, dtype, &[&x, &by])?;
        }
    }
    Ok(())
}

#[test]
fn int_results_have_the_dtypes_of_pytorch() -> Result<()> {
    super::int_dtypes::agree_with_pytorch::<Gpu>()
}
