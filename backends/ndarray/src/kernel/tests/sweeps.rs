//! Scans that run step by step with what stands around them, at sizes at which that pays.

use super::streams::gradient;
use super::{MEMORIES, Memory, bits, compare, floats, run_programs, tensor, values, with_threads};
use crate::NdArray;
use crate::kernel::sweep::RUNS;
use tensor_op_core::{Backend, DType, GraphOp, TensorData, Value, interpret};
use tensor_op_spec::ir::Graph;

/// Formulas, the shapes of their arguments, and how many sweeps run.
const FORMULAS: [(&str, &[&[usize]], usize); 9] = [
    (
        "fn rwkv(query: Tensor![b, t, k], key: Tensor![b, t, k], value: Tensor![b, t, e], decay: Tensor![b, t, k]) \
            -> Tensor![b, t, e] { let state = linear_recurrence(exp(-exp(decay)), key * value, t); \
            sum(query * (at(state, t = t - 1, or = 0.5) + key * value), k) }",
        &[&[2, 65, 17], &[2, 65, 17], &[2, 65, 40], &[2, 65, 17]],
        1,
    ),
    (
        "fn backwards(x: Tensor![t, d], y: Tensor![t, d]) -> (Tensor![t, d], Tensor![d]) \
            { let sums = cumsum(x * y, t, reverse = true); (sums, sum(sums * x, t)) }",
        &[&[40, 2600], &[40, 2600]],
        1,
    ),
    (
        "fn before(x: Tensor![t, d]) -> Tensor![t, d] \
            { let most = cummax(x, t); exp(most - at(most, t = t - 1, or = -INFINITY)) * cumprod(tanh(x), t) }",
        &[&[80, 3000]],
        1,
    ),
    (
        "fn two(x: Tensor![t, d], y: Tensor![t]) -> Tensor![d] \
            { let fast = linear_recurrence(0.5, x, t); sum(linear_recurrence(0.9, fast * y, t), t) }",
        &[&[100, 750], &[100]],
        1,
    ),
    (
        "fn long(x: Tensor![t, d]) -> (Tensor![t, d], Tensor![d]) \
            { let sums = cumsum(x, t); (sums * x, sum(sums / 3000.0, t)) }",
        &[&[3000, 130]],
        1,
    ),
    (
        "fn axes(x: Tensor![t, d, e], y: Tensor![e, d, t], one: Tensor![k]) -> Tensor![t, e] \
            { sum(square(cumsum(x * y * one, t)), (d, k)) }",
        &[&[60, 40, 30], &[30, 40, 60], &[1]],
        1,
    ),
    (
        "fn one_step(x: Tensor![t, d]) -> Tensor![t, d] { let s = cumsum(x, t); s - at(s, t = t - 1, or = 2.0) }",
        &[&[1, 70_000]],
        1,
    ),
    // Nothing but values at each point, and rows that are too long.
    ("fn alone(x: Tensor![t, d]) -> Tensor![t, d] { exp(cumsum(x, t) / 8.0) }", &[&[90, 1024]], 0),
    (
        "fn long_rows(x: Tensor![t, n], y: Tensor![t]) -> Tensor![t] { max(cumsum(x * y, t), n) }",
        &[&[20, 5000], &[20]],
        0,
    ),
];

fn formula(declaration: &str) -> Graph {
    Graph::parse(&tensor_op_spec::stages(declaration.parse().unwrap()).unwrap().graph).unwrap()
}

fn args(shapes: &[&[usize]]) -> Vec<TensorData> {
    shapes.iter().zip(1..).map(|(shape, seed)| floats(shape, seed)).collect()
}

/// Compares with the interpreter, relative to the largest of all results. Returns how many sweeps ran.
fn check(graph: &Graph, args: &[TensorData], dtype: DType, memory: Memory) -> usize {
    let given: Vec<TensorData> = args.iter().map(|arg| arg.clone().cast(dtype)).collect();
    let exact = given.iter().map(|arg| Value::Tensor(arg.clone().cast(DType::F64)));
    let expected = interpret(graph, &exact.collect::<Vec<_>>()).unwrap();
    let before = RUNS.get();
    let found = run_programs(graph, &given, |_| memory);
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found.shape(), expected.shape());
        let finite = values(expected).into_iter().filter(|value| value.is_finite());
        let most = finite.fold(1.0, |most: f64, value| most.max(value.abs()));
        let scaled = |data: &TensorData| {
            let scaled = values(data).iter().map(|value| value / most).collect::<Vec<f64>>();
            TensorData::new(scaled, data.shape().clone()).unwrap()
        };
        let case = format!("{} result {at}, {dtype} {memory:?}", graph.name);
        compare(&scaled(found), &scaled(expected), dtype, &case);
    }
    RUNS.get() - before
}

#[test]
fn sweeps_compute_what_the_formula_says() {
    for (declaration, shapes, sweeps) in FORMULAS {
        let (graph, args) = (formula(declaration), args(shapes));
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            for memory in MEMORIES {
                assert_eq!(check(&graph, &args, dtype, memory), sweeps, "{declaration}");
            }
        }
    }
}

#[test]
fn gradients_in_sweeps_are_gradients() {
    let mut sweeps = 0;
    for (declaration, shapes, _) in FORMULAS {
        let (graph, args) = gradient(&formula(declaration), &args(shapes));
        sweeps += check(&graph, &args, DType::F64, Memory::Sliced);
        check(&graph, &args, DType::F32, Memory::Plain);
    }
    assert_eq!(sweeps, 2);
}

#[test]
fn threads_change_no_bit() {
    for (declaration, shapes, _) in FORMULAS {
        let (forward, args) = (formula(declaration), args(shapes));
        for (graph, args) in [gradient(&forward, &args), (forward, args)] {
            let args: Vec<TensorData> = args.into_iter().map(|arg| arg.cast(DType::F32)).collect();
            let run = |threads| with_threads(threads, || run_programs(&graph, &args, |_| Memory::Plain));
            let expected = run(1);
            for threads in [2, 3, 8] {
                let found = run(threads);
                assert!(found.iter().zip(&expected).all(|(a, b)| bits(a) == bits(b)), "{}", graph.name);
            }
        }
    }
}

/// The arguments are few, so that the second call would be recorded. The states are many.
#[test]
fn calls_that_come_again_sweep_too() {
    let op = GraphOp::new(formula(FORMULAS[0].0));
    let args = args(&[&[1, 16, 64], &[1, 16, 64], &[1, 16, 64], &[1, 16, 64]]);
    let before = RUNS.get();
    let run = || {
        let args = args.iter().map(|arg| Value::Tensor(tensor(arg, Memory::Plain))).collect();
        let out = NdArray::run(&op, args, &[true]).unwrap().remove(0).unwrap();
        bits(&out.into_data().unwrap())
    };
    let expected = run();
    assert!((0..3).all(|_| run() == expected));
    assert_eq!(RUNS.get() - before, 4);
}
