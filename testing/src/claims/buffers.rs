//! Calls an op again on the same memory, with new values: a result that was computed from the old values must
//! not be used again.

use super::forward::{NO_INDEX, sampled};
use super::large::same;
use super::{Outcome, told};
use crate::case::Case;
use crate::place::{Layout, devices, place_all, run_placed};
use crate::property::for_plan;
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::{SamplePlan, backward_args, convert};
use crate::scope::Scope;
use crate::tape::weights;
use tensor_op_core::{Backend, DType, Device, DynTensor, Dynamic, Op, Result, TensorData, Value, interpret};

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let size = scope.largest(op, [5, 3, 2]);
    let plan = SamplePlan::uniform(graph, size, &[2, 3], scope.seed());
    for_plan(graph, plan, |plan| {
        // Another seed gives other values.
        let other = SamplePlan { seed: plan.seed.wrapping_add(1), ..plan.clone() };
        let mut tally = Tally::default();
        let (Some(first), Some(second)) = (sampled(graph, plan)?, sampled(graph, &other)?) else {
            return Ok(Tally::nothing(NO_INDEX));
        };
        for device in devices() {
            let Some(dtype) = scope.ordinary(&device) else { continue };
            let stored = |args: &[Value<TensorData>]| -> Vec<Value<TensorData>> {
                args.iter().cloned().map(|arg| arg.map(|data| convert(data, dtype))).collect()
            };
            tally.add(both(op, &stored(&first), &stored(&second), &device, dtype, plan.seed)?);
        }
        Ok(tally)
    })
}

/// Checks the op, and its gradient if it has one.
fn both(
    op: &dyn Op,
    first: &[Value<TensorData>],
    second: &[Value<TensorData>],
    device: &Device,
    dtype: DType,
    seed: u64,
) -> Outcome {
    let mut tally = at(op, first, second, device, dtype)?;
    if let Some(backward) = op.backward() {
        let graph = op.spec().graph();
        let of = |args: &[Value<TensorData>], seed: u64| -> Result<Vec<Value<TensorData>>> {
            let results = interpret(graph, args)?;
            let weights = weights(&results, seed)?;
            Ok(backward_args(graph, backward.spec().graph(), args, &results, &weights, dtype))
        };
        let (Ok(first), Ok(second)) = (of(first, seed), of(second, seed.wrapping_add(1))) else {
            return Ok(tally);
        };
        let found = at(&*backward, &first, &second, device, dtype);
        tally.add(found.map_err(|what| format!("in the gradient, {what}"))?);
    }
    Ok(tally)
}

fn at(
    op: &dyn Op,
    first: &[Value<TensorData>],
    second: &[Value<TensorData>],
    device: &Device,
    dtype: DType,
) -> Outcome {
    // Both are held until the end, so that the memory of one is never reused for the other.
    let mut held = place_all(first, device, Layout::Contiguous).map_err(told)?;
    let others = place_all(second, device, Layout::Contiguous).map_err(told)?;
    let before = run_placed(op, held.clone());
    if let Some(refused) = refusal(&before, device, dtype) {
        return Ok(refused);
    }
    let (before, expected) = (before.map_err(told)?, run_placed(op, others.clone()).map_err(told)?);
    write(&mut held, second).map_err(told)?;
    // Scalars are not in memory, so they come from the other call.
    let lent = |(held, other): (&Value<DynTensor>, &Value<DynTensor>)| match held {
        Value::Tensor(tensor) => Value::Tensor(tensor.clone()),
        Value::Scalar(_) | Value::Shape(_) => other.clone(),
    };
    let found = run_placed(op, held.iter().zip(&others).map(lent).collect()).map_err(told)?;
    let case = Case::new(op.spec().graph(), second, device);
    let mut tally = same(&case, &expected, &found, "in memory that another call has read")?;
    write(&mut held, first).map_err(told)?;
    let case = Case::new(op.spec().graph(), first, device);
    let again = run_placed(op, held).map_err(told)?;
    tally.add(same(&case, &before, &again, "with the first values again")?);
    Ok(tally)
}

/// Writes new values into the memory of the held tensors.
fn write(held: &mut [Value<DynTensor>], values: &[Value<TensorData>]) -> Result<()> {
    for (held, value) in held.iter_mut().zip(values) {
        let (Value::Tensor(tensor), Value::Tensor(data)) = (&mut *held, value) else { continue };
        let ranges: Vec<_> = data.shape().iter().map(|size| (0, *size, 1)).collect();
        let source = Dynamic::from_data(data.clone(), &Dynamic::device(tensor))?;
        // A tensor with only one owner is written in place.
        let own = std::mem::replace(held, Value::Shape(data.shape().clone()));
        if let Value::Tensor(tensor) = own {
            *held = Value::Tensor(Dynamic::slice_assign(tensor, &ranges, source)?);
        }
    }
    Ok(())
}
