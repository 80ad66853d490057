//! Compares the op and its gradient with the f64 reference interpreter.

use super::{Outcome, told};
use crate::agree::{Setting, agree};
use crate::place::{Layout, devices};
use crate::property::for_plans;
use crate::report::Tally;
use crate::sample::{Point, SamplePlan, backward_args, sample};
use crate::scope::{Scope, work};
use crate::tape::weights;
use crate::written::Written;
use std::cell::Cell;
use tensor_op_core::{ErrorKind, Op, TensorData, Value, interpret};
use tensor_op_spec::ir::Graph;

/// Sizes go up to the largest of these that is affordable.
const LARGEST: [usize; 4] = [5, 4, 3, 2];

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let largest = scope.largest(op, LARGEST);
    let turn = Cell::new(0);
    for_plans(graph, scope.seed(), 8, largest, |plan| {
        let mut tally = Tally::default();
        turn.set(turn.get() + 1);
        for device in devices() {
            for (dtype, int) in scope.in_turn(turn.get(), scope.dtypes(graph, &device)) {
                let setting = Setting { device, dtype, int, layout: Layout::Contiguous.into() };
                tally.add(scope.spend(work(op, plan), || both(op, plan, setting))?);
            }
        }
        Ok(tally)
    })
}

/// Checks the op, and its gradient if it has one.
pub(crate) fn both(op: &dyn Op, plan: &SamplePlan, setting: Setting) -> Outcome {
    match sampled(op.spec().graph(), plan)? {
        Some(args) => both_at(op, &args, setting, plan.seed),
        None => Ok(Tally::nothing(NO_INDEX)),
    }
}

/// Ordinary arguments for a plan; `None` if its sizes leave no valid index.
pub(super) fn sampled(graph: &Graph, plan: &SamplePlan) -> Result<Option<Vec<Value<TensorData>>>, String> {
    match sample(graph, plan, Point::Ordinary) {
        Ok(args) => Ok(Some(args)),
        Err(error) if error.kind() == ErrorKind::Index => Ok(None),
        Err(error) => Err(told(error)),
    }
}

/// Note for such sizes.
pub(super) const NO_INDEX: &str = "sizes without a valid index";

/// Does the same as [`both`], for the given arguments.
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
        // In halves the results that a gradient takes were rounded, and with stride 0 it sees other values.
        // In both cases the gradient can't be compared with the written formula.
        let is_comparable =
            setting.dtype == setting.dtype.compute() && !setting.layout.contain(Layout::Broadcast);
        let found = agree(&*backward, &args, setting, |_| {
            if is_comparable { Written::gradient(op, chain) } else { None }
        });
        let found = found.map_err(|what| format!("in the gradient, {what}"))?;
        let refused = found.refused.map(|what| format!("in the gradient, {what}"));
        tally.add(Tally { refused, ..found });
    }
    Ok(tally)
}
