//! Checks gradients when only a subset of the arguments is tracked: they are the same as when all are
//! tracked, and the other arguments get none.

use super::{Outcome, told};
use crate::bound::Rounding;
use crate::case::{Case, ElementOf, number};
use crate::place::devices;
use crate::property::for_plan;
use crate::random::Random;
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::{Point, SamplePlan, sample};
use crate::scope::Scope;
use crate::tape::{Call, Gradients, gradients, inputs, weights};
use std::collections::BTreeSet;
use tensor_op_core::{DType, Device, Op, Result, TensorData, Value, interpret};

/// Up to this number of arguments, all subsets are tried.
const MOST: usize = 4;
/// With more arguments, this many random subsets are tried.
const DRAWN: usize = 8;

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let plan = SamplePlan::uniform(graph, scope.largest(op, [3, 2]), &[2, 3], scope.seed());
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices().iter().filter(|device| scope.has(device, DType::F64)) {
            tally.add(at(op, &args, plan, device)?);
        }
        Ok(tally)
    })
}

/// The empty set, each argument alone, and all but one. With few arguments also every other subset, with many
/// arguments some random ones. The full set is left out.
fn subsets(inputs: &[usize], seed: u64) -> BTreeSet<Vec<usize>> {
    let but = |left: usize| inputs.iter().copied().filter(|input| *input != left).collect();
    let mut subsets: BTreeSet<Vec<usize>> = inputs.iter().map(|input| vec![*input]).collect();
    subsets.extend(inputs.iter().map(|input| but(*input)));
    subsets.insert(vec![]);
    let mut random = Random::new(&[seed, 3]);
    let masks: Vec<u64> = match inputs.len() {
        count if count <= MOST => (0..1 << count).collect(),
        _ => (0..DRAWN).map(|_| random.next()).collect(),
    };
    let chosen = |mask: u64| {
        (0..inputs.len()).filter(move |at| mask >> (at % 64) & 1 == 1).map(|at| inputs[at]).collect()
    };
    subsets.extend(masks.into_iter().map(chosen));
    subsets.remove(inputs);
    subsets
}

fn at(op: &dyn Op, args: &[Value<TensorData>], plan: &SamplePlan, device: &Device) -> Outcome {
    let graph = op.spec().graph();
    let results = interpret(graph, args).map_err(told)?;
    let all = weights(&results, plan.seed).map_err(told)?;
    let declared = all.iter().zip(graph.visible()).filter(|(_, is)| *is).map(|(w, _)| w.clone());
    let (inputs, declared) = (inputs(graph), declared.collect::<Vec<_>>());
    let run = |tracked: &[usize]| Run::new(op, args, tracked, &declared, device);
    let all_tracked = run(&inputs);
    if let Some(refused) = refusal(&all_tracked, device, DType::F64) {
        return Ok(refused);
    }
    let compared = Compared {
        case: Case::new(graph, args, device),
        all: all_tracked.map_err(told)?,
        bounds: gradients(op, args, &all, &Rounding::new(DType::F64))?,
    };
    let mut tally = Tally::default();
    for tracked in subsets(&inputs, plan.seed) {
        tally.add(compared.with(&tracked, &run(&tracked).map_err(told)?)?);
    }
    Ok(tally)
}

/// The results and gradients of a call with some arguments tracked.
struct Run {
    gradients: Vec<Option<TensorData>>,
    results: Vec<TensorData>,
}

impl Run {
    fn new(
        op: &dyn Op,
        args: &[Value<TensorData>],
        tracked: &[usize],
        weights: &[Option<TensorData>],
        device: &Device,
    ) -> Result<Run> {
        let call = Call::new(op, args, tracked, weights, device, false)?;
        let none = !call.is_tracked() && tracked.is_empty();
        let gradients = if none { vec![None; args.len()] } else { call.gradients()? };
        Ok(Run { gradients, results: call.results })
    }
}

/// A run with all arguments tracked, to compare other runs with.
struct Compared<'c> {
    case: Case<'c>,
    all: Run,
    bounds: Gradients,
}

impl Compared<'_> {
    fn with(&self, tracked: &[usize], some: &Run) -> Outcome {
        let name = |arg: usize| self.case.graph.args[arg].name.as_str();
        let names: Vec<&str> = tracked.iter().map(|arg| name(*arg)).collect();
        let names = if names.is_empty() { "nothing".to_string() } else { names.join(", ") };
        let told = |what: String| self.case.told(&format!("with only {names} tracked {what}"));
        // They are compared as text, in which all NaNs are equal.
        if format!("{:?}", some.results) != format!("{:?}", self.all.results) {
            return Err(told("results differ from those with all tracked".to_string()));
        }
        let elements = some.results.iter().map(TensorData::elements).sum();
        let mut tally = Tally { elements, ..Tally::CASE };
        for input in 0..self.case.graph.args.len() {
            let is_tracked = tracked.contains(&input);
            match (&some.gradients[input], &self.all.gradients[input]) {
                (Some(_), _) if !is_tracked => return Err(told(format!("`{}` has a gradient", name(input)))),
                (None, Some(_)) if is_tracked => {
                    return Err(told(format!("`{}` has no gradient", name(input))));
                }
                (Some(_), None) => {
                    return Err(told(format!("`{}` has a gradient, and none with all tracked", name(input))));
                }
                (Some(found), Some(expected)) => tally.add(self.same(input, found, expected, &names)?),
                (None, Some(_) | None) => {}
            }
        }
        Ok(tally)
    }

    /// A kernel for fewer gradients may add in another order, so two gradients may differ by the rounding
    /// bounds of both.
    fn same(&self, input: usize, found: &TensorData, expected: &TensorData, names: &str) -> Outcome {
        let (found, expected) =
            (found.as_slice::<f64>().map_err(told)?, expected.as_slice::<f64>().map_err(told)?);
        let bounds = self.bounds.get(&input);
        let mut tally = Tally::default();
        for (index, (a, b)) in found.iter().zip(expected).enumerate() {
            let bound =
                bounds.and_then(|bounds| bounds.values.get(index)).map_or(0.0, |value| 2.0 * value.error);
            let is_same = a == b || (a.is_nan() && b.is_nan());
            let ratio = if is_same { 0.0 } else { (a - b).abs() / bound };
            if ratio.is_nan() || ratio > 1.0 {
                let name = format!("the gradient of `{}`", self.case.graph.args[input].name);
                let what =
                    format!("is {} with only {names} tracked, and {} with all", number(*a), number(*b));
                return Err(self.case.told_at(&name, ElementOf::Arg(input), index, &what));
            }
            tally.elements += 1;
            tally.ratio = tally.ratio.max(ratio);
        }
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_argument_is_tracked_alone_and_left_out_alone() {
        let inputs = [0, 1, 3, 4, 5, 7];
        let subsets = subsets(&inputs, 0);
        let has = |wanted: &[usize]| subsets.contains(wanted);
        assert!(has(&[]) && has(&[7]) && has(&[0, 1, 3, 4, 5]) && has(&[1, 3, 4, 5, 7]) && !has(&inputs));
        assert!(subsets.len() > 2 * inputs.len() + 4, "{subsets:?}");
        assert_eq!(super::subsets(&inputs[..3], 0).len(), 7);
        assert_eq!(super::subsets(&inputs[..1], 0).len(), 1);
    }
}
