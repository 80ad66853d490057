//! Graphs that exist only at run time: fused, as programs, and composed of structural primitives, one kernel
//! for each value. Then programs of the graphs that have compiled bodies too.

use crate::case::{Gradient, SAMPLES, matrix, numbers, tensor};
use divan::Bencher;
use ndarray::Array1;
use std::fmt;
use std::hint::black_box;
use std::sync::Arc;
use tensor_op::catalogue::nn::{LayerNorm, SiluMul, Softmax};
use tensor_op::cpu::{NdArrayTensor, Value};
use tensor_op::{NdArray, Op, Result};
use tensor_op_core::{Backend, GraphOp, composed};
use tensor_op_spec::grad::jvp;
use tensor_op_spec::ir::Scalar;

/// Which op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    SiluMul,
    Softmax,
    LayerNorm,
}

/// Which derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Forward,
    Backward,
    SecondOrder,
    Jvp,
}

/// How it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    Compiled,
    Program,
    Composed,
}

#[derive(Clone, Copy, Debug)]
struct Line(Of, What, Run);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(op, what, run) = self;
        f.pad(&format!("{op:?} {what:?} {run:?}"))
    }
}

const OPS: [Of; 3] = [Of::SiluMul, Of::Softmax, Of::LayerNorm];

fn lines() -> impl Iterator<Item = Line> {
    let compiled = [What::Forward, What::Backward].map(|what| (what, [Run::Compiled, Run::Program]));
    let derived = [What::SecondOrder, What::Jvp].map(|what| (what, [Run::Program, Run::Composed]));
    let of = move |op| {
        let of_op = compiled.into_iter().chain(derived);
        of_op.flat_map(move |(what, runs)| runs.map(|run| Line(op, what, run)))
    };
    OPS.into_iter().flat_map(of)
}

#[divan::bench(args = lines(), sample_count = SAMPLES, sample_size = 1)]
fn large(bencher: Bencher<'_, '_>, line: Line) {
    bench(bencher, line, 2048, 1024);
}

/// A twentieth of it: a call stays within a scheduler's time slice.
#[divan::bench(args = lines(), sample_count = 200, sample_size = 1)]
fn middle(bencher: Bencher<'_, '_>, line: Line) {
    bench(bencher, line, 100, 1024);
}

#[divan::bench(args = lines(), sample_count = 100, sample_size = 100)]
fn small(bencher: Bencher<'_, '_>, line: Line) {
    bench(bencher, line, 8, 8);
}

fn bench(bencher: Bencher<'_, '_>, Line(op, what, run): Line, rows: usize, columns: usize) {
    let (op, args) = declared(op, rows, columns);
    let backward = || op.backward().expect("these ops have gradients");
    let gradient = |args| Gradient::with(&*op, args, backward(), direction);
    let (derived, args): (Arc<dyn Op>, _) = match what {
        What::Forward => (op, args),
        What::Backward => (backward(), gradient(args).expect("the arguments fit").args()),
        What::SecondOrder => {
            let first = gradient(args).expect("the arguments fit");
            let second = first.op().spec().derived_backward().expect("a second derivative").clone();
            let args = Gradient::with(first.op(), first.args(), second.clone(), direction);
            (second, args.expect("the arguments fit").args())
        }
        What::Jvp => {
            let source = op.spec().source();
            let jvp = jvp(source, &vec![true; source.args.len()]).expect("a directional derivative");
            let jvp = Arc::new(GraphOp::new(jvp.graph));
            let args = Gradient::with(&*op, args, jvp.clone(), direction);
            (jvp, args.expect("the arguments fit").args())
        }
    };
    let derived: Arc<dyn Op> = match (what, run) {
        (What::Forward | What::Backward, Run::Program) => {
            Arc::new(GraphOp::new(derived.spec().graph().clone()))
        }
        (What::Forward | What::Backward | What::SecondOrder | What::Jvp, _) => derived,
    };
    let wanted = derived.spec().graph().visible();
    let call = || -> Result<Vec<Option<NdArrayTensor>>> {
        match run {
            Run::Compiled | Run::Program => NdArray::run(&*derived, args.clone(), &wanted),
            Run::Composed => composed::run::<NdArray>(&*derived, args.clone(), &wanted),
        }
    };
    call().expect("the arguments fit");
    bencher.bench_local(|| drop(black_box(call())));
}

/// An op with arguments.
pub(crate) fn declared(op: Of, rows: usize, columns: usize) -> (Arc<dyn Op>, Vec<Value<NdArrayTensor>>) {
    let matrix = |seed| Value::Tensor(tensor(&matrix(rows, columns, seed)));
    let row = |seed| Value::Tensor(tensor(&Array1::from(numbers(columns, seed))));
    match op {
        Of::SiluMul => (Arc::new(SiluMul), vec![matrix(1), matrix(2)]),
        Of::Softmax => (Arc::new(Softmax), vec![matrix(1), Value::Scalar(Scalar::Int(-1))]),
        Of::LayerNorm => {
            (Arc::new(LayerNorm), vec![matrix(1), row(2), row(3), Value::Scalar(Scalar::Float(1e-5))])
        }
    }
}

/// Numbers in the shape of a tensor.
pub(crate) fn direction(like: &NdArrayTensor) -> NdArrayTensor {
    let shape: Vec<usize> = like.shape().to_vec();
    let numbers = numbers(shape.iter().product(), 7);
    tensor(&ndarray::ArrayD::from_shape_vec(shape, numbers).expect("as many numbers"))
}
