//! Checks primitives that compute. Each is a graph of one node that is run composed, so that the backend's
//! own function is called.

use super::{Function, Subject, Suite, graphs};
use crate::agree::{Setting, judge};
use crate::claims::Outcome;
use crate::place::{Layout, place_all};
use crate::sample::{Described, Point, SamplePlan, convert, sample};
use tensor_op_core::{Backend, DType, Dynamic, Result, TensorData, Value, composed};
use tensor_op_spec::ir::{Arg, ArgType, Graph, Kind};
use tensor_op_spec::prim::{Fold, Prim};

/// Runs the cases with arguments of the dtype's kind, which are stored in the dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    // Random numbers are drawn on the host where an op is composed.
    for prim in Prim::ALL.iter().copied().filter(|prim| *prim != Prim::Random) {
        let of_kind = |kinds: &Vec<Kind>| kinds.last() == Some(&dtype.kind());
        for kinds in graphs::operand_kinds(prim).into_iter().filter(of_kind) {
            elementwise(suite, prim, dtype, &graphs::apply(prim, &kinds));
        }
    }
    for fold in Fold::ALL.iter().filter(|fold| fold.accepts(dtype.kind())) {
        for (dims, left) in [("n", "m"), ("m", "n"), ("m, n", "")] {
            let graph = graphs::reduce(*fold, dims, left, dtype.kind());
            for (m, n) in [(3, 7), (1, 1), (2, 1031), (67, 2), (0, 3), (3, 0), (0, 0)] {
                sized(suite, &Subject::Reduce(*fold), dtype, &graph, &[m, n]);
            }
        }
    }
    indexed(suite, dtype);
    if dtype.kind() == Kind::Float {
        for sizes in [[2, 3, 4, 5], [1, 1, 1, 1], [1, 33, 65, 17], [3, 1, 8, 1], [2, 3, 0, 4], [0, 2, 2, 2]] {
            sized(suite, &Function::Matmul.into(), dtype, &graphs::matmul(), &sizes);
        }
    }
}

/// The layouts from which operands are read.
const LAYOUTS: [Layout; 3] = [Layout::Contiguous, Layout::Transposed, Layout::Sliced];

fn elementwise(suite: &mut Suite, prim: Prim, dtype: DType, graph: &Graph) {
    let what = Subject::Apply(prim);
    for group in [&[][..], &[1], &[0], &[17], &[1031]] {
        case(suite, &what, dtype, graph, &SamplePlan::uniform(graph, 1, group, 1), Layout::Contiguous);
    }
    for layout in LAYOUTS {
        case(suite, &what, dtype, graph, &SamplePlan::uniform(graph, 1, &[2, 3, 2, 1, 2, 3], 1), layout);
    }
    let special = special_points(graph);
    let setting = Setting { device: suite.device, dtype, int: DType::I64, layout: Layout::Contiguous.into() };
    suite.check(what, dtype, "special values", || compared(graph, &special?, setting));
}

/// Every combination of two special values, spread over all operands.
fn special_points(graph: &Graph) -> Result<Vec<Value<TensorData>>> {
    const FLOATS: [f64; 13] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        3.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        1e-40,
        3e38,
    ];
    const INTS: [i64; 13] = [0, 1, -1, 2, -2, 3, 7, -7, 100, -100, 1 << 31, i64::MAX, i64::MIN];
    let count = FLOATS.len() * FLOATS.len();
    let pick = |arg: usize, i: usize| if arg.is_multiple_of(2) { i % FLOATS.len() } else { i / FLOATS.len() };
    let values = |(at, arg): (usize, &Arg)| match arg.ty {
        ArgType::Tensor { kind: Kind::Float, .. } => {
            TensorData::new((0..count).map(|i| FLOATS[pick(at, i)]).collect(), [count])
        }
        ArgType::Tensor { kind: Kind::Int, .. } => {
            TensorData::new((0..count).map(|i| INTS[pick(at, i)]).collect(), [count])
        }
        _ => TensorData::new((0..count).map(|i| pick(at, i).is_multiple_of(2)).collect(), [count]),
    };
    graph.args.iter().enumerate().map(|arg| values(arg).map(Value::Tensor)).collect()
}

/// `gather` and `scatter_add`, with indices in range and beyond it.
fn indexed(suite: &mut Suite, dtype: DType) {
    let graphs = [
        Some((Function::Gather, graphs::gather(dtype.kind()))),
        (dtype.kind() != Kind::Bool).then(|| (Function::ScatterAdd, graphs::scatter_add(dtype.kind()))),
    ];
    for (what, graph) in graphs.into_iter().flatten() {
        for sizes in [[5, 3, 4], [1, 1, 1], [7, 2, 40], [3, 4, 0], [300, 2, 9]] {
            sized(suite, &what.into(), dtype, &graph, &sizes);
        }
        let setting =
            Setting { device: suite.device, dtype, int: DType::I64, layout: Layout::Contiguous.into() };
        for index in [-1_i64, 2] {
            suite.check(what, dtype, format!("index {index} of 2"), || {
                let plan = SamplePlan { dims: vec![2, 3, 1], ..SamplePlan::uniform(&graph, 1, &[], 1) };
                let mut args = sample(&graph, &plan, Point::Ordinary)?;
                args[1] = Value::Tensor(TensorData::new(vec![index], [1])?);
                compared(&graph, &args, setting)
            });
        }
    }
}

/// Runs the cases with these sizes of the dims, in order.
fn sized(suite: &mut Suite, what: &Subject, dtype: DType, graph: &Graph, sizes: &[usize]) {
    let plan = SamplePlan { dims: sizes.to_vec(), ..SamplePlan::uniform(graph, 1, &[], 1) };
    LAYOUTS.into_iter().for_each(|layout| case(suite, what, dtype, graph, &plan, layout));
}

fn case(suite: &mut Suite, what: &Subject, dtype: DType, graph: &Graph, plan: &SamplePlan, layout: Layout) {
    let setting = Setting { device: suite.device, dtype, int: DType::I64, layout: layout.into() };
    suite.check(what.clone(), dtype, format!("{} {layout:?}", Described(plan, graph)), || {
        // If the op has no value, such as a maximum of nothing, any point will do.
        let args = sample(graph, plan, Point::Ordinary).or_else(|_| zeros(graph, plan))?;
        compared(graph, &args, setting)
    });
}

fn zeros(graph: &Graph, plan: &SamplePlan) -> Result<Vec<Value<TensorData>>> {
    let zero = |(arg, shape): (&Arg, Value<_>)| {
        shape.try_map(|shape: tensor_op_core::Shape| {
            let (kind, dtype) = match arg.ty {
                ArgType::Tensor { kind: Kind::Int, .. } => (Kind::Int, DType::I64),
                ArgType::Tensor { kind: Kind::Bool, .. } => (Kind::Bool, DType::Bool),
                _ => (Kind::Float, DType::F64),
            };
            TensorData::full(shape, tensor_op_spec::ir::Scalar::Int(0).cast(kind), dtype)
        })
    };
    graph.args.iter().zip(plan.shapes(graph)).map(zero).collect()
}

/// Runs the graph through the backend's own primitives and judges the results.
fn compared(graph: &Graph, args: &[Value<TensorData>], setting: Setting) -> Result<Outcome> {
    let stored = |data: TensorData| match (data.dtype().kind(), setting.dtype.kind()) {
        (Kind::Float, _) => convert(data, setting.dtype),
        (Kind::Int, Kind::Int) => data.cast(setting.dtype),
        (Kind::Int | Kind::Bool, _) => data,
    };
    let args: Vec<Value<TensorData>> = args.iter().cloned().map(|arg| arg.map(stored)).collect();
    let found = place_all(&args, &setting.device, setting.layout).and_then(|placed| {
        let results = composed::run_graph::<Dynamic>(graph, placed, &[true])?;
        results.into_iter().flatten().map(Dynamic::into_data).collect()
    });
    Ok(judge(graph, &args, setting, found, None))
}
