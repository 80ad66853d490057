//! Loops that read by an index: the results are the interpreter's.

use super::super::cpu::Cpu;
use super::super::scheduled::Scheduled;
use super::{MEMORIES, compare, floats, ints, run_programs, with_threads};
use crate::NdArrayTensor;
use tensor_op_core::{DType, ErrorKind, TensorData, Value, interpret};
use tensor_op_spec::ir::{Graph, Kind};
use tensor_op_spec::schedule::Kernel;

/// Formulas over a table `x: [k, d]`, indices `a` and `b`, and values `y: [n, d]`.
const FORMULAS: [&str; 11] = [
    "fn f(x: Tensor![k, d], a: IntTensor![n]) -> Tensor![n, d] { let v = at(x, k = a); v * v }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![n, d] \
        { let e = exp(at(x, k = a) + y); e / sum(e, d) }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n], b: IntTensor![n]) -> Tensor![n] \
        { max(at(x, k = a) * y + at(x, k = b), d) }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![d] \
        { sum(at(x, k = a) * y, n) }",
    "fn f(x: Tensor![k, d], a: IntTensor![n]) -> (Tensor![n, d], Tensor![n]) \
        { let v = at(x, k = a); (v - mean(v, d), sum(v, d)) }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![d, n] \
        { at(x, k = a) * 2.0 + y }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![n, d] \
        { let v = select(at(x > 0.0, k = a), y, -y); v + cast(at(cast(stop_grad(x) * 4.0, int), k = a), float) }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], a: IntTensor![n]) -> Tensor![n, d] \
        { let v = at(x, k = a); let s = softmax(v, d); let t = softmax(v * y, n); s * t }",
    "fn f(x: Tensor![k, d], y: Tensor![n, d], c: IntTensor![n, d]) -> Tensor![n, d] \
        { at(x, k = c) * y + at(x, k = min(c, d)) }",
    "fn f(y: Tensor![n, d], e: IntTensor![n]) -> Tensor![n, d] { at(y, n = e) + y }",
    // If `z` is sliced, runs come by threes.
    "fn f(x: Tensor![k, d], z: IntTensor![n, m]) -> Tensor![n, m, d] { square(at(x, k = z)) }",
];

fn graph(declaration: &str) -> Graph {
    let declaration = declaration.replace("softmax(v, d)", "exp(v - max(v, d))");
    let declaration = declaration.replace("softmax(v * y, n)", "exp(v * y - max(v * y, n))");
    let stages = tensor_op_spec::stages(declaration.parse().unwrap()).unwrap();
    Graph::parse(&stages.graph).unwrap()
}

fn args(graph: &Graph, [n, k, d]: [usize; 3]) -> Vec<TensorData> {
    let arg = |(at, name): (usize, &str)| match name {
        "x" => floats(&[k, d], at),
        "y" => floats(&[n, d], at),
        "c" => ints(&[n, d], k as i64),
        "e" => ints(&[n], n as i64),
        "z" => ints(&[n, 3], k as i64),
        _ => ints(&[n], k as i64),
    };
    graph.args.iter().map(|arg| arg.name.as_str()).enumerate().map(arg).collect()
}

#[test]
fn results_are_those_of_the_interpreter() {
    for declaration in FORMULAS {
        let graph = graph(declaration);
        for sizes in [
            [1, 1, 4],
            [7, 3, 5],
            [70, 9, 16],
            [3, 4, 3000],
            [300, 20, 33],
            [500, 90, 8],
            [7, 5, 300],
            [40, 2, 2],
            [0, 3, 8],
        ] {
            let args = args(&graph, sizes);
            let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
            let expected = interpret(&graph, &values).unwrap();
            for dtype in [DType::F64, DType::F32, DType::BF16] {
                let is_float = |arg: &TensorData| arg.dtype().kind() == Kind::Float;
                // Indices of another type, too.
                let index = if dtype == DType::F32 { DType::I32 } else { DType::I64 };
                let cast = |arg: &TensorData| arg.clone().cast(if is_float(arg) { dtype } else { index });
                let args: Vec<TensorData> = args.iter().map(cast).collect();
                for memory in MEMORIES {
                    let found = with_threads(2, || run_programs(&graph, &args, |_| memory));
                    for (found, expected) in found.iter().zip(&expected) {
                        compare(
                            found,
                            expected,
                            dtype,
                            &format!("{declaration} {sizes:?} {dtype} {memory:?}"),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn only_loops_read_what_is_not_stored() {
    let gathers = |declaration: &str| {
        let scheduled = Scheduled::new(&graph(declaration), &[true]).unwrap();
        let of_kernel = |kernel: &Kernel| match kernel {
            Kernel::Gather(gather) => Some(scheduled.schedule.looped_gather(gather.out).is_some()),
            Kernel::Loop(_) | Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => None,
            Kernel::Contraction(_) | Kernel::Scatter(..) => None,
        };
        scheduled.schedule.kernels.iter().filter_map(of_kernel).collect::<Vec<_>>()
    };
    assert_eq!(gathers(FORMULAS[0]), [true]);
    assert_eq!(gathers(FORMULAS[2]), [true, true]);
    let product = "fn f(x: Tensor![k, d], w: Tensor![d, m], a: IntTensor![n]) -> Tensor![n, m] \
        { sum(at(x, k = a) * w, d) }";
    assert_eq!(gathers(product), [false]);
    let twice = "fn f(x: IntTensor![k], y: Tensor![m], a: IntTensor![n]) -> Tensor![n] \
        { at(y, m = at(x, k = a)) }";
    assert_eq!(gathers(twice), [false, true]);
}

#[test]
fn an_index_out_of_range_is_an_error() {
    let graph = graph(FORMULAS[1]);
    let scheduled = Scheduled::new(&graph, &[true]).unwrap();
    // Among few, and in a later block of a later part of many.
    for (wrong, len, at) in
        [(-1, 3, 1), (4, 3, 1), (i64::MIN, 3, 1), (4, 100_000, 90_001), (-1, 100_000, 99_999)]
    {
        let mut indices: Vec<i64> = (0..len).map(|i| i % 4).collect();
        indices[at] = wrong;
        let index = TensorData::new(indices, [len as usize]).unwrap();
        let args = [floats(&[4, 8], 0), floats(&[len as usize, 8], 1), index];
        let args = args.into_iter().map(|arg| Value::Tensor(NdArrayTensor::from_data(arg))).collect();
        let error = scheduled
            .run_with(args, &mut Cpu { bodies: &scheduled.bodies(), is_generated: true })
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Index);
        assert!(error.to_string().contains(&format!("the index is {wrong}")), "{error}");
    }
}
