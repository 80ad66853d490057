//! The op and its gradient against the f64 reference interpreter.

use super::{Outcome, told};
use crate::agree::{Setting, agree};
use crate::place::{Layout, devices};
use crate::property::for_plans;
use crate::report::Tally;
use crate::sample::{Plan, Point, backward_args, sample};
use crate::tape::weights;
use crate::written::Written;
use tensor_op_core::{Backend, DType, Device, Dynamic, ErrorKind, Op, TensorData, Value, interpret};
use tensor_op_spec::ir::{ArgType, Graph, Kind};

/// Dtypes of floats and of ints; beside each other in this order.
const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];
const INTS: [DType; 4] = [DType::I64, DType::I32, DType::U32, DType::U8];

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    for_plans(graph, seed, 8, 5, |plan| {
        let mut tally = Tally::default();
        for device in devices() {
            for (dtype, int) in dtypes(graph, &device) {
                tally.add(both(op, plan, Setting { device, dtype, int, layout: Layout::Contiguous.into() })?);
            }
        }
        Ok(tally)
    })
}

/// The dtypes of an op's floats and ints on a device, such that each is there that the device has and the op has arguments of.
pub(crate) fn dtypes(graph: &Graph, device: &Device) -> Vec<(DType, DType)> {
    let takes = |wanted: Kind| {
        let is = |ty: &ArgType| matches!(ty, ArgType::Tensor { kind, .. } if *kind == wanted);
        graph.args.iter().any(|arg| is(&arg.ty))
    };
    let has = |dtype: &&DType| Dynamic::supports_dtype(device, **dtype);
    let [floats, ints] = [&FLOATS[..], &INTS[..]].map(|all| all.iter().filter(has).copied());
    let counts = [(Kind::Float, floats.clone().count()), (Kind::Int, ints.clone().count())];
    let most = counts.into_iter().filter(|(kind, _)| takes(*kind)).map(|(_, count)| count).max();
    floats.cycle().zip(ints.cycle()).take(most.unwrap_or(1)).collect()
}

/// The op, and its gradient if it has one.
pub(crate) fn both(op: &dyn Op, plan: &Plan, setting: Setting) -> Outcome {
    match sample(op.spec().graph(), plan, Point::Ordinary) {
        Ok(args) => both_at(op, &args, setting, plan.seed),
        Err(error) if error.kind() == ErrorKind::Index => Ok(Tally::nothing("sizes without a valid index")),
        Err(error) => Err(told(error)),
    }
}

/// As [`both`], for these arguments.
pub(crate) fn both_at(op: &dyn Op, args: &[Value<TensorData>], setting: Setting, seed: u64) -> Outcome {
    let args: Vec<_> = args.iter().cloned().map(|arg| arg.map(|data| setting.stored(data))).collect();
    let mut tally = agree(op, &args, setting, |args| Some(Written::formula(op, args)))?;
    if let Some(backward) = op.backward() {
        let graphs = (op.spec().graph(), backward.spec().graph());
        let Ok(results) = interpret(graphs.0, &args) else { return Ok(tally) };
        let weights = weights(&results, seed).map_err(told)?;
        let forward_args = args;
        let args = backward_args(graphs.0, graphs.1, &forward_args, &results, &weights, setting.dtype);
        let chain =
            |graph: &Graph| backward_args(graphs.0, graph, &forward_args, &results, &weights, setting.dtype);
        // A half has rounded the results that a gradient takes, and stride 0 shows it other values.
        let is_comparable =
            setting.dtype == setting.dtype.compute() && !setting.layout.contain(Layout::Broadcast);
        let found = agree(&*backward, &args, setting, |_| {
            if is_comparable { Written::gradient(op, chain) } else { None }
        });
        tally.add(found.map_err(|what| format!("in the gradient, {what}"))?);
    }
    Ok(tally)
}
