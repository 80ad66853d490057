//! The dtypes of int results, compared with PyTorch's. The table has the numbers and dtypes that PyTorch 2.15
//! gives. PyTorch refuses u32 together with other ints; there the table has NumPy's.

use DType::{I32, I64, U8, U32};
use tensor_op::backend::{Backend, Value};
use tensor_op::prelude::*;
use tensor_op::{Op, TensorData};
use tensor_op_core::GraphOp;

#[tensor_op(tests = false)]
fn of_two(
    x: IntTensor![n],
    y: IntTensor![n],
) -> (IntTensor![n], IntTensor![n], IntTensor![n], IntTensor![n]) {
    (x + y, x * y, maximum(x, y), select(x > y, x, y) - y)
}

#[tensor_op(tests = false)]
fn of_one(
    x: IntTensor![n],
    k: i64,
) -> (IntTensor![n], IntTensor![n], IntTensor![n], IntTensor![], IntTensor![n]) {
    (x + 7, x * k, -abs(x), max(x, n), select(x > 100, x, 0))
}

#[tensor_op(tests = false)]
fn picked(x: IntTensor![n], ids: IntTensor![m]) -> IntTensor![m] {
    at(x, n = ids)
}

#[tensor_op(tests = false)]
fn folded(x: IntTensor![n]) -> (IntTensor![], IntTensor![], IntTensor![], IntTensor![n], IntTensor![n]) {
    (sum(x, n), prod(x, n), argmax(x, n), x + argmax(x, n), x + sum(x, n))
}

#[tensor_op(tests = false)]
fn counted(x: IntTensor![n]) -> (IntTensor![n], IntTensor![n], IntTensor![], IntTensor![n], IntTensor![n]) {
    (iota(n), x + iota(n), sum(cast(x > 100, int), n), select(x > 100, 1, 2), x * len(n))
}

/// Formulas that are simplified to fewer operations than were written.
#[tensor_op(tests = false)]
fn simplified(
    x: IntTensor![one = 1, n],
) -> (IntTensor![n], IntTensor![one, n], IntTensor![one, n], IntTensor![one, n]) {
    (sum(x, one), x * len(one), x * 1, select(x > 0, x, x) + 0)
}

#[tensor_op(tests = false)]
fn hits(logits: Tensor![b, v], labels: IntTensor![b]) -> IntTensor![] {
    sum(cast(argmax(logits, v) == labels, int), b)
}

/// Dtype and elements of an int result.
type Ints<'a> = (DType, &'a [i64]);

fn tensor<B: Backend>(dtype: DType, ints: &[i64], shape: &[usize]) -> Result<Value<B::Tensor>> {
    let data = TensorData::new(ints.to_vec(), shape)?.cast(dtype);
    Ok(Value::Tensor(B::from_data(data, &Default::default())?))
}

fn check<B: Backend>(op: &dyn Op, args: Vec<Value<B::Tensor>>, expected: &[Ints<'_>]) -> Result<()> {
    let dtypes: Vec<DType> = args.iter().filter_map(Value::tensor).map(B::dtype).collect();
    let results = B::run(op, args, &op.spec().graph().visible())?;
    for (at, (found, (dtype, ints))) in results.into_iter().flatten().zip(expected).enumerate() {
        let found = B::into_data(found)?;
        let what = format!("result {at} of {} on {dtypes:?}", op.spec().name());
        assert_eq!((found.dtype(), found.cast(I64).into_vec::<i64>()?), (*dtype, ints.to_vec()), "{what}");
    }
    Ok(())
}

/// Checks the table on a backend: each op with its kernels, and as a graph without kernels.
pub(crate) fn agree_with_pytorch<B: Backend>() -> Result<()> {
    let has = |dtypes: &[DType]| dtypes.iter().all(|dtype| B::supports_dtype(&Default::default(), *dtype));
    let check = |op: &dyn Op, args: &[Value<B::Tensor>], expected: &[Ints<'_>]| {
        check::<B>(op, args.to_vec(), expected)?;
        check::<B>(&GraphOp::new(op.spec().graph().clone()), args.to_vec(), expected)
    };
    let vector = |dtype, ints: &[i64]| tensor::<B>(dtype, ints, &[ints.len()]);

    for (x, y, both, sum, product) in [
        (U8, U8, U8, [4, 5], [196, 6]),
        (U8, I32, I32, [260, 5], [2500, 6]),
        (I32, U8, I32, [260, 5], [2500, 6]),
        (U8, I64, I64, [260, 5], [2500, 6]),
        (I32, I32, I32, [260, 5], [2500, 6]),
        (I32, I64, I64, [260, 5], [2500, 6]),
        (U8, U32, U32, [260, 5], [2500, 6]),
        (U32, I32, I64, [260, 5], [2500, 6]),
        (U32, I64, I64, [260, 5], [2500, 6]),
    ] {
        if !has(&[x, y, both]) {
            continue;
        }
        let args = [vector(x, &[250, 3])?, vector(y, &[10, 2])?];
        check(&OfTwo, &args, &[(both, &sum), (both, &product), (both, &[250, 3]), (both, &[240, 1])])?;
        check(&Picked, &[vector(x, &[250, 3])?, vector(y, &[1, 1, 0])?], &[(x, &[3, 3, 250])])?;
    }
    for (x, seven, three, negative) in [
        (U8, [1, 10], [238, 9], [6, 253]),
        (I32, [257, 10], [750, 9], [-250, -3]),
        (I64, [257, 10], [750, 9], [-250, -3]),
        (U32, [257, 10], [750, 9], [(1 << 32) - 250, (1 << 32) - 3]),
    ] {
        if !has(&[x]) {
            continue;
        }
        let arg = vector(x, &[250, 3])?;
        let of_one: [Ints<'_>; 5] = [(x, &seven), (x, &three), (x, &negative), (x, &[250]), (x, &[250, 0])];
        check(&OfOne, &[arg.clone(), Value::Scalar(tensor_op::backend::Scalar::Int(3))], &of_one)?;
        let folded: [Ints<'_>; 5] =
            [(I64, &[253]), (I64, &[750]), (I64, &[0]), (I64, &[250, 3]), (I64, &[503, 256])];
        check(&Folded, std::slice::from_ref(&arg), &folded)?;
        let counted: [Ints<'_>; 5] =
            [(I64, &[0, 1]), (I64, &[250, 4]), (I64, &[1]), (I64, &[1, 2]), (I64, &[500, 6])];
        check(&Counted, &[arg], &counted)?;
        let row = tensor::<B>(x, &[250, 3], &[1, 2])?;
        check(&Simplified, &[row], &[(I64, &[250, 3]), (I64, &[250, 3]), (x, &[250, 3]), (x, &[250, 3])])?;
    }
    let ones =
        B::full([1000, 3].into(), tensor_op::backend::Scalar::Float(1.0), DType::F32, &Default::default())?;
    check(&Hits, &[Value::Tensor(ones), vector(U8, &[0; 1000])?], &[(I64, &[1000])])
}
