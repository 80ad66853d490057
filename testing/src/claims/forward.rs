//! The op and its gradient against the f64 reference interpreter.

use super::{Outcome, told};
use crate::agree::{Setting, agree};
use crate::place::{Layout, devices};
use crate::property::for_plans;
use crate::report::Tally;
use crate::sample::{Plan, Point, backward_args, convert, sample};
use crate::tape::weights;
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, TensorData, Value, interpret};
use tensor_op_spec::ir::{ArgType, Graph, Kind};

/// The dtypes that floats are stored in.
pub(crate) const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    for_plans(graph, seed, 8, 5, |plan| {
        let mut tally = Tally::default();
        for device in devices() {
            for dtype in dtypes(graph, &device) {
                tally.add(both(op, plan, Setting { device, dtype, layout: Layout::Contiguous })?);
            }
        }
        Ok(tally)
    })
}

/// The float dtypes that a device has; one if the op has no floats.
pub(crate) fn dtypes(graph: &Graph, device: &Device) -> Vec<DType> {
    let is_float = |ty: &ArgType| matches!(ty, ArgType::Tensor { kind: Kind::Float, .. });
    let most = if graph.args.iter().any(|arg| is_float(&arg.ty)) { FLOATS.len() } else { 1 };
    FLOATS.into_iter().filter(|dtype| Dynamic::supports_dtype(device, *dtype)).take(most).collect()
}

/// The op, and its gradient if it has one.
pub(crate) fn both(op: &dyn Op, plan: &Plan, setting: Setting) -> Outcome {
    let args = sample(op.spec().graph(), plan, Point::Ordinary).map_err(told)?;
    both_at(op, &args, setting, plan.seed)
}

/// As [`both`], for these arguments.
pub(crate) fn both_at(op: &dyn Op, args: &[Value<TensorData>], setting: Setting, seed: u64) -> Outcome {
    let args: Vec<_> = args.iter().cloned().map(|arg| arg.map(|data| convert(data, setting.dtype))).collect();
    let mut tally = agree(op, &args, setting)?;
    if let Some(backward) = op.backward() {
        let graphs = (op.spec().graph(), backward.spec().graph());
        let Ok(results) = interpret(graphs.0, &args) else { return Ok(tally) };
        let weights = weights(&results, seed).map_err(told)?;
        let args = backward_args(graphs.0, graphs.1, &args, &results, &weights, setting.dtype);
        let found = agree(&*backward, &args, setting);
        tally.add(found.map_err(|what| format!("the gradient {what}"))?);
    }
    Ok(tally)
}
