//! Pointwise, row, column and mixed loops.

use super::ops::*;
use super::{Memory, Sample, check, floats, ints, run_with, tensor, with_threads};
use tensor_op_core::{DType, ErrorKind, TensorData, Value};
use tensor_op_spec::ir::Scalar;

fn axis(axis: i64) -> Value<TensorData> {
    Value::Scalar(Scalar::Int(axis))
}

#[test]
fn the_schedules_are_those_that_the_bodies_were_written_for() {
    let ops: [&Sample; 8] =
        [&MIXTURE, &SOFTMAX, &COLUMNS, &NORM_BACKWARD, &STATISTICS, &SCALE_BACKWARD, &ROTATE, &LINEAR];
    for op in ops {
        let (graph, schedule) = (op.spec.graph(), op.spec.schedule());
        assert_eq!(schedule.passes().count(), op.kernels.passes.len(), "{}", schedule.explain(graph));
    }
}

#[test]
fn pointwise_loops_of_all_kinds() {
    for shape in [
        &[3, 5][..],
        &[2, 3, 1],
        &[7],
        &[2, 1300],
        &[40, 30],
        &[9, 256],
        &[5, 512],
        &[4, 300],
        &[0, 4],
        &[3, 0],
    ] {
        let n = shape[shape.len() - 1];
        let args = [
            Value::Tensor(floats(shape, 1)),
            Value::Tensor(floats(&[n], 2)),
            Value::Tensor(ints(shape, 9)),
            Value::Scalar(Scalar::Float(1.5)),
        ];
        check(&MIXTURE, &args);
    }
}

#[test]
fn leading_axes_broadcast() {
    let args = [
        Value::Tensor(floats(&[4, 1, 6], 1)),
        Value::Tensor(floats(&[6], 2)),
        Value::Tensor(ints(&[3, 6], 9)),
        Value::Scalar(Scalar::Float(-0.5)),
    ];
    check(&MIXTURE, &args);
}

#[test]
fn softmax_over_any_axis() {
    for shape in [&[3, 5][..], &[2, 3, 4], &[2, 2100], &[1, 1], &[17, 40], &[0, 3], &[1, 8300]] {
        for along in 0..shape.len() {
            if shape[along] > 0 {
                check(&SOFTMAX, &[Value::Tensor(floats(shape, 3)), axis(along as i64)]);
            }
        }
    }
}

#[test]
fn reductions_over_rows() {
    for shape in [[5, 3], [400, 7], [70, 300], [1, 1], [3, 5000], [1, 129], [9, 0]] {
        check(&COLUMNS, &[Value::Tensor(floats(&shape, 4))]);
    }
}

#[test]
fn rows_and_columns_in_one_pass() {
    for shape in [&[3, 5][..], &[2, 3, 4], &[300, 20], &[2, 1500], &[0, 3], &[6]] {
        let n = shape[shape.len() - 1];
        let args = [
            Value::Tensor(floats(shape, 5)),
            Value::Tensor(floats(&[n], 6)),
            Value::Tensor(floats(shape, 7)),
        ];
        check(&NORM_BACKWARD, &args);
    }
}

#[test]
fn positions_count_in_declared_order() {
    for shape in [&[3, 4, 5][..], &[2, 2, 1, 6], &[4, 1], &[1, 700, 3]] {
        check(&STATISTICS, &[Value::Tensor(floats(shape, 8)), Value::Tensor(ints(shape, 11))]);
    }
}

#[test]
fn a_gradient_takes_the_shape_of_its_argument() {
    for (x, scale) in
        [([1, 4], [3, 4]), ([3, 1], [3, 4]), ([1, 1], [3, 4]), ([3, 4], [3, 1]), ([1, 4], [0, 4])]
    {
        let whole: Vec<usize> = x.iter().zip(scale).map(|(a, b)| if *a == 1 { b } else { *a }).collect();
        let args =
            [Value::Shape(x.into()), Value::Tensor(floats(&scale, 1)), Value::Tensor(floats(&whole, 2))];
        check(&SCALE_BACKWARD, &args);
    }
    let args =
        [Value::Shape([4].into()), Value::Tensor(floats(&[2, 1], 1)), Value::Tensor(floats(&[3, 2, 4], 2))];
    check(&SCALE_BACKWARD, &args);
}

#[test]
fn composite_axes_split_and_merge() {
    for shape in [&[6][..], &[3, 8], &[2, 2, 2], &[5, 0]] {
        check(&ROTATE, &[Value::Tensor(floats(shape, 2))]);
    }
}

#[test]
fn no_elements_have_no_largest_where_a_result_needs_it() {
    check(&SOFTMAX, &[Value::Tensor(floats(&[3, 0], 1)), Value::Scalar(Scalar::Int(1))]);
    check(&STATISTICS, &[Value::Tensor(floats(&[0, 0, 0], 1)), Value::Tensor(ints(&[0, 0, 0], 1))]);
    let args = [floats(&[3, 0, 2], 1), ints(&[3, 0, 2], 1)];
    let args = args.iter().map(|data| Value::Tensor(tensor(data, Memory::Plain))).collect();
    let error = run_with(&STATISTICS, args).unwrap_err();
    assert_eq!((error.kind(), error.op(), error.dim()), (ErrorKind::Empty, Some("statistics"), Some("n")));
}

#[test]
fn results_do_not_depend_on_threads() {
    let long = floats(&[2, 70_000], 9).cast(DType::F32);
    let wide = floats(&[700, 100], 9).cast(DType::F32);
    let gamma = |n| Value::Tensor(tensor(&floats(&[n], 6).cast(DType::F32), Memory::Plain));
    for data in [long, wide] {
        let n = data.shape()[1];
        let x = |memory| Value::Tensor(tensor(&data, memory));
        let run = |threads: usize| {
            with_threads(threads, || {
                let mut results =
                    run_with(&SOFTMAX, vec![x(Memory::Plain), Value::Scalar(Scalar::Int(1))]).unwrap();
                results.extend(
                    run_with(&SOFTMAX, vec![x(Memory::Plain), Value::Scalar(Scalar::Int(0))]).unwrap(),
                );
                results.extend(run_with(&COLUMNS, vec![x(Memory::Transposed)]).unwrap());
                results.extend(
                    run_with(&NORM_BACKWARD, vec![x(Memory::Plain), gamma(n), x(Memory::Sliced)]).unwrap(),
                );
                results
            })
        };
        let one = run(1);
        for threads in [2, 3] {
            assert!(one == run(threads), "{} threads", threads);
        }
    }
}
