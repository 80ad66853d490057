//! Loops over many short rows: each row has the bits that it has among so few rows that they run one by one.

use super::{MEMORIES, Memory, bits, compare, floats, run_programs, values, with_threads};
use tensor_op_core::{DType, TensorData, Value, interpret};
use tensor_op_spec::ir::{Graph, Role};

/// Formulas over `x: [n, d]` or `[n, d, k]`, with an `a` for each row.
const ROWS: [&str; 8] = [
    "fn f(x: Tensor![n, d], a: Tensor![n]) -> (Tensor![n], Tensor![n], Tensor![n]) \
        { (sum(x * x, d) * a, max(x, d) - min(x, d), prod(x, d)) }",
    "fn f(x: Tensor![n, d], a: Tensor![n]) -> Tensor![n, d] \
        { let e = exp((x - max(x, d)) * a); e / sum(e, d) }",
    "fn f(x: Tensor![n, d], a: Tensor![n]) -> Tensor![n, d] \
        { let b = tanh(x * a - mean(x, d)); let c = tanh(b - mean(b, d)); let e = tanh(c - mean(c, d)); \
          let g = tanh(e - mean(e, d)); b + g - mean(g, d) }",
    "fn f(x: Tensor![n, d], a: Tensor![n]) -> (Tensor![n, d], Tensor![n]) \
        { let c = cos(x) * a; let e = exp(c - max(c, d)); (c * e / sum(e, d), sum(sqrt(e) * x, d)) }",
    "fn f(x: Tensor![n, d], a: Tensor![n]) -> (IntTensor![n], IntTensor![n], BoolTensor![n], Tensor![n, d]) \
        { (argmax(stop_grad(x), d), argmin(stop_grad(x), d), any(x > a, d), select(all(x > a, d), x, a)) }",
    "fn f(x: Tensor![n, d], a: Tensor![n]) -> Tensor![n, d] \
        { let c = x - mean(x, d); c * rsqrt(mean(c * c, d) + 0.5) + cast(argmax(stop_grad(x), d), float) * a }",
    "fn f(x: Tensor![n, d, k], a: Tensor![n, k]) -> (Tensor![n, k], Tensor![n, d, k]) \
        { (ln(sum(exp(x), d)) * a, x * rsqrt(sum(x * x, d) + 1.0)) }",
    "fn f(x: Tensor![n, d, k], a: Tensor![n, k]) -> (IntTensor![n, k], Tensor![n, d, k]) \
        { (argmin(stop_grad(x), d), (x - max(x, d)) * a) }",
];

fn stages(declaration: &str) -> tensor_op_spec::Stages {
    tensor_op_spec::stages(declaration.parse().unwrap()).unwrap()
}

fn graph(text: &str) -> Graph {
    Graph::parse(text).unwrap()
}

/// The arguments for `n` rows of `d` elements, of which `k` lie side by side. Some of them are special.
fn args(graph: &Graph, [n, d, k]: [usize; 3], dtype: DType) -> Vec<TensorData> {
    let args = graph.args.iter().enumerate().map(|(at, arg)| {
        let shape: Vec<usize> = match (arg.name.as_str(), graph.dims.len()) {
            ("x", 2) => vec![n, d],
            ("x", _) => vec![n, d, k],
            (_, 2) => vec![n],
            (_, _) => vec![n, k],
        };
        let data = floats(&shape, at);
        let mut numbers = values(&data);
        for (at, special) in [(7, f64::NAN), (70, f64::INFINITY), (200, -0.0), (201, 0.0), (333, f64::NAN)] {
            if at < numbers.len() {
                numbers[at] = special;
            }
        }
        TensorData::new(numbers, data.shape().clone()).unwrap().cast(dtype)
    });
    args.collect()
}

/// Some rows of each tensor.
fn rows(data: &TensorData, rows: std::ops::Range<usize>) -> TensorData {
    let of_row: usize = data.shape()[1..].iter().product();
    let part = values(data)[rows.start * of_row..rows.end * of_row].to_vec();
    let shape: Vec<usize> = std::iter::once(rows.len()).chain(data.shape()[1..].iter().copied()).collect();
    TensorData::new(part, tensor_op_core::Shape::new(&shape)).unwrap().cast(data.dtype())
}

#[test]
fn a_row_has_the_same_bits_among_few_and_many() {
    for declaration in ROWS {
        let graph = graph(&stages(declaration).graph);
        for (n, d, k) in [
            (130, 2, 2),
            (3000, 3, 3),
            (700, 5, 8),
            (600, 8, 5),
            (400, 12, 1),
            (500, 16, 1),
            (300, 17, 2),
            (70, 33, 4),
            (65, 100, 2),
            (66, 199, 3),
            (64, 256, 1),
        ] {
            for dtype in [DType::F32, DType::F64, DType::BF16] {
                let whole = args(&graph, [n, d, k], dtype);
                for memory in MEMORIES {
                    let found = run_programs(&graph, &whole, |_| memory);
                    for start in [0, n / 2, n - 5] {
                        let few: Vec<TensorData> =
                            whole.iter().map(|arg| rows(arg, start..start + 5)).collect();
                        let expected = run_programs(&graph, &few, |_| Memory::Plain);
                        for (found, expected) in found.iter().zip(&expected) {
                            let case = format!("{declaration}: {n} {d} {k} {dtype} {memory:?} from {start}");
                            assert_eq!(bits(&rows(found, start..start + 5)), bits(expected), "{case}");
                        }
                    }
                }
            }
        }
    }
}

/// Formulas whose gradients have sums over rows beside those along rows.
const MIXED: [&str; 3] = [
    "fn f(x: Tensor![n, d], a: Tensor![n], g: Tensor![d]) -> Tensor![n, d] \
        { let c = x - mean(x, d); c * rsqrt(mean(c * c, d) + 0.5) * g * a }",
    "fn f(x: Tensor![n, d], a: Tensor![n], g: Tensor![d]) -> Tensor![n] { sum(x * g, d) * a }",
    "fn f(x: Tensor![n, d], a: Tensor![n], g: Tensor![d]) -> Tensor![n, d] \
        { exp(x * g - max(x, d)) * a }",
];

#[test]
fn gradients_with_sums_over_short_rows() {
    for declaration in MIXED {
        let stages = stages(declaration);
        let (forward, backward) = (graph(&stages.graph), graph(&stages.gradient.unwrap()));
        for (n, d) in [(64, 2), (1500, 3), (301, 8), (129, 40), (20_000, 2)] {
            let given = [floats(&[n, d], 1), floats(&[n], 2), floats(&[d], 3)];
            let grad_out = |result: &TensorData| floats(result.shape(), 4);
            let values: Vec<Value<TensorData>> = given.iter().cloned().map(Value::Tensor).collect();
            let results = interpret(&forward, &values).unwrap();
            let args = backward.args.iter().map(|arg| match arg.role {
                Role::Forward(at) => given[at].clone(),
                Role::Output(at) => results[at].clone(),
                Role::Grad(at) => grad_out(&results[at]),
                Role::Tangent(_) => unreachable!("a gradient in reverse mode"),
            });
            let args: Vec<TensorData> = args.collect();
            let expected = args.iter().cloned().map(Value::Tensor).collect::<Vec<_>>();
            let expected = interpret(&backward, &expected).unwrap();
            for memory in MEMORIES {
                let found = with_threads(1, || run_programs(&backward, &args, |_| memory));
                for (found, expected) in found.iter().zip(&expected) {
                    compare(found, expected, DType::F64, &format!("{declaration}: {n} {d} {memory:?}"));
                }
                assert!(
                    found == with_threads(3, || run_programs(&backward, &args, |_| memory)),
                    "{declaration}: {n} {d}"
                );
            }
        }
    }
}
