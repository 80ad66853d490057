//! Contractions and indexing.

use super::ops::*;
use super::{Memory, check, compare, floats, ints, run_with, tensor, with_threads};
use crate::{CpuDevice, NdArray};
use tensor_op_core::{Backend, DType, ErrorKind, Shape, TensorData, Value, interpret};

fn linear(lhs: &[usize], rhs: &[usize]) -> [Value<TensorData>; 3] {
    let n = rhs[rhs.len() - 1];
    [Value::Tensor(floats(lhs, 1)), Value::Tensor(floats(rhs, 2)), Value::Tensor(floats(&[n], 3))]
}

#[test]
fn products_plain_batched_and_broadcast() {
    let shapes: [(&[usize], &[usize]); 10] = [
        (&[3, 4], &[4, 5]),
        (&[2, 3, 4], &[2, 4, 5]),
        (&[2, 3, 4], &[4, 5]),
        (&[3, 4], &[2, 4, 5]),
        (&[2, 1, 3, 4], &[3, 4, 5]),
        (&[1, 1], &[1, 1]),
        (&[3, 0], &[0, 2]),
        (&[0, 3], &[3, 2]),
        (&[33, 17], &[17, 65]),
        (&[1, 7], &[7, 1]),
    ];
    for (lhs, rhs) in shapes {
        check(&LINEAR, &linear(lhs, rhs));
    }
}

#[test]
fn products_over_several_axes_in_any_order() {
    for [a, b, c, d, e] in
        [[2, 3, 4, 5, 6], [1, 3, 1, 2, 2], [5, 1, 7, 1, 3], [20, 2, 3, 19, 4], [2, 0, 3, 2, 2]]
    {
        check(&OUTER_SUMS, &[Value::Tensor(floats(&[a, d, b, c], 1)), Value::Tensor(floats(&[c, b, e], 2))]);
    }
}

#[test]
fn an_expanded_factor_is_read_where_it_lies() {
    let (lhs, rhs) = (floats(&[6, 4, 5], 1), floats(&[1, 5, 3], 2));
    let expanded = NdArray::expand(tensor(&rhs, Memory::Plain), Shape::new(&[6, 5, 3])).unwrap();
    let bias = floats(&[3], 3);
    let given = vec![
        Value::Tensor(tensor(&lhs, Memory::Plain)),
        Value::Tensor(expanded),
        Value::Tensor(tensor(&bias, Memory::Plain)),
    ];
    let found = run_with(&LINEAR, given).unwrap();
    let args = [Value::Tensor(lhs), Value::Tensor(rhs), Value::Tensor(bias)];
    let expected = interpret(LINEAR.spec.graph(), &args).unwrap();
    compare(&found[0], &expected[0], DType::F64, "linear");
}

#[test]
fn summed_axes_may_be_broadcast_or_empty() {
    let shapes: [[&[usize]; 4]; 5] = [
        [&[2, 4, 1, 3], &[2, 4, 2, 3], &[3, 2, 5], &[3, 2, 5]],
        [&[2, 4, 2, 1], &[2, 4, 2, 3], &[3, 2, 5], &[3, 2, 5]],
        [&[2, 4, 2, 3], &[2, 4, 2, 3], &[1, 2, 5], &[3, 2, 5]],
        [&[2, 4, 1, 3], &[2, 4, 2, 3], &[1, 1, 5], &[3, 2, 5]],
        [&[2, 4, 0, 3], &[2, 4, 0, 3], &[3, 0, 5], &[3, 0, 5]],
    ];
    for [lhs, lhs_to, rhs, rhs_to] in shapes {
        let expanded = |from: &[usize], to: &[usize], seed| {
            NdArray::expand(tensor(&floats(from, seed), Memory::Plain), Shape::new(to)).unwrap()
        };
        let given = [expanded(lhs, lhs_to, 1), expanded(rhs, rhs_to, 2)];
        let whole = given.clone().map(|tensor| Value::Tensor(NdArray::into_data(tensor).unwrap()));
        let found = run_with(&OUTER_SUMS, given.map(Value::Tensor).to_vec()).unwrap();
        let expected = interpret(OUTER_SUMS.spec.graph(), &whole).unwrap();
        compare(&found[0], &expected[0], DType::F64, &format!("{lhs:?} {rhs:?}"));
    }
}

#[test]
fn products_do_not_depend_on_threads() {
    for (lhs, rhs) in [(&[200, 300][..], &[300, 250][..]), (&[60, 20, 30], &[60, 30, 40])] {
        let args = || {
            let cast = |arg| match arg {
                Value::Tensor(data) => {
                    Value::Tensor(tensor(&TensorData::cast(data, DType::F32), Memory::Transposed))
                }
                Value::Scalar(value) => Value::Scalar(value),
                Value::Shape(shape) => Value::Shape(shape),
            };
            linear(lhs, rhs).map(cast).to_vec()
        };
        let one = with_threads(1, || run_with(&LINEAR, args()).unwrap());
        assert!(one == with_threads(2, || run_with(&LINEAR, args()).unwrap()));
        assert!(one == with_threads(3, || run_with(&LINEAR, args()).unwrap()));
    }
}

#[test]
fn rows_of_a_table_and_back() {
    for [v, d, b, t] in [[5, 3, 2, 4], [7, 1, 1, 1], [9, 200, 6, 5], [4, 3, 0, 2], [2, 0, 3, 3]] {
        let ids = Value::Tensor(ints(&[b, t], v as i64));
        check(&EMBEDDING, &[Value::Tensor(floats(&[v, d], 1)), ids.clone()]);
        let grad = Value::Tensor(floats(&[b, t, d], 2));
        check(&EMBEDDING_BACKWARD, &[Value::Shape([v, d].into()), ids, grad]);
    }
}

#[test]
fn an_index_out_of_range_is_named() {
    for (bad, text) in [(5i64, "5"), (-1, "-1")] {
        let ids = TensorData::new(vec![0, bad], [1, 2]).unwrap();
        for op in [&EMBEDDING, &EMBEDDING_BACKWARD] {
            let plain = |data: &TensorData| Value::Tensor(tensor(data, Memory::Plain));
            let table = floats(&[5, 3], 1);
            let args = if std::ptr::eq(op, &EMBEDDING) {
                vec![plain(&table), plain(&ids)]
            } else {
                vec![Value::Shape([5, 3].into()), plain(&ids), plain(&floats(&[1, 2, 3], 1))]
            };
            let error = run_with(op, args).unwrap_err();
            let expected = format!("{}: `ids`: dim `v` has size 5, but the index is {text}", op.spec.name());
            assert_eq!((error.kind(), error.to_string()), (ErrorKind::Index, expected));
        }
    }
}

#[test]
fn scatters_do_not_depend_on_threads() {
    let ids = tensor(&ints(&[50, 40], 300), Memory::Plain);
    let grad = tensor(&floats(&[50, 40, 33], 1).cast(DType::F32), Memory::Plain);
    let run = |threads| {
        let args =
            vec![Value::Shape([300, 33].into()), Value::Tensor(ids.clone()), Value::Tensor(grad.clone())];
        with_threads(threads, || run_with(&EMBEDDING_BACKWARD, args).unwrap())
    };
    assert!(run(1) == run(3));
    let _ = CpuDevice;
}
