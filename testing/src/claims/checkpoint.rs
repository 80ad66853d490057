//! Gradients are the same to the bit, whether results are kept or computed again in the backward pass.

use super::large::same_at;
use super::{Outcome, told};
use crate::case::{Case, ElementOf};
use crate::place::devices;
use crate::property::for_plan;
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::{Point, SamplePlan, sample};
use crate::scope::Scope;
use crate::tape::{Call, inputs, sum_of_all};
use tensor_op_autodiff::{Autodiff, BalancedCheckpointing, Checkpointing, NoCheckpointing};
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, Result, TensorData, Value};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Prim;

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let plan = SamplePlan::uniform(graph, scope.largest(op, [5, 3, 2]), &[2, 3], scope.seed());
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices().iter().filter(|device| scope.has(device, DType::F64)) {
            tally.add(at(op, &args, device)?);
        }
        Ok(tally)
    })
}

fn at(op: &dyn Op, args: &[Value<TensorData>], device: &Device) -> Outcome {
    let graph = op.spec().graph();
    let kept = gradients::<NoCheckpointing>(op, args, device);
    if let Some(refused) = refusal(&kept, device, DType::F64) {
        return Ok(refused);
    }
    let kept = kept.map_err(told)?;
    let again = gradients::<BalancedCheckpointing>(op, args, device).map_err(told)?;
    let case = Case::new(graph, args, device);
    let mut tally = Tally::CASE;
    for input in inputs(graph) {
        let name = format!("the gradient of `{}`", graph.args[input].name);
        match (&kept[input], &again[input]) {
            (Some(kept), Some(again)) => {
                let how = "where results are computed again";
                tally.elements += same_at(&case, &name, ElementOf::Arg(input), [kept, again], how)?;
            }
            (None, None) => {}
            (Some(_), None) => {
                return Err(case.told(&format!("{name} is lost where results are computed again")));
            }
            (None, Some(_)) => {
                return Err(case.told(&format!("{name} is there only where results are computed again")));
            }
        }
    }
    Ok(tally)
}

/// The gradients of the sum of the squares of all float results. A square saves its operand, so each result
/// is either kept or computed again.
fn gradients<C: Checkpointing>(
    op: &dyn Op,
    args: &[Value<TensorData>],
    device: &Device,
) -> Result<Vec<Option<TensorData>>> {
    type Tape<C> = Autodiff<Dynamic, C>;
    let call = Call::with_loss::<C>(op, args, &inputs(op.spec().graph()), device, |results| {
        let floats = results.iter().filter(|result| Tape::<C>::dtype(result).kind() == Kind::Float);
        sum_of_all(floats.map(|y| Tape::<C>::apply(Prim::Mul, vec![y.clone(), y.clone()])), device)
    })?;
    call.gradients()
}
