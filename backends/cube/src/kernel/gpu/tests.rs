//! Streams in tiles and in kernels that store no scores, and sweeps, against the interpreter.

use super::*;
use crate::device::open;
use crate::kernel::schedule;
use cubecl::device::WgpuDeviceKind;
use cubecl::future::block_on;
use tensor_op_core::execute::execute;
use tensor_op_core::{GraphOp, Op, TensorData, interpret};
use tensor_op_spec::grad::{Keep, pair};
use tensor_op_spec::ir::Role;
use tensor_op_spec::schedule::regroup;
use tensor_op_spec::simplify::strip;

/// Attention with a causal mask. Its softmax has the rule that the formula of this name has.
const CAUSAL: &str = "op causal
dim b named
dim t named
dim s named
dim d named
arg q: float[b, t, d], forward 0
arg k: float[b, s, d], forward 1
arg v: float[b, s, d], forward 2
%0 = input q : float[b, t, d]
%1 = input k : float[b, s, d]
%2 = mul(%0, %1) : float[b, t, s, d]
%3 = sum(%2; d) : float[b, t, s]
%4 = iota(s) : int[s]
%5 = iota(t) : int[t]
%6 = le(%4, %5) : bool[t, s]
%7 = literal -inf : float[]
%8 = select(%6, %3, %7) : float[b, t, s]
%9 = max(%8; s) : float[b, t]
%10 = stop_grad(%9) : float[b, t]
%11 = sub(%8, %10) : float[b, t, s]
%12 = exp(%11) : float[b, t, s]
%13 = sum(%12; s) : float[b, t]
%14 = div(%12, %13) : float[b, t, s]
%15 = seed 0 : float[b, t, s]
%16 = mul(%15, %14) : float[b, t, s]
%17 = sum(%16; s) : float[b, t]
%18 = sub(%15, %17) : float[b, t, s]
%19 = mul(%14, %18) : float[b, t, s]
%20 = stop_grad(%14) : float[b, t, s]
%21 = given(%20; %8 <- %19 by %15) : float[b, t, s]
%22 = input v : float[b, s, d]
%23 = mul(%21, %22) : float[b, t, s, d]
%24 = sum(%23; s) : float[b, t, d]
out out = %24 [b, t, d]
";

fn floats(shape: &[usize], seed: usize) -> TensorData {
    let len: usize = shape.iter().product();
    let values = (0..len).map(|i| ((i * 37 + seed * 101 + i / 7) % 65) as f32 / 32.0 - 1.0);
    TensorData::new(values.collect(), Shape::new(shape)).expect("as many elements as the shape")
}

/// A call of a graph.
struct Call<'a> {
    graph: &'a Graph,
    args: &'a [TensorData],
    /// The arguments of which all batches are the first one, in memory that has one.
    shared: &'a [usize],
    wanted: Vec<bool>,
    limits: Limits,
}

impl Call<'_> {
    /// Runs it, and compares what is wanted with the interpreter. Returns how many kernels of streams and
    /// sweeps ran and how many the schedule has.
    fn run(&self) -> [usize; 2] {
        let device =
            cubecl::Device::wgpu(WgpuDeviceKind::DefaultDevice).expect("a GPU, or what poses as one");
        let device = Box::leak(Box::new(open(&device, 0).expect("its driver works")));
        let op = GraphOp::new(self.graph.clone());
        let tensor = |(at, data): (usize, &TensorData)| {
            let tensor = CubeTensor::from_data(data, device)?;
            let is_shared = self.shared.contains(&at);
            if is_shared { first_batch(tensor) } else { Ok(tensor) }.map(Value::Tensor)
        };
        let given = self.args.iter().enumerate().map(tensor).collect::<Result<Vec<_>>>();
        let given = given.expect("there is memory");
        let mut kernels = Gpu { limits: self.limits, ..Gpu::new(op.spec(), device, &given) };
        let schedule = schedule::of(op.spec());
        let is_whole = schedule.streams.iter().all(|stream| !stream.fused.is_empty());
        let fused: usize = schedule.streams.iter().map(|stream| stream.fused.len()).sum();
        assert!(is_whole && fused + schedule.sweeps.len() > 0, "{}", schedule.explain(self.graph));
        let found = execute(op.spec().graph(), schedule, given, &self.wanted, &mut kernels);
        let values: Vec<Value<TensorData>> = self.args.iter().cloned().map(Value::Tensor).collect();
        let expected = interpret(self.graph, &values).expect("the arguments fit");
        for (found, expected) in found.expect("it runs").into_iter().zip(expected) {
            found.into_iter().for_each(|found| self.compare(found, &expected));
        }
        [kernels.fused, fused + schedule.sweeps.len()]
    }

    fn compare(&self, found: CubeTensor, expected: &TensorData) {
        let found = block_on(primitive::into_data(found)).expect("it is read back");
        let numbers = expected.clone().to_vec::<f64>().expect("f64");
        for (found, expected) in found.to_vec::<f32>().expect("f32").iter().zip(numbers) {
            let error = (f64::from(*found) - expected).abs();
            let is_close = error < 1e-4 * expected.abs().max(1.0);
            assert!(is_close, "{}: {found}, not {expected}", self.graph.name);
        }
    }
}

/// A view of a tensor in which each batch is the first one.
fn first_batch(tensor: CubeTensor) -> Result<CubeTensor> {
    let shape = tensor.shape().clone();
    let mut ranges: Vec<Range<usize>> = shape.iter().map(|size| 0..*size).collect();
    ranges[0] = 0..1;
    primitive::expand(primitive::slice(tensor, &with_steps(&ranges))?, &shape)
}

/// Runs a graph in tiles or in kernels that store no scores, and compares it with the interpreter.
#[track_caller]
fn check(graph: &Graph, args: &[TensorData], limits: Limits) {
    let call = Call { graph, args, shared: &[], wanted: vec![true; graph.outputs.len()], limits };
    let [ran, all] = call.run();
    let is_empty = args.iter().any(|arg| arg.shape().contains(&0));
    assert_eq!(ran, if limits.fused == Devices::All && !is_empty { all } else { 0 }, "{graph}");
}

/// Checks the tiles of a stream: their rows, and the rows of a batch if columns are left out.
#[track_caller]
fn check_tile([rows, batches, along, shared]: [usize; 4], limits: Limits, expected: Option<[usize; 2]>) {
    let found = tile(&StreamSize { rows, batches, along, shared }, limits);
    assert_eq!(found.map(|tile| [tile.rows, tile.close]), expected);
}

#[test]
fn tiles_begin_at_multiples_of_512_rows() {
    check_tile([64 * 4096, 64, 4096, 0], LIMITS, Some([32768, 512]));
    check_tile([12 * 8192, 12, 8192, 0], LIMITS, Some([16384, 1024]));
    check_tile([20000, 1, 20000, 0], LIMITS, Some([6656, 6656]));
    check_tile([2 * 33, 2, 35, 280], Limits { large: 1120, rows: 4, columns: 4, ..LIMITS }, Some([16, 8]));
    // Too small, and with too much to read again.
    check_tile([16 * 4096, 16, 4096, 0], LIMITS, None);
    check_tile([20000, 1, 20000, 1 << 28], LIMITS, None);
}

/// Kernels that store no scores.
const FUSED: Limits = Limits { fused: Devices::All, ..LIMITS };

fn args() -> [TensorData; 3] {
    [floats(&[2, 33, 2], 1), floats(&[2, 35, 2], 2), floats(&[2, 35, 2], 3)]
}

#[test]
fn attention_and_its_gradient_in_tiles() {
    let (source, args) = (Graph::parse(CAUSAL).expect("a graph"), args());
    let graph = regroup(strip(&source));
    // Tiles of 8 rows with all columns, and of 8 rows of both batches with some of the columns.
    let short = Limits { large: 630, rows: 4, columns: 64, ..LIMITS };
    let close = Limits { large: 1120, rows: 4, columns: 4, ..LIMITS };
    check(&graph, &[floats(&[2, 0, 2], 1), floats(&[2, 35, 2], 2), floats(&[2, 35, 2], 3)], FUSED);
    for keep in [Keep::Results, Keep::Cheapest] {
        let pair = pair(&source, &keep).expect("a gradient");
        let (forward, gradient) = (regroup(strip(&pair.forward)), regroup(strip(&pair.backward)));
        let given = gradient_args(&forward, &gradient, &args);
        for limits in [short, close, FUSED] {
            check(&forward, &args, limits);
            check(&gradient, &given, limits);
        }
    }
}

/// One kernel sums over columns, and one over rows. The latter gives the gradients of `k` and `v`, and may
/// need statistics of the former. It runs in tiles if a value of a kernel before the stream is missing,
/// which the gradient of `v` does not need.
#[test]
fn a_gradient_of_one_argument_is_as_exact_alone() {
    let source = Graph::parse(CAUSAL).expect("a graph");
    for (keep, expected) in [(Keep::Results, [1, 2, 2]), (Keep::Cheapest, [1, 1, 0])] {
        let pair = pair(&source, &keep).expect("a gradient");
        let (forward, graph) = (regroup(strip(&pair.forward)), regroup(strip(&pair.backward)));
        let args = gradient_args(&forward, &graph, &args());
        for (at, expected) in expected.into_iter().enumerate() {
            let wanted = (0..3).map(|own| own == at).collect();
            let call = Call { graph: &graph, args: &args, shared: &[], wanted, limits: FUSED };
            assert_eq!(call.run(), [expected, 2], "{}", graph.outputs[at].name);
        }
    }
}

#[test]
fn all_batches_may_share_factors() {
    let graph = regroup(strip(&Graph::parse(CAUSAL).expect("a graph")));
    let mut args = args();
    for arg in &mut args[1..] {
        let first = arg.to_vec::<f32>().expect("f32")[..70].repeat(2);
        *arg = TensorData::new(first, arg.shape().clone()).expect("as many elements as the shape");
    }
    for shared in [&[1, 2][..], &[1], &[2]] {
        let call = Call { graph: &graph, args: &args, shared, wanted: vec![true], limits: FUSED };
        assert_eq!(call.run(), [1, 1], "{shared:?}");
    }
}

/// A state-space model: its states have the dim `s`, and its results have not.
const STATES: &str = "op states
dim n named
dim t named
dim d named
dim s named
arg u: float[n, t, d], forward 0
arg a: float[d, s], forward 1
arg c: float[n, t, s], forward 2
%0 = input u : float[n, t, d]
%1 = input a : float[d, s]
%2 = input c : float[n, t, s]
%3 = mul(%0, %1) : float[n, t, d, s]
%4 = linear_recurrence(%3, %0; t) : float[n, t, d, s]
%5 = mul(%4, %2) : float[n, t, d, s]
%6 = sum(%5; s) : float[n, t, d]
%7 = add(%6, %0) : float[n, t, d]
out out = %7 [n, t, d]
";

#[test]
fn states_stay_in_registers() {
    let limits = Limits { points: 1, ..LIMITS };
    let source = Graph::parse(STATES).expect("a graph");
    let pair = pair(&source, &Keep::Cheapest).expect("a gradient");
    let (forward, gradient) = (regroup(strip(&pair.forward)), regroup(strip(&pair.backward)));
    for [n, t, d, s] in
        [[2, 5, 3, 4], [1, 4, 70, 16], [3, 1, 2, 1], [2, 8, 1, 33], [2, 0, 3, 4], [2, 3, 0, 4]]
    {
        let args = [floats(&[n, t, d], 1), floats(&[d, s], 2), floats(&[n, t, s], 3)];
        let is_empty = args[0].shape().contains(&0);
        let call = |graph, args, limits| Call { graph, args, shared: &[], wanted: vec![true; 1], limits };
        let ran = call(&forward, &args, limits).run();
        assert_eq!(ran, [usize::from(!is_empty), 1], "{n} {t} {d} {s}");
        assert_eq!(call(&forward, &args, LIMITS).run(), [0, 1]);
        let given = gradient_args(&forward, &gradient, &args);
        let wanted = vec![true; gradient.outputs.len()];
        let [ran, all] = Call { wanted, ..call(&gradient, &given, limits) }.run();
        assert_eq!((ran, all), (if is_empty { 0 } else { 2 }, 2), "{n} {t} {d} {s}: {gradient}");
    }
}

fn gradient_args(forward: &Graph, gradient: &Graph, args: &[TensorData]) -> Vec<TensorData> {
    let values: Vec<Value<TensorData>> = args.iter().cloned().map(Value::Tensor).collect();
    let results = interpret(forward, &values).expect("the arguments fit");
    let given = gradient.args.iter().map(|arg| match arg.role {
        Role::Forward(index) => args[index].clone(),
        Role::Output(index) => results[index].clone().cast(DType::F32),
        Role::Grad(index) => floats(results[index].shape(), 4),
        Role::Tangent(_) => unreachable!("a gradient takes no tangent"),
    });
    given.collect()
}
