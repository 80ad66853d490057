//! Calls that come again give the bits and the errors that they give when each of them is planned anew.

use super::ops::*;
use super::{Memory, Sample, floats, ints, tensor, with_threads};
use crate::kernel::calls;
use crate::kernel::way::{CpuKernels, Way};
use crate::{NdArray, NdArrayTensor};
use std::any::TypeId;
use tensor_op_core::{Backend, DType, GraphOp, Op, Result, Shape, TensorData, Value, match_dtype};
use tensor_op_spec::ir::{Arg, ArgType, Axis, Graph, Scalar};

/// One op of each class of kernels.
const DECLARED: [&str; 11] = [
    "fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }",
    "fn scaled(x: Tensor, y: Tensor, a: f64, k: i64) -> Tensor { x * a + y * cast(k, float) }",
    "fn two(x: Tensor![m, n], y: Tensor![m, n]) -> (Tensor![n], Tensor![m, n]) { (sum(x * y, m), x / sum(y, n)) }",
    "fn turned(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![n, m] { exp(x) + y }",
    "fn product(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, k = m] { relu(sum(x * at(y, m = iota(k)), n)) }",
    "fn noise(x: Tensor, y: Tensor, p: Fraction, seed: Seed) -> Tensor { dropout(x, p, seed) + y }",
    "fn sums(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, n] { cumsum(x * y, n) + y }",
    "fn sorted(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, n] { sort(x, n) - y }",
    "fn moved(x: Tensor![m, n], y: Tensor![m, n], by: i64) -> Tensor![m, n] { at(x, n = n - by, or = 0.0) * y }",
    "fn rows(x: Tensor![m, n], y: Tensor![m, n], ids: IntTensor![k]) -> Tensor![k, n] { at(x, m = ids) + sum(y, m) }",
    "fn placed(x: Tensor![m, n], y: Tensor![m, n], size: usize) -> Tensor![size, n] { scatter_add(x * y, m, size = iota(m)) }",
];

fn declared() -> Vec<GraphOp> {
    let graph = |source: &&str| {
        let stages =
            tensor_op_spec::stages(source.parse().unwrap()).unwrap_or_else(|e| panic!("{source}: {e:?}"));
        GraphOp::new(Graph::parse(&stages.graph).unwrap())
    };
    DECLARED.iter().map(graph).collect()
}

/// A call without a tape.
fn plain(
    op: &dyn Op,
    args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<NdArrayTensor>>> {
    let kernels = op.kernels(TypeId::of::<CpuKernels>()).and_then(|kernels| kernels.downcast_ref());
    let results = Way::new(op.spec(), kernels, wanted).and_then(|way| way.run(op.spec(), args, wanted));
    results.map_err(|error| error.with_op(op.spec().name()))
}

/// Shape, strides, and bits of each result; or the error.
type Seen = std::result::Result<Vec<Option<(Shape, Vec<isize>, Vec<u64>)>>, String>;

fn seen(results: Result<Vec<Option<NdArrayTensor>>>) -> Seen {
    let results = results.map_err(|error| format!("{:?} {error}", error.kind()))?;
    let look = |tensor: NdArrayTensor| {
        let (shape, strides) = (tensor.shape().clone(), tensor.strides().to_vec());
        (shape, strides, bits(&tensor.into_data().unwrap()))
    };
    Ok(results.into_iter().map(|result| result.map(look)).collect())
}

fn bits(data: &TensorData) -> Vec<u64> {
    use tensor_op_core::Element;
    match_dtype!(data.dtype(), T => data.as_slice::<T>().unwrap().iter().map(|x| x.to_f64().to_bits()).collect())
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Arguments for one of the declared ops.
fn arguments(op: usize, random: &mut Random) -> Vec<Value<TensorDataIn>> {
    let [m, n] = [[3, 4], [8, 8], [1, 5], [2, 0], [130, 7]][random.below(5)];
    let dtype = [DType::F32, DType::F64, DType::F16][random.below(3)];
    let memory = super::MEMORIES[random.below(3)];
    let float = |shape: &[usize], random: &mut Random| {
        let data = floats(shape, random.below(1000)).cast(dtype);
        Value::Tensor(TensorDataIn { data, memory, is_shared: random.below(2) == 0 })
    };
    // A few calls are wrong.
    let other = if random.below(20) == 0 { n + 1 } else { n };
    let mut args = vec![float(&[m, n], random), float(&[m, other], random)];
    let number = |random: &mut Random| Value::Scalar(Scalar::Float(random.below(9) as f64 / 4.0));
    let int = |random: &mut Random| Value::Scalar(Scalar::Int(random.below(4) as i64 - 1));
    match op {
        1 => args.extend([number(random), int(random)]),
        5 => args.extend([number(random), int(random)]),
        8 => args.push(int(random)),
        9 => {
            let ids = ints(&[4], m as i64 + i64::from(random.below(9) == 0));
            args.push(Value::Tensor(TensorDataIn { data: ids, memory, is_shared: false }));
        }
        10 => args.push(Value::Scalar(Scalar::Int((m + random.below(3)) as i64 - 1))),
        _ => {}
    }
    args
}

/// What a tensor is made of.
#[derive(Clone)]
struct TensorDataIn {
    data: TensorData,
    memory: Memory,
    /// Whether somebody else holds the tensor during the call.
    is_shared: bool,
}

fn given(args: &[Value<TensorDataIn>]) -> (Vec<Value<NdArrayTensor>>, Vec<NdArrayTensor>) {
    let mut shared = Vec::new();
    let args = args.iter().map(|arg| {
        arg.clone().map(|TensorDataIn { data, memory, is_shared }| {
            let tensor = tensor(&data, memory);
            shared.extend(is_shared.then(|| tensor.clone()));
            tensor
        })
    });
    (args.collect(), shared)
}

fn mixed_calls(seed: u64, count: usize) {
    let (ops, mut random) = (declared(), Random(seed));
    for call in 0..count {
        let op = random.below(ops.len());
        let args = arguments(op, &mut random);
        let results = ops[op].spec().graph().outputs.len();
        let wanted: Vec<bool> = (0..results).map(|_| random.below(4) != 0).collect();
        let ((a, _kept), (b, _also)) = (given(&args), given(&args));
        let (found, expected) = (seen(NdArray::run(&ops[op], a, &wanted)), seen(plain(&ops[op], b, &wanted)));
        assert_eq!(found, expected, "call {call} of {}, wanted {wanted:?}", ops[op].spec().name());
    }
}

#[test]
fn mixed_calls_give_the_bits_and_the_errors_of_plain_ones() {
    mixed_calls(1, 6000);
}

#[test]
fn threads_have_tapes_of_their_own() {
    std::thread::scope(|scope| {
        (2..4).for_each(|seed| drop(scope.spawn(move || mixed_calls(seed, 1500))));
    });
    for threads in [1, 2] {
        with_threads(threads, || mixed_calls(5, 500));
    }
}

/// Compiled bodies: all sorts of operands, columns and rows.
#[test]
fn compiled_bodies_run_from_tapes_too() {
    let ops: [(&'static Sample, Vec<Value<TensorData>>); 3] = [
        (&SOFTMAX, vec![Value::Tensor(floats(&[8, 8], 1)), Value::Scalar(Scalar::Int(1))]),
        (&COLUMNS, vec![Value::Tensor(floats(&[30, 20], 2))]),
        (
            &MIXTURE,
            vec![
                Value::Tensor(floats(&[4, 6], 1)),
                Value::Tensor(floats(&[6], 2)),
                Value::Tensor(ints(&[4, 6], 5)),
                Value::Scalar(Scalar::Float(0.5)),
            ],
        ),
    ];
    for (op, args) in ops {
        let wanted = vec![true; op.spec.graph().outputs.len()];
        let tensors =
            || args.iter().map(|arg| arg.clone().map(|data| tensor(&data, Memory::Plain))).collect();
        let expected = seen(plain(&op, tensors(), &wanted));
        for _ in 0..4 {
            assert_eq!(seen(NdArray::run(&op, tensors(), &wanted)), expected);
        }
        assert!(calls::is_recorded(&op, tensors(), &wanted));
    }
}

/// Loops over short rows, one after the other and side by side: along rows, and over them too.
const SHORT_ROWS: [&str; 3] = [
    "fn f(x: Tensor![n, d], t: f64) -> Tensor![n, d] { let e = exp((x - max(x, d)) * t); e / sum(e, d) }",
    "fn f(x: Tensor![n, d, k], t: f64) -> Tensor![n, d, k] { let e = exp(x * t); e / sum(e, d) }",
    "fn f(x: Tensor![n, d], g: Tensor![d], t: f64) -> Tensor![n, d] \
        { let c = x - mean(x, d); c * rsqrt(mean(c * c, d) + t) * g }",
];

#[test]
fn short_rows_run_from_tapes_too() {
    for source in SHORT_ROWS {
        let stages = tensor_op_spec::stages(source.parse().unwrap()).unwrap();
        for graph in [stages.graph, stages.gradient.unwrap()] {
            let op = GraphOp::new(Graph::parse(&graph).unwrap());
            for (n, d, k) in [(64, 3, 2), (200, 5, 8)] {
                super::MEMORIES.iter().for_each(|memory| calls_of_short_rows(&op, [n, d, k], *memory));
            }
        }
    }
}

fn calls_of_short_rows(op: &GraphOp, [n, d, k]: [usize; 3], memory: Memory) {
    let graph = op.spec().graph();
    let wanted = vec![true; graph.outputs.len()];
    let size = |axis: &Axis| match axis {
        Axis::Dim(dim) => [("n", n), ("d", d), ("k", k)]
            .into_iter()
            .find_map(|(name, size)| (name == graph.dims[dim.index()].name).then_some(size))
            .unwrap(),
        Axis::Parts(_) => unreachable!("the formulas have none"),
    };
    let args = |call: usize| -> Vec<Value<NdArrayTensor>> {
        let arg = |(at, arg): (usize, &Arg)| match &arg.ty {
            ArgType::Tensor { axes, .. } => {
                let shape: Vec<usize> = axes.iter().map(size).collect();
                Value::Tensor(tensor(&floats(&shape, 9 * call + at).cast(DType::F32), memory))
            }
            ArgType::Shape { axes } => Value::Shape(axes.iter().map(size).collect()),
            ArgType::Scalar { .. } => Value::Scalar(Scalar::Float(0.5 + call as f64)),
            ArgType::Axis { .. } => unreachable!("the formulas have none"),
        };
        graph.args.iter().enumerate().map(arg).collect()
    };
    // Other tensors take the memory of a call, so that the next one has other addresses.
    let mut kept = Vec::new();
    for call in 0..4 {
        let given = args(call);
        kept.push(args(call));
        let expected = seen(plain(op, args(call), &wanted));
        assert_eq!(
            seen(NdArray::run(op, given, &wanted)),
            expected,
            "{graph:?}: call {call}, {n} {d} {memory:?}"
        );
    }
    assert!(calls::is_recorded(op, args(0), &wanted));
}

#[test]
fn an_argument_is_written_over_from_a_tape_as_well() {
    let [op] = [&declared()[0]];
    let data = floats(&[8, 8], 1).cast(DType::F32);
    for _ in 0..4 {
        let (x, gate) = (tensor(&data, Memory::Plain), tensor(&data, Memory::Plain));
        let (address, kept) = (x.as_ptr(), gate.clone());
        let args = vec![Value::Tensor(x), Value::Tensor(gate)];
        let result = NdArray::run(op, args, &[true]).unwrap().remove(0).unwrap();
        assert_eq!(result.as_ptr(), address);
        assert_eq!(kept.into_data().unwrap(), data);
    }
}

#[test]
fn calls_that_are_remembered_are_bounded() {
    let op = &declared()[0];
    for size in 1..4 * calls::MOST {
        for _ in 0..3 {
            let x = tensor(&floats(&[size], 1), Memory::Plain);
            NdArray::run(op, vec![Value::Tensor(x.clone()), Value::Tensor(x)], &[true]).unwrap();
        }
        assert!(calls::count() <= 2 * calls::MOST);
    }
    assert!(calls::count() > calls::MOST);
}

/// A new op may stand where an old one stood in memory.
#[test]
fn an_op_that_is_gone_leaves_no_tape_for_another() {
    for factor in 1..50 {
        let source = format!("fn f(x: Tensor) -> Tensor {{ x * {factor}.0 }}");
        let stages = tensor_op_spec::stages(source.parse().unwrap()).unwrap();
        let op = GraphOp::new(Graph::parse(&stages.graph).unwrap());
        for _ in 0..3 {
            let x = NdArrayTensor::from_data(TensorData::new(vec![2.0_f32], [1]).unwrap());
            let result = NdArray::run(&op, vec![Value::Tensor(x)], &[true]).unwrap().remove(0).unwrap();
            assert_eq!(result.into_data().unwrap().into_vec::<f32>().unwrap(), [2.0 * factor as f32]);
        }
    }
}
