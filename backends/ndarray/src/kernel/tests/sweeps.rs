//! Scans that run step by step with what stands around them, at sizes at which that pays.

use super::streams::gradient;
use super::{MEMORIES, Memory, bits, compare, floats, run_programs, with_threads};
use tensor_op_core::{DType, TensorData, Value, interpret};
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::{CostModel, schedule};

/// Formulas, and the shapes of their arguments.
const FORMULAS: [(&str, &[&[usize]]); 8] = [
    (
        "fn rwkv(query: Tensor![b, t, k], key: Tensor![b, t, k], value: Tensor![b, t, e], decay: Tensor![b, t, k]) \
            -> Tensor![b, t, e] { let state = linear_recurrence(exp(-exp(decay)), key * value, t); \
            sum(query * (at(state, t = t - 1, or = 0.5) + key * value), k) }",
        &[&[2, 65, 17], &[2, 65, 17], &[2, 65, 40], &[2, 65, 17]],
    ),
    (
        "fn backwards(x: Tensor![t, d], y: Tensor![t, d]) -> (Tensor![t, d], Tensor![d]) \
            { let sums = cumsum(x * y, t, reverse = true); (sums, sum(sums * x, t)) }",
        &[&[120, 600], &[120, 600]],
    ),
    (
        "fn before(x: Tensor![t, d]) -> Tensor![t, d] \
            { let most = cummax(x, t); exp(most - at(most, t = t - 1, or = -INFINITY)) * cumprod(tanh(x), t) }",
        &[&[120, 601]],
    ),
    (
        "fn least(x: Tensor![t, d]) -> Tensor![t, d] { cummin(sin(x), t) + cumsum(x, t, exclusive = true) }",
        &[&[90, 1024]],
    ),
    (
        "fn long_rows(x: Tensor![t, n], y: Tensor![t]) -> Tensor![t] { max(cumsum(x * y, t), n) }",
        &[&[20, 5000], &[20]],
    ),
    (
        "fn two(x: Tensor![t, d], y: Tensor![t]) -> Tensor![d] \
            { let fast = linear_recurrence(0.5, x, t); sum(linear_recurrence(0.9, fast * y, t), t) }",
        &[&[100, 750], &[100]],
    ),
    ("fn long(x: Tensor![t, d]) -> Tensor![t, d] { cumsum(x, t) * x }", &[&[3000, 130]]),
    (
        "fn axes(x: Tensor![t, d, e], y: Tensor![e, d, t]) -> Tensor![t, e] \
            { sum(square(cumsum(x * y, t)), d) }",
        &[&[60, 40, 30], &[30, 40, 60]],
    ),
];

/// Its scans run in tiles.
const STREAMED: &str = "rwkv_backward";

fn formula(declaration: &str) -> Graph {
    Graph::parse(&tensor_op_spec::stages(declaration.parse().unwrap()).unwrap().graph).unwrap()
}

fn args(shapes: &[&[usize]]) -> Vec<TensorData> {
    shapes.iter().zip(1..).map(|(shape, seed)| floats(shape, seed)).collect()
}

/// Compares with the interpreter, relative to the largest of all results.
fn check(graph: &Graph, args: &[TensorData], dtype: DType, memory: Memory) {
    let is_swept = !schedule(graph, CostModel::CPU).sweeps.is_empty();
    assert!(is_swept || graph.name == STREAMED, "{}", graph.name);
    let given: Vec<TensorData> = args.iter().map(|arg| arg.clone().cast(dtype)).collect();
    let values: Vec<Value<TensorData>> =
        given.iter().map(|arg| Value::Tensor(arg.clone().cast(DType::F64))).collect();
    let expected = interpret(graph, &values).unwrap();
    let found = run_programs(graph, &given, |_| memory);
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let most = super::values(expected).iter().fold(1.0, |most: f64, value| most.max(value.abs()));
        let scale = |data: &TensorData| {
            let scaled = super::values(data).iter().map(|value| value / most / 8.0).collect::<Vec<f64>>();
            TensorData::new(scaled, data.shape().clone()).unwrap()
        };
        assert_eq!(found.shape(), expected.shape());
        let case = format!("{} result {at}, {dtype} {memory:?}", graph.name);
        compare(&scale(found), &scale(expected), dtype, &case);
    }
}

#[test]
fn sweeps_compute_what_the_formula_says() {
    for (declaration, shapes) in FORMULAS {
        let (graph, args) = (formula(declaration), args(shapes));
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            for memory in MEMORIES {
                check(&graph, &args, dtype, memory);
            }
        }
    }
}

#[test]
fn gradients_in_sweeps_are_gradients() {
    for (declaration, shapes) in FORMULAS {
        let (graph, args) = gradient(&formula(declaration), &args(shapes));
        check(&graph, &args, DType::F64, Memory::Sliced);
        check(&graph, &args, DType::F32, Memory::Plain);
    }
}

#[test]
fn threads_change_no_bit() {
    for (declaration, shapes) in FORMULAS {
        let (graph, args) = (formula(declaration), args(shapes));
        let args: Vec<TensorData> = args.into_iter().map(|arg| arg.cast(DType::F32)).collect();
        let run = |threads| with_threads(threads, || run_programs(&graph, &args, |_| Memory::Plain));
        let expected = run(1);
        for threads in [2, 3, 8] {
            let found = run(threads);
            assert!(found.iter().zip(&expected).all(|(a, b)| bits(a) == bits(b)), "{}", graph.name);
        }
    }
}
