//! Rows that lie side by side: they have the bits of the same rows in memory of their own, whatever the
//! number of threads.

use super::{Memory, bits, compare, floats, run_programs, values, with_threads};
use tensor_op_core::{DType, TensorData, Value, interpret};
use tensor_op_spec::ir::Graph;

/// Formulas over the first axis of `x: [n, d]`, or the middle one of `[b, n, d]`, with the axes of `x` and of
/// `y`.
const FORMULAS: [(&str, [&str; 2]); 8] = [
    (
        "fn f(x: Tensor![n, d], y: Tensor![n, d]) -> (Tensor![d], Tensor![d], Tensor![d], Tensor![d]) \
            { (sum(x * y, n), max(x, n), min(y, n), prod(1.0 + 0.01 * x, n)) }",
        ["nd", "nd"],
    ),
    ("fn f(x: Tensor![n, d], y: Tensor![n, d]) -> Tensor![n, d] { softmax(x * y, n) }", ["nd", "nd"]),
    // Passes keep values where earlier ones were.
    (
        "fn f(x: Tensor![n, d], y: Tensor![n, d]) -> Tensor![n, d] \
            { let a = tanh(x * y - mean(x, n)); let b = tanh(a - mean(a, n)); let c = tanh(b - mean(b, n)); \
              let e = tanh(c - mean(c, n)); a + e - mean(e, n) }",
        ["nd", "nd"],
    ),
    // Passes keep a cosine and an exponential for later ones.
    (
        "fn f(x: Tensor![n, d], y: Tensor![n, d]) -> (Tensor![n, d], Tensor![d]) \
            { let c = cos(x) * y; let e = exp(c - max(c, n)); (c * e / sum(e, n), sum(sqrt(e) * x, n)) }",
        ["nd", "nd"],
    ),
    (
        "fn f(x: Tensor![n, d], y: Tensor![d]) -> (IntTensor![d], IntTensor![d], BoolTensor![d], Tensor![n, d]) \
            { (argmax(stop_grad(x), n), argmin(stop_grad(x), n), any(x > y, n), select(all(x > y, n), x, y)) }",
        ["nd", "d"],
    ),
    (
        "fn f(x: Tensor![b, n, d], y: Tensor![n]) -> (Tensor![b, n, d], Tensor![b, d]) \
            { let c = x - mean(x, n); let v = mean(c * c, n); (c * rsqrt(v + 0.5) * y, v) }",
        ["bnd", "n"],
    ),
    (
        "fn f(x: Tensor![b, n, d], y: Tensor![b, d]) -> (Tensor![b, d], IntTensor![b, d]) \
            { (sum(x * y * cast(iota(n), float), n), sum(cast(x > y, int), n)) }",
        ["bnd", "bd"],
    ),
    (
        "fn f(x: Tensor![n, d], y: Tensor![d]) -> Tensor![o = n, d] \
            { max(at(x, n = o + iota(k = 3) - 1, or = -1.0) * y, k) }",
        ["nd", "d"],
    ),
];

fn graph(declaration: &str) -> Graph {
    Graph::parse(&tensor_op_spec::stages(declaration.parse().unwrap()).unwrap().graph).unwrap()
}

fn args(axes: [&str; 2], [n, d]: [usize; 2], dtype: DType) -> Vec<TensorData> {
    let size = |name: char| match name {
        'b' => 2,
        'n' => n,
        _ => d,
    };
    let args = axes.iter().enumerate().map(|(at, axes)| {
        let shape: Vec<usize> = axes.chars().map(size).collect();
        let data = floats(&shape, at);
        let mut numbers = values(&data);
        for (at, special) in [(7, f64::NAN), (70, f64::INFINITY), (200, -0.0), (201, 0.0), (333, f64::NAN)] {
            if at < numbers.len() && numbers.len() > 4 * d {
                numbers[at] = special;
            }
        }
        TensorData::new(numbers, data.shape().clone()).unwrap().cast(dtype)
    });
    args.collect()
}

#[test]
fn a_row_has_the_same_bits_beside_others() {
    for (declaration, axes) in FORMULAS {
        let graph = graph(declaration);
        for size in [[1, 16], [2, 40], [33, 16], [200, 17], [700, 20], [40, 1100], [1024, 16], [5, 2080]] {
            for dtype in [DType::F32, DType::F64, DType::BF16] {
                let args = args(axes, size, dtype);
                let beside = run_programs(&graph, &args, |_| Memory::Plain);
                let alone = run_programs(&graph, &args, |_| Memory::Transposed);
                for (beside, alone) in beside.iter().zip(&alone) {
                    let case = format!("{declaration}: {size:?} {dtype}");
                    assert!(bits(beside) == bits(alone), "{case}");
                }
            }
        }
    }
}

/// Three rows that lie side by side in the result have sixteen rows between them in the argument.
#[test]
fn a_row_of_several_blocks_has_the_same_bits_beside_others() {
    let graph = graph("fn f(x: Tensor![n, b, a]) -> Tensor![n, a, b] { x / (3.0 * sum(x / 3.0, n)) }");
    for n in [300, 1024, 1025, 1300, 2047, 5000] {
        for dtype in [DType::F32, DType::F64] {
            let args = [floats(&[n, 3, 16], n).cast(dtype)];
            let [beside, alone] =
                [Memory::Plain, Memory::Transposed].map(|memory| run_programs(&graph, &args, |_| memory));
            let all = beside.iter().zip(&alone);
            all.for_each(|(beside, alone)| assert!(bits(beside) == bits(alone), "{n} {dtype}"));
        }
    }
}

#[test]
fn long_rows_and_operands_that_lie_otherwise() {
    let mixed = |at: usize| if at == 0 { Memory::Plain } else { Memory::Transposed };
    for (declaration, axes) in FORMULAS {
        let graph = graph(declaration);
        for size in [[9000, 16], [3000, 70], [1025, 130], [300, 1030]] {
            let args = args(axes, size, DType::F64);
            let given: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
            let expected = interpret(&graph, &given).unwrap();
            for memory in [|_| Memory::Plain, |_| Memory::Sliced, mixed] {
                let found = with_threads(1, || run_programs(&graph, &args, memory));
                for (found, expected) in found.iter().zip(&expected) {
                    // A sum of many numbers is right to more units than the sums of other tests.
                    let found = TensorData::new(values(found), found.shape().clone()).unwrap();
                    compare(&found, expected, DType::F32, &format!("{declaration}: {size:?}"));
                }
                let other = with_threads(3, || run_programs(&graph, &args, memory));
                for (found, other) in found.iter().zip(&other) {
                    assert!(bits(found) == bits(other), "{declaration}: {size:?}");
                }
            }
        }
    }
}
