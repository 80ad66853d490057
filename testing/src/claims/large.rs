//! Calls of many elements, whose results are compared to the bit.

use super::{Outcome, told};
use crate::case::{Case, ElementOf, element};
use crate::place::{Layout, devices, place_all, run_placed};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::{SamplePlan, any, backward_args};
use crate::scope::{Scope, work};
use tensor_op_core::{DType, Device, Op, TensorData, Value, interpret};

/// How many elements the largest tensor of a call has, by level: enough for several threads, and for buffers
/// to be recycled.
const MANY: [usize; 2] = [12_000, 40_000];

/// How many elements all nodes of the call and of its gradient have at most.
const MOST: [usize; 2] = [600_000, 2_000_000];

/// Checks the op and its gradient on each device, at sizes that reach [`MANY`].
pub(super) fn each(
    op: &dyn Op,
    scope: &Scope,
    holds: impl Fn(&dyn Op, &[Value<TensorData>], &Device) -> Outcome,
) -> Outcome {
    let graph = op.spec().graph();
    for_plan(graph, large(op, scope), |plan| {
        let mut tally = Tally::default();
        for device in devices() {
            let Some(dtype) = scope.ordinary(&device) else { continue };
            let args = any(graph, plan, dtype).map_err(told)?;
            tally.add(both(op, &args, &device, dtype, scope.seed(), |op, args| holds(op, args, &device))?);
        }
        Ok(tally)
    })
}

/// Checks the op, and its gradient if it has one. A call without a value, such as a maximum of nothing, is
/// skipped.
pub(super) fn both(
    op: &dyn Op,
    args: &[Value<TensorData>],
    device: &Device,
    dtype: DType,
    seed: u64,
    holds: impl Fn(&dyn Op, &[Value<TensorData>]) -> Outcome,
) -> Outcome {
    let results = place_all(args, device, Layout::Contiguous).and_then(|args| run_placed(op, args));
    let results = match results {
        Err(_) if interpret(op.spec().graph(), args).is_err() => return Ok(Tally::default()),
        results => results.map_err(told)?,
    };
    let mut tally = holds(op, args)?;
    if let Some(backward) = op.backward() {
        let weights = crate::tape::weights(&results, seed).map_err(told)?;
        let args = backward_args(op.spec().graph(), backward.spec().graph(), args, &results, &weights, dtype);
        tally.add(holds(&*backward, &args).map_err(|what| format!("in the gradient, {what}"))?);
    }
    Ok(tally)
}

/// The smallest uniform plan in which some node or result has [`MANY`] elements, or the largest one that is
/// not too much work.
fn large(op: &dyn Op, scope: &Scope) -> SamplePlan {
    let graph = op.spec().graph();
    let (many, most) = (scope.of(MANY[0], MANY[1]), scope.of(MOST[0], MOST[1]));
    let uniform = |size| SamplePlan::uniform(graph, size, &[3, size + 1], scope.seed());
    let mut size = 2;
    let mut plan = uniform(size);
    while plan.most_elements(graph) < many && size <= many {
        size += 1 + size / 4;
        let larger = uniform(size);
        if work(op, &larger) > most {
            break;
        }
        plan = larger;
    }
    plan
}

/// Compares results bit for bit.
pub(super) fn same(case: &Case<'_>, expected: &[TensorData], found: &[TensorData], how: &str) -> Outcome {
    let mut tally = Tally::CASE;
    for (k, (expected, found)) in expected.iter().zip(found).enumerate() {
        let name = format!("`{}`", case.graph.outputs[k].name);
        tally.elements += same_at(case, &name, ElementOf::Result(k), [expected, found], how)?;
    }
    Ok(tally)
}

/// Compares one tensor bit for bit, and returns the number of its elements.
pub(super) fn same_at(
    case: &Case<'_>,
    name: &str,
    place: ElementOf,
    [expected, found]: [&TensorData; 2],
    how: &str,
) -> Result<usize, String> {
    let (a, b) = (bits(expected), bits(found));
    if let Some(index) = (0..a.len().max(b.len())).find(|index| a.get(*index) != b.get(*index)) {
        let [is, not] = [found, expected].map(|data| element(data, index));
        let [is, not] = [is, not].map(|value| value.map_or_else(|| "nothing".to_string(), |x| x.to_string()));
        return Err(case.told_at(name, place, index, &format!("is {is} {how}, and {not} before")));
    }
    Ok(a.len())
}

/// The bits of the elements. All NaNs have the same bits.
pub(crate) fn bits(data: &TensorData) -> Vec<u64> {
    let numbers = data.clone().cast(DType::F64).into_vec::<f64>().unwrap_or_default();
    numbers.into_iter().map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
}
