//! Kernels that run on tiles of rows: attention and its gradient, at sizes at which streams pay.

use super::{Memory, floats, tensor, values, with_threads};
use crate::{NdArray, NdArrayTensor};
use tensor_op_core::{Backend, DType, GraphOp, Op, Result, TensorData, Value, interpret};
use tensor_op_spec::grad::backward;
use tensor_op_spec::ir::{Graph, Role};
use tensor_op_spec::schedule::{CostModel, regroup, schedule};

/// Attention with a mask that keeps `s <= t`, and shared heads: `q` has groups `g` of heads.
const CAUSAL: &str = "op causal
dim h named
dim g named
dim t named
dim s named
dim d named
dim e named
arg q: float[t, h, g, d], forward 0
arg k: float[h, s, d], forward 1
arg v: float[h, s, e], forward 2
%0 = input q : float[h, g, t, d]
%1 = input k : float[h, s, d]
%2 = mul(%0, %1) : float[h, g, t, s, d]
%3 = sum(%2; d) : float[h, g, t, s]
%4 = iota(s) : int[s]
%5 = iota(t) : int[t]
%6 = le(%4, %5) : bool[t, s]
%7 = literal -inf : float[]
%8 = select(%6, %3, %7) : float[h, g, t, s]
%9 = max(%8; s) : float[h, g, t]
%10 = sub(%8, %9) : float[h, g, t, s]
%11 = exp(%10) : float[h, g, t, s]
%12 = sum(%11; s) : float[h, g, t]
%13 = div(%11, %12) : float[h, g, t, s]
%14 = input v : float[h, s, e]
%15 = mul(%13, %14) : float[h, g, t, s, e]
%16 = sum(%15; s) : float[h, g, t, e]
out out = %16 [h, g, t, e]
out weights = %13 [h, g, t, s]
out log_sum = %12 [t, h, g]
";

/// The text of [`CAUSAL`] with the mean of the scores subtracted in place of the mask: no row is special.
fn centered() -> String {
    let head = CAUSAL.split("%4 =").next().unwrap_or_default();
    format!(
        "{head}%4 = sum(%3; s) : float[h, g, t]
%5 = len(s) : float[]
%6 = div(%4, %5) : float[h, g, t]
%7 = sub(%3, %6) : float[h, g, t, s]
%8 = tanh(%7) : float[h, g, t, s]
%9 = input v : float[h, s, e]
%10 = mul(%8, %9) : float[h, g, t, s, e]
%11 = sum(%10; s) : float[h, g, t, e]
out out = %11 [h, t, g, e]
"
    )
}

/// Arguments for heads, groups, rows and columns.
fn args([h, g, t, s]: [usize; 4]) -> Vec<TensorData> {
    vec![floats(&[t, h, g, 3], 1), floats(&[h, s, 3], 2), floats(&[h, s, 2], 3)]
}

fn run(op: &GraphOp, args: &[TensorData], dtype: DType, memory: Memory) -> Result<Vec<TensorData>> {
    let value = |data: &TensorData| Value::Tensor(tensor(&data.clone().cast(dtype), memory));
    let wanted = vec![true; op.spec().graph().outputs.len()];
    let results = NdArray::run(op, args.iter().map(value).collect(), &wanted)?;
    results.into_iter().map(|result| result.expect("all are wanted").into_data()).collect()
}

/// Compares a graph with the interpreter. It must have a stream.
fn check(graph: &Graph, args: &[TensorData], dtype: DType, memory: Memory) {
    let op = GraphOp::new(graph.clone());
    assert!(!op.spec().schedule().streams.is_empty(), "{}", op.spec().schedule().explain(graph));
    let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
    let expected = interpret(graph, &values).expect("the arguments fit");
    let found = run(&op, args, dtype, memory).expect("the arguments fit");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.shape(), expected.shape());
        close(found, expected, dtype, &graph.name);
    }
}

/// Sums of hundreds of terms are less exact than [`compare`](super::compare) asks for.
fn close(found: &TensorData, expected: &TensorData, dtype: DType, name: &str) {
    let tolerance = 64.0
        * if dtype == DType::F64 {
            2e-14
        } else if dtype == DType::F32 {
            2e-7
        } else {
            1e-3
        };
    for (at, (found, expected)) in values(found).into_iter().zip(values(expected)).enumerate() {
        let is_close = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(is_close, "{name}, element {at}: found {found}, expected {expected}");
    }
}

fn graph(text: &str) -> Graph {
    regroup(Graph::parse(text).expect("a graph"))
}

/// Large enough to stream: 2 * 2 * 259 * 263 scores.
const LARGE: [usize; 4] = [2, 2, 259, 263];

#[test]
fn attention_in_tiles_is_attention() {
    check(&graph(CAUSAL), &args(LARGE), DType::F64, Memory::Plain);
    check(&graph(CAUSAL), &args(LARGE), DType::F32, Memory::Transposed);
    check(&graph(CAUSAL), &args(LARGE), DType::BF16, Memory::Sliced);
    check(&graph(CAUSAL), &args([1, 1, 3, 90_000]), DType::F64, Memory::Plain);
}

#[test]
fn any_formula_between_two_products_runs_in_tiles() {
    check(&graph(&centered()), &args(LARGE), DType::F64, Memory::Sliced);
}

/// A result that is also kept as computed is one tensor, unless the result is a half.
#[test]
fn a_copy_that_nothing_rounds_takes_no_memory() {
    let text = CAUSAL.replace("out weights = %13 [h, g, t, s]", "out out1 = %16 [h, g, t, e] hidden");
    let op = GraphOp::new(graph(&text));
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let value = |data: &TensorData| Value::Tensor(tensor(&data.clone().cast(dtype), Memory::Plain));
        let results = NdArray::run(&op, args(LARGE).iter().map(value).collect(), &[true; 3]);
        let results: Vec<NdArrayTensor> = results.expect("it runs").into_iter().flatten().collect();
        let [out, copy, _] = &results[..] else { panic!("three results") };
        assert_eq!([out.dtype(), copy.dtype()], [dtype, dtype.compute()]);
        assert_eq!(out.as_ptr() == copy.as_ptr(), !dtype.is_half(), "{dtype}");
    }
}

/// The gradient of a graph, with arguments: those of the graph, its results, and weights for them.
pub(super) fn gradient(graph: &Graph, args: &[TensorData]) -> (Graph, Vec<TensorData>) {
    let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
    let results = interpret(graph, &values).expect("the arguments fit");
    let gradient = backward(graph).expect("a gradient");
    let given = gradient.args.iter().map(|arg| match arg.role {
        Role::Forward(index) => args[index].clone(),
        Role::Output(index) => results[index].clone(),
        Role::Grad(index) => floats(results[index].shape(), 7 + index),
        Role::Tangent(_) => unreachable!("a gradient takes no tangent"),
    });
    let given = given.collect();
    (regroup(gradient), given)
}

#[test]
fn gradients_that_sum_over_rows_are_added_up() {
    for (text, sizes) in [(CAUSAL, LARGE), (&centered(), [1, 1, 515, 517])] {
        let (graph, args) = gradient(&Graph::parse(text).expect("a graph"), &args(sizes));
        let streams = schedule(&graph, CostModel::CPU).streams;
        assert!(streams.iter().any(|stream| !stream.sums.is_empty()), "{text}");
        check(&graph, &args, DType::F64, Memory::Sliced);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let forward = Graph::parse(CAUSAL).expect("a graph");
    let (graph, args) = gradient(&forward, &args([1, 2, 363, 365]));
    let op = GraphOp::new(graph);
    let results =
        |threads| with_threads(threads, || run(&op, &args, DType::F32, Memory::Plain)).expect("it runs");
    let expected = results(1);
    for threads in [2, 3] {
        for (found, expected) in results(threads).iter().zip(&expected) {
            assert_eq!(found.as_slice::<f32>().expect("f32"), expected.as_slice::<f32>().expect("f32"));
        }
    }
}

#[test]
fn a_row_that_keeps_nothing_is_what_the_formula_gives() {
    // The mask keeps `s < t`: nothing for the first row.
    let text = CAUSAL.replace("le(%4, %5)", "lt(%4, %5)");
    let op = GraphOp::new(graph(&text));
    let found = run(&op, &args(LARGE), DType::F32, Memory::Plain).expect("it runs");
    let out = found[0].as_slice::<f32>().expect("f32");
    for (row, values) in out.chunks(2).enumerate() {
        assert_eq!(values.iter().all(|x| x.is_nan()), row % LARGE[2] == 0, "row {row}: {values:?}");
    }
}
