//! Gradients through `Autodiff` on each device against central differences of the reference, as `torch.autograd.gradcheck` and
//! `gradgradcheck` compare them: in f64, with their step and tolerances.
//!
//! Results are weighted at random and summed, so that one pass gives a gradient that any wrong entry of the Jacobian changes. Values
//! behind `stop_grad` stay where they are while differences are taken.

use super::differences::Differences;
use super::given_rule::Rules;
use super::{NO_POINT, Outcome, smooth_point, told};
use crate::bound::compare;
use crate::case::{Case, Place, number};
use crate::place::devices;
use crate::property::for_plans;
use crate::random::Random;
use crate::report::Tally;
use crate::sample::{Plan, Point, backward_args, sample};
use crate::tape::{Call, Reference, ReferenceGradient, gradients, inputs, weights};
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, TensorData, Value, interpret};
use tensor_op_spec::grad::{backward, without_given};
use tensor_op_spec::ir::Graph;

pub(super) fn first(op: &dyn Op, seed: u64) -> Outcome {
    let source = op.spec().source().with_results(false);
    let holds = |plan: &Plan, device: &Device| first_at(op, &source, plan, device);
    each_device(&source, seed, 4, holds, |plan, device| by_rule(op, plan, device))
}

fn first_at(op: &dyn Op, source: &Graph, plan: &Plan, device: &Device) -> Outcome {
    let Some(args) = smooth(source, plan)? else { return Ok(Tally::nothing(NO_POINT)) };
    let reference = Reference::new(source, &args).map_err(told)?;
    let results = reference.results(&args).map_err(told)?;
    let weights = weights(&results, plan.seed).map_err(told)?;
    let inputs = inputs(source);
    let call = Call::new(op, &args, &inputs, &weights, device, false).map_err(told)?;
    let found = call.gradients().map_err(told)?;
    let mut tally = Tally::CASE;
    for input in inputs {
        let name = format!("the gradient of `{}`", source.args[input].name);
        let moved = |args: &[Value<TensorData>]| reference.results(args);
        let differences = Differences { weights: &weights, random: Random::new(&[plan.seed, input as u64]) };
        let compared = differences.compare(&args, input, found[input].as_ref(), &moved).map_err(told)?;
        let case = Case::new(source, &args, device);
        tally.add(compared.map_err(|off| case.told_at(&name, Place::Arg(input), off.index, &off.what))?);
    }
    Ok(tally)
}

/// Where a given rule is not the derivative: gradients are what the rule gives.
fn by_rule(op: &dyn Op, plan: &Plan, device: &Device) -> Outcome {
    let args = sample(op.spec().graph(), plan, Point::Ordinary).map_err(told)?;
    by_rule_at(op, &args, plan.seed, device)
}

/// As [`by_rule`], of the gradient as an op of its own.
fn second_by_rule(op: &dyn Op, plan: &Plan, device: &Device) -> Outcome {
    let Some(backward) = op.backward() else { return Ok(Tally::default()) };
    let (graph, of) = (op.spec().graph(), backward.spec().graph());
    let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
    let results = interpret(graph, &args).map_err(told)?;
    let weights = weights(&results, plan.seed).map_err(told)?;
    let args = backward_args(graph, of, &args, &results, &weights, DType::F64);
    by_rule_at(&*backward, &args, plan.seed.wrapping_add(1), device)
}

fn by_rule_at(op: &dyn Op, args: &[Value<TensorData>], seed: u64, device: &Device) -> Outcome {
    let graph = op.spec().graph();
    let results = interpret(graph, args).map_err(told)?;
    let all = weights(&results, seed).map_err(told)?;
    let declared = all.iter().zip(graph.visible()).filter(|(_, is)| *is).map(|(w, _)| w.clone());
    let inputs = inputs(graph);
    let call = Call::new(op, args, &inputs, &declared.collect::<Vec<_>>(), device, false).map_err(told)?;
    let (found, expected) = (call.gradients().map_err(told)?, gradients(op, args, &results, &all)?);
    let mut tally = Tally { cases: 1, ..Tally::nothing(NOT_THE_DERIVATIVE) };
    for input in inputs {
        let (Some(found), Some(expected)) = (&found[input], expected.get(&input)) else { continue };
        match compare(found, expected).map_err(told)? {
            Ok(found) => tally.add_found(found),
            Err(off) => {
                let name = format!("the gradient of `{}`", graph.args[input].name);
                let what = format!("is {}, and {} by the rule", number(off.found), number(off.expected));
                return Err(Case::new(graph, args, device).told_at(
                    &name,
                    Place::Arg(input),
                    off.index,
                    &what,
                ));
            }
        }
    }
    Ok(tally)
}

/// What is said of a point that differences can't be taken at.
const NOT_THE_DERIVATIVE: &str =
    "gradients compared with the rule instead of differences, where the given rule is not the derivative";

pub(super) fn second(op: &dyn Op, seed: u64) -> Outcome {
    let source = op.spec().source();
    let gradient = backward(source).map_err(|_| "the op has no gradient".to_string())?;
    let holds = |plan: &Plan, device: &Device| second_at(op, &gradient, plan, device);
    each_device(&source.with_results(false), seed, 2, holds, |plan, device| second_by_rule(op, plan, device))
}

/// Why there is no second order: flat in all arguments and gradients, or made of what has no derivative.
pub(super) fn no_second(op: &dyn Op) -> Option<String> {
    let gradient = op.backward()?;
    let why = gradient.spec().derived_backward().err()?;
    Some(format!("the gradient has none: {why}"))
}

fn second_at(op: &dyn Op, gradient: &Graph, plan: &Plan, device: &Device) -> Outcome {
    let source = op.spec().source();
    let Some(args) = smooth(&source.with_results(false), plan)? else {
        return Ok(Tally::nothing(NO_POINT));
    };
    let results =
        Reference::new(source, &args).and_then(|reference| reference.results(&args)).map_err(told)?;
    let mut weights = weights(&results, plan.seed).map_err(told)?;
    weights.iter_mut().zip(&source.outputs).for_each(|(weight, output)| {
        if output.hidden {
            *weight = None;
        }
    });
    let reference = ReferenceGradient::new(source, gradient, &args, &weights).map_err(told)?;
    let gradients = reference.results(&args, &weights).map_err(told)?;
    let directions = self::weights_of(&gradients, plan.seed)?;
    let inputs = inputs(source);
    let visible: Vec<Option<TensorData>> = weights
        .iter()
        .zip(&source.outputs)
        .filter(|(_, output)| !output.hidden)
        .map(|(w, _)| w.clone())
        .collect();
    let call = Call::new(op, &args, &inputs, &visible, device, true).map_err(told)?;
    let (of_args, of_weights) = call.second_gradients(&inputs, &directions, device).map_err(told)?;
    let differences =
        |salt: usize| Differences { weights: &directions, random: Random::new(&[plan.seed, salt as u64]) };
    let mut tally = Tally::CASE;
    let case = Case::new(source, &args, device);
    for input in inputs {
        let name = format!("the second gradient by `{}`", source.args[input].name);
        let moved = |args: &[Value<TensorData>]| reference.results(args, &weights);
        let compared =
            differences(input).compare(&args, input, of_args[input].as_ref(), &moved).map_err(told)?;
        tally.add(compared.map_err(|off| case.told_at(&name, Place::Arg(input), off.index, &off.what))?);
    }
    let declared = (0..weights.len()).filter(|k| !source.outputs[*k].hidden).zip(of_weights);
    for (k, found) in declared.filter(|(k, _)| weights[*k].is_some()) {
        let name = format!("the gradient's gradient by that of `{}`", source.outputs[k].name);
        let at: Vec<Value<TensorData>> = weights.iter().flatten().cloned().map(Value::Tensor).collect();
        let slot = weights[..k].iter().flatten().count();
        let moved = |at: &[Value<TensorData>]| {
            let mut moved = at.iter().filter_map(Value::tensor).cloned();
            let weights: Vec<Option<TensorData>> =
                weights.iter().map(|weight| weight.as_ref().and_then(|_| moved.next())).collect();
            reference.results(&args, &weights)
        };
        let compared = differences(100 + k).compare(&at, slot, found.as_ref(), &moved).map_err(told)?;
        tally.add(compared.map_err(|off| case.told_at(&name, Place::Result(k), off.index, &off.what))?);
    }
    Ok(tally)
}

fn weights_of(results: &[TensorData], seed: u64) -> std::result::Result<Vec<Option<TensorData>>, String> {
    weights(results, seed.wrapping_add(1)).map_err(told)
}

/// A smooth point of the formula, which its given rules are not.
fn smooth(graph: &Graph, plan: &Plan) -> std::result::Result<Option<Vec<Value<TensorData>>>, String> {
    smooth_point(&without_given(graph), plan)
}

/// Checks `holds` on each device, or `otherwise` where a given rule is not the derivative: differences see formulas, and agree with rules only
/// where these are.
fn each_device(
    graph: &Graph,
    seed: u64,
    cases: u32,
    holds: impl Fn(&Plan, &Device) -> Outcome,
    otherwise: impl Fn(&Plan, &Device) -> Outcome,
) -> Outcome {
    let rules = graph.has_gradient_markers().then(|| Rules::new(graph));
    for_plans(graph, seed, cases, 3, |plan| {
        let is_derivative = match &rules {
            None => true,
            Some(Ok(rules)) => rules.hold(plan)?,
            Some(Err(_)) => false,
        };
        let mut tally = Tally::default();
        for device in devices().iter().filter(|device| Dynamic::supports_dtype(device, DType::F64)) {
            tally.add(if is_derivative { holds(plan, device) } else { otherwise(plan, device) }?);
        }
        Ok(tally)
    })
}
