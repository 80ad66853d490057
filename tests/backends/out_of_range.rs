//! An index out of range is an error even if it reads nothing: the indexed value is the same everywhere, or
//! the result has no elements.

use tensor_op::backend::{Backend, Value};
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, Op, TensorData};
use tensor_op_core::GraphOp;

#[tensor_op(tests = false)]
fn picked_rows(x: Tensor![v, d], ids: IntTensor![m]) -> Tensor![m, d] {
    at(x, v = ids)
}

#[tensor_op(tests = false)]
fn picked_sums(x: Tensor![v, d], ids: IntTensor![m]) -> Tensor![m] {
    sum(exp(at(x, v = ids + 0)), d)
}

/// The indexed value is the same at each `v`. Simplification finds this out.
#[tensor_op(tests = false)]
fn picked_constants(x: Tensor![v, d], ids: IntTensor![m]) -> Tensor![m] {
    at(select(max(x, d) > 0.0, 2.0, 2.0), v = ids)
}

/// The indexed value is the same at each `v`, but not at each `m`.
#[tensor_op(tests = false)]
fn picked_weights(x: Tensor![v, d], ids: IntTensor![m], weight: Tensor![m]) -> Tensor![m] {
    2.0 * at(select(sum(x, d) > 0.0, weight, weight), v = ids)
}

/// The arguments: a table of ones `[v, d]`, and indices.
fn args<B: Backend>([v, d]: [usize; 2], ids: &[i64]) -> Result<Vec<Value<B::Tensor>>> {
    let place = Default::default();
    let table = TensorData::new(vec![1.0_f32; v * d], [v, d])?;
    let ids = TensorData::new(ids.to_vec(), [ids.len()])?;
    Ok(vec![Value::Tensor(B::from_data(table, &place)?), Value::Tensor(B::from_data(ids, &place)?)])
}

/// Runs an op and reads its result: with the op's kernels, and as a graph without kernels.
fn read<B: Backend>(op: &dyn Op, args: Vec<Value<B::Tensor>>) -> [Result<Vec<f32>>; 2] {
    let as_graph = GraphOp::new(op.spec().graph().clone());
    [op, &as_graph].map(|op| {
        let result = B::run(op, args.clone(), &op.spec().graph().visible())?.into_iter().flatten().next();
        B::into_data(result.expect("a declared result"))?.into_vec::<f32>()
    })
}

pub(crate) fn is_an_error<B: Backend>() -> Result<()> {
    let weight = TensorData::new(vec![3.0_f32, 4.0], [2])?;
    let weighted = |size: [usize; 2], ids: &[i64]| {
        let mut args = args::<B>(size, ids)?;
        args.push(Value::Tensor(B::from_data(weight.clone(), &Default::default())?));
        Ok::<_, tensor_op::Error>(args)
    };
    for ids in [[4, 0], [0, -1], [1, i64::from(i32::MAX)]] {
        let calls = [
            (&PickedRows as &dyn Op, args::<B>([4, 0], &ids)?),
            (&PickedRows, args::<B>([0, 0], &ids)?),
            (&PickedSums, args::<B>([4, 0], &ids)?),
            (&PickedConstants, args::<B>([4, 1], &ids)?),
            (&PickedWeights, weighted([4, 1], &ids)?),
        ];
        for (op, args) in calls {
            for found in read::<B>(op, args) {
                let what = format!("{} at {ids:?}", op.spec().name());
                let error = found.expect_err(&what);
                assert_eq!(error.kind(), ErrorKind::Index, "{what}: {error}");
                let error = error.to_string();
                let names_it = ["dim `v` has", "dim `v` is empty"].iter().any(|part| error.contains(part));
                assert!(names_it, "{what}: {error}");
            }
        }
    }
    for (op, args, expected) in [
        (&PickedRows as &dyn Op, args::<B>([4, 0], &[3, 0])?, &[][..]),
        (&PickedRows, args::<B>([0, 0], &[])?, &[]),
        (&PickedRows, args::<B>([0, 2], &[])?, &[]),
        (&PickedSums, args::<B>([4, 0], &[3, 0])?, &[0.0, 0.0]),
        (&PickedConstants, args::<B>([4, 1], &[3, 0])?, &[2.0, 2.0]),
        (&PickedWeights, weighted([4, 1], &[3, 0])?, &[6.0, 8.0]),
    ] {
        for found in read::<B>(op, args) {
            assert_eq!(found?, expected, "{}", op.spec().name());
        }
    }
    Ok(())
}
