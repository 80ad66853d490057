//! Gradients for each subset of the arguments that may be tracked: the same as when all are, and none for the others.

use super::{Outcome, told};
use crate::agree::arguments;
use crate::bound::Rounding;
use crate::place::devices;
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::{Plan, Point, backward_args, sample};
use crate::tape::{Call, inputs, weights};
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, TensorData, Value, evaluate, interpret};

/// Arguments of which all subsets are tried; of more, the first of them.
const MOST: usize = 4;

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let plan = Plan::uniform(graph, 3, &[2, 3], seed);
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices().iter().filter(|device| Dynamic::supports_dtype(device, DType::F64)) {
            tally.add(
                at(op, &args, plan, device)
                    .map_err(|what| format!("on {device}: {what}\n{}", arguments(graph, &args)))?,
            );
        }
        Ok(tally)
    })
}

fn at(op: &dyn Op, args: &[Value<TensorData>], plan: &Plan, device: &Device) -> Outcome {
    let graph = op.spec().graph();
    let inputs = inputs(graph);
    let results = interpret(graph, args).map_err(told)?;
    let weights = weights(&results, plan.seed).map_err(told)?;
    let declared: Vec<_> =
        weights.iter().zip(graph.visible()).filter(|(_, visible)| *visible).map(|(w, _)| w.clone()).collect();
    let run = |tracked: &[usize]| {
        let call = Call::new(op, args, tracked, &declared, device, false)?;
        Ok((call.gradients()?, call.results))
    };
    let (all, all_results) = run(&inputs).map_err(told)?;
    let bounds = bounds(op, args, &results, &weights)?;
    let names =
        |set: &[usize]| set.iter().map(|i| graph.args[*i].name.as_str()).collect::<Vec<_>>().join(", ");
    let mut tally = Tally::default();
    let tried = &inputs[..inputs.len().min(MOST)];
    for mask in 1..(1usize << tried.len()) - 1 {
        let tracked: Vec<usize> =
            (0..tried.len()).filter(|at| mask >> at & 1 == 1).map(|at| tried[at]).collect();
        let (some, some_results) = run(&tracked).map_err(told)?;
        let says = |what: String| format!("with only {} tracked {what}", names(&tracked));
        if format!("{some_results:?}") != format!("{all_results:?}") {
            return Err(says("results differ from those with all tracked".to_string()));
        }
        tally.cases += 1;
        for input in 0..graph.args.len() {
            let name = &graph.args[input].name;
            match (&some[input], &all[input]) {
                (Some(_), _) if !tracked.contains(&input) => {
                    return Err(says(format!("`{name}` has a gradient")));
                }
                (Some(found), Some(expected)) => tally.add(
                    same(found, expected, bounds.get(&input))
                        .map_err(|what| says(format!("the gradient of `{name}` {what}")))?,
                ),
                (None, Some(_)) if tracked.contains(&input) => {
                    return Err(says(format!("`{name}` has no gradient")));
                }
                (Some(_), None) => {
                    return Err(says(format!("`{name}` has a gradient, which it has not with all tracked")));
                }
                (None, Some(_) | None) => {}
            }
        }
    }
    Ok(tally)
}

type Bounds = std::collections::BTreeMap<usize, Vec<f64>>;

/// How far rounding may take the gradient of each argument: a kernel for fewer of them may add up in another order.
fn bounds(
    op: &dyn Op,
    args: &[Value<TensorData>],
    results: &[TensorData],
    weights: &[Option<TensorData>],
) -> Result<Bounds, String> {
    let Some(backward) = op.backward() else { return Ok(Bounds::new()) };
    let (graph, backward) = (op.spec().graph(), backward.spec().graph());
    let at = backward_args(graph, backward, args, results, weights, DType::F64);
    let gradients = evaluate(backward, &at, &Rounding::new(DType::F64)).map_err(told)?;
    let errors = gradients.iter().map(|gradient| gradient.values.iter().map(|value| value.error).collect());
    Ok(inputs(graph).into_iter().zip(errors).collect())
}

fn same(found: &TensorData, expected: &TensorData, bounds: Option<&Vec<f64>>) -> Outcome {
    let (found, expected) =
        (found.as_slice::<f64>().map_err(told)?, expected.as_slice::<f64>().map_err(told)?);
    let mut tally = Tally::default();
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        let bound = 2.0 * bounds.and_then(|bounds| bounds.get(index)).copied().unwrap_or_default();
        let is_same = a == b || (a.is_nan() && b.is_nan());
        let ratio = if is_same { 0.0 } else { (a - b).abs() / bound };
        if ratio.is_nan() || ratio > 1.0 {
            return Err(format!("is {a:e} at {index}, and {b:e} with all tracked"));
        }
        tally.elements += 1;
        tally.ratio = tally.ratio.max(ratio);
    }
    Ok(tally)
}
