use super::*;
use crate::DType;
use crate::samples::{
    CROSS_ENTROPY, CROSS_ENTROPY_BACKWARD, MATMUL, ROTATE, SCALE_BACKWARD, SOFTMAX, STATISTICS, graph,
};

fn floats(values: &[f64], shape: &[usize]) -> Value<TensorData> {
    Value::Tensor(TensorData::new(values.to_vec(), shape).expect("as many values as the shape says"))
}

fn ints(values: &[i64], shape: &[usize]) -> Value<TensorData> {
    Value::Tensor(TensorData::new(values.to_vec(), shape).expect("as many values as the shape says"))
}

fn int(value: i64) -> Value<TensorData> {
    Value::Scalar(Scalar::Int(value))
}

/// Evaluates a graph, and compares the shape and the floats of the first result.
#[track_caller]
fn check(text: &str, args: &[Value<TensorData>], shape: &[usize], expected: &[f64]) {
    let result = &interpret(&graph(text), args).unwrap()[0];
    assert_eq!(result.shape(), shape);
    let found = result.to_vec::<f64>().unwrap();
    assert_eq!(found.len(), expected.len());
    let close = found.iter().zip(expected).all(|(a, b)| a == b || (a - b).abs() <= 1e-15 * b.abs());
    assert!(close, "found {found:?}, expected {expected:?}");
}

#[test]
fn softmax_over_either_axis() {
    let x = [0.0, 0.0, 2f64.ln(), 3f64.ln()];
    check(SOFTMAX, &[floats(&x, &[2, 2]), int(1)], &[2, 2], &[0.5, 0.5, 0.4, 0.6]);
    check(SOFTMAX, &[floats(&x, &[2, 2]), int(-2)], &[2, 2], &[1.0 / 3.0, 0.25, 2.0 / 3.0, 0.75]);
    check(SOFTMAX, &[floats(&[1000.0, 1000.0], &[2]), int(0)], &[2], &[0.5, 0.5]);
}

#[test]
fn a_product_of_matrices_broadcasts_its_group() {
    let (eye, b) = ([1.0, 0.0, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    check(MATMUL, &[floats(&eye, &[2, 2]), floats(&b, &[2, 2, 2])], &[2, 2, 2], &b);
    check(MATMUL, &[floats(&b, &[2, 4]), floats(&[1.0; 4], &[4, 1])], &[2, 1], &[10.0, 26.0]);
    check(MATMUL, &[floats(&[], &[2, 0]), floats(&[], &[0, 1])], &[2, 1], &[0.0, 0.0]);
}

#[test]
fn indexing_and_its_adjoint() {
    let logits = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let third = 3f64.ln();
    let args = [floats(&logits, &[2, 3]), ints(&[2, 0], &[2])];
    check(CROSS_ENTROPY, &args, &[2], &[third, third]);
    let grad = floats(&[3.0, 6.0], &[2]);
    let expected = [1.0, 1.0, -2.0, -4.0, 2.0, 2.0];
    check(CROSS_ENTROPY_BACKWARD, &[args[0].clone(), args[1].clone(), grad], &[2, 3], &expected);
    for wrong in [3, -1, i64::MIN] {
        let args = [floats(&logits, &[2, 3]), ints(&[0, wrong], &[2])];
        let error = interpret(&graph(CROSS_ENTROPY), &args).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Index);
        let expected =
            format!("cross_entropy: `target`: dim `v` has size 3, so that index {wrong} is out of range");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn composites_split_and_merge_row_major() {
    // From [(half, d)] to [(d, half)]: each row is transposed.
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    check(ROTATE, &[floats(&x, &[1, 6])], &[1, 6], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn gradients_are_summed_to_their_argument() {
    // The gradient `grad_x` of `x * scale`, for a row `x` that was broadcast over two rows of `scale`.
    let scale = floats(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let grad = floats(&[1.0, 1.0, 10.0, 10.0], &[2, 2]);
    let x = Value::Shape(Shape::new(&[1, 2]));
    check(SCALE_BACKWARD, &[x, scale.clone(), grad.clone()], &[1, 2], &[31.0, 42.0]);
    check(SCALE_BACKWARD, &[Value::Shape(Shape::new(&[2])), scale, grad], &[2], &[31.0, 42.0]);
}

#[test]
fn every_reduction_keeps_its_conventions() {
    let run = |x: &[f64]| interpret(&graph(STATISTICS), &[floats(x, &[1, x.len()])]).unwrap();
    let floats_of = |x: &[f64]| run(x)[..4].iter().map(|d| d.to_vec::<f64>().unwrap()[0]).collect::<Vec<_>>();
    let rest_of = |x: &[f64]| run(x)[4..].iter().map(|d| d.to_vec::<i64>().unwrap()[0]).collect::<Vec<_>>();
    assert_eq!(floats_of(&[2.0, -3.0, 2.0]), [1.0, -12.0, 2.0, -3.0]);
    assert_eq!(rest_of(&[2.0, -3.0, 2.0]), [0, 1, 1, 0]);
    let with_nan = [1.0, f64::NAN, 5.0];
    assert!(floats_of(&with_nan).iter().all(|x| x.is_nan()));
    assert_eq!(rest_of(&with_nan), [1, 1, 1, 0]);
    let dtypes: Vec<DType> = run(&[1.0]).iter().map(TensorData::dtype).collect();
    assert_eq!(dtypes[3..], [DType::F64, DType::I64, DType::I64, DType::Bool, DType::Bool]);
}
