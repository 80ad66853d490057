//! Gradients through `Autodiff` on each device against central differences of the reference, as `torch.autograd.gradcheck` and
//! `gradgradcheck` compare them: in f64, with their step and tolerances.
//!
//! Results are weighted at random and summed, so that one pass gives a gradient that any wrong entry of the Jacobian changes. Values
//! behind `stop_grad` stay where they are while differences are taken.

use super::given_rule::Rules;
use super::{Outcome, told};
use crate::agree::{arguments, point};
use crate::place::devices;
use crate::property::for_plans;
use crate::random::Random;
use crate::report::Tally;
use crate::sample::{Plan, Point, sample};
use crate::tape::{Call, Reference, ReferenceGradient, inputs, weights};
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, Result, TensorData, Value};
use tensor_op_spec::grad::{backward, without_given};
use tensor_op_spec::ir::Graph;

/// `eps`, `atol` and `rtol` of `torch.autograd.gradcheck`.
const STEP: f64 = 1e-6;
const ABSOLUTE: f64 = 1e-5;
const RELATIVE: f64 = 1e-3;
/// Elements of a tensor that are moved: all of a small one, some of a large one.
const MOVED: usize = 16;

pub(super) fn first(op: &dyn Op, seed: u64) -> Outcome {
    let source = op.spec().source().with_results(false);
    each_device(&source, seed, 4, |plan, device| first_at(op, &source, plan, device))
}

fn first_at(op: &dyn Op, source: &Graph, plan: &Plan, device: &Device) -> Outcome {
    let args = smooth(source, plan)?;
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
        let compared = differences.compare(&args, input, found[input].as_ref(), &moved, &name);
        tally.add(compared.map_err(|what| format!("on {device}: {what}\n{}", arguments(source, &args)))?);
    }
    Ok(tally)
}

pub(super) fn second(op: &dyn Op, seed: u64) -> Outcome {
    let source = op.spec().source();
    let Ok(gradient) = backward(source) else { return Ok(Tally::default()) };
    let differentiable = op.backward().is_some_and(|op| op.spec().derived_backward().is_ok());
    // Flat in all arguments and gradients, or made of what has no derivative: then there is no second order to check.
    if !differentiable {
        return Ok(Tally::default());
    }
    each_device(&source.with_results(false), seed, 2, |plan, device| second_at(op, &gradient, plan, device))
}

fn second_at(op: &dyn Op, gradient: &Graph, plan: &Plan, device: &Device) -> Outcome {
    let source = op.spec().source();
    let args = smooth(&source.with_results(false), plan)?;
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
    let place = |what: String| format!("on {device}: {what}\n{}", arguments(source, &args));
    for input in inputs {
        let name = format!("the second gradient by `{}`", source.args[input].name);
        let moved = |args: &[Value<TensorData>]| reference.results(args, &weights);
        tally.add(
            differences(input)
                .compare(&args, input, of_args[input].as_ref(), &moved, &name)
                .map_err(place)?,
        );
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
        tally.add(differences(100 + k).compare(&at, slot, found.as_ref(), &moved, &name).map_err(place)?);
    }
    Ok(tally)
}

fn weights_of(results: &[TensorData], seed: u64) -> std::result::Result<Vec<Option<TensorData>>, String> {
    weights(results, seed.wrapping_add(1)).map_err(told)
}

/// A smooth point of the formula, which its given rules are not.
fn smooth(graph: &Graph, plan: &Plan) -> std::result::Result<Vec<Value<TensorData>>, String> {
    sample(&without_given(graph), plan, Point::Smooth).map_err(told)
}

fn each_device(graph: &Graph, seed: u64, cases: u32, holds: impl Fn(&Plan, &Device) -> Outcome) -> Outcome {
    let rules = Rules::new(graph);
    for_plans(graph, seed, cases, 3, |plan| {
        let mut tally = Tally::default();
        // Differences see formulas: they agree with given rules only where these are the derivative.
        if !rules.as_ref().is_ok_and(|rules| rules.hold(plan)) && graph.has_gradient_markers() {
            return Ok(tally);
        }
        for device in devices().iter().filter(|device| Dynamic::supports_dtype(device, DType::F64)) {
            tally.add(holds(plan, device)?);
        }
        Ok(tally)
    })
}

/// What differences are taken of.
type Function<'f> = dyn Fn(&[Value<TensorData>]) -> Result<Vec<TensorData>> + 'f;

/// Central differences of weighted results.
struct Differences<'w> {
    weights: &'w [Option<TensorData>],
    random: Random,
}

impl Differences<'_> {
    /// Compares a gradient with the differences by elements of one argument.
    fn compare(
        mut self,
        args: &[Value<TensorData>],
        input: usize,
        found: Option<&TensorData>,
        function: &Function<'_>,
        name: &str,
    ) -> Outcome {
        let Some(data) = args[input].tensor() else { return Ok(Tally::default()) };
        let mut tally = Tally::default();
        for index in self.moved(data.elements()) {
            let expected = self.slope(args, input, index, function).map_err(told)?;
            let found = match found {
                Some(gradient) => gradient.as_slice::<f64>().map_err(told)?[index],
                None => 0.0,
            };
            if !expected.is_finite() {
                tally.unbounded += 1;
                continue;
            }
            let ratio = (found - expected).abs() / (ABSOLUTE + RELATIVE * expected.abs());
            if ratio.is_nan() || ratio > 1.0 {
                let at = point(data.shape(), index);
                return Err(format!("{name} at [{at}] is {found:e}, differences give {expected:e}"));
            }
            tally.elements += 1;
            tally.ratio = tally.ratio.max(ratio);
        }
        Ok(tally)
    }

    fn moved(&mut self, elements: usize) -> Vec<usize> {
        if elements <= MOVED {
            return (0..elements).collect();
        }
        (0..MOVED).map(|_| self.random.below(elements as u64) as usize).collect()
    }

    fn slope(
        &self,
        args: &[Value<TensorData>],
        input: usize,
        index: usize,
        function: &Function<'_>,
    ) -> Result<f64> {
        let moved = |by: f64| {
            let mut args = args.to_vec();
            if let Value::Tensor(data) = &mut args[input] {
                data.as_mut_slice::<f64>()?[index] += by;
            }
            function(&args)
        };
        let (above, below) = (moved(STEP)?, moved(-STEP)?);
        let mut slope = 0.0;
        for ((above, below), weight) in above.iter().zip(&below).zip(self.weights) {
            let Some(weight) = weight else { continue };
            let pairs = above.as_slice::<f64>()?.iter().zip(below.as_slice::<f64>()?);
            let terms = pairs.zip(weight.as_slice::<f64>()?).map(|((a, b), w)| {
                // What is infinite on both sides, such as a mask, does not move.
                if a == b { 0.0 } else { w * (a - b) / (2.0 * STEP) }
            });
            slope += terms.sum::<f64>();
        }
        Ok(slope)
    }
}
