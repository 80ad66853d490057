//! Compares gradients through `Autodiff` on each device with differences of the reference in f64, as
//! `torch.autograd.gradcheck` and `gradgradcheck` do. Steps and bounds follow from the op and the point.
//!
//! Results are weighted at random and summed. So one backward pass gives a gradient that any wrong entry of
//! the Jacobian changes. Values behind `stop_grad` stay where they are while differences are taken.

use super::differences::Differences;
use super::given_rule::{Rules, Standing};
use super::{NO_POINT, Outcome, smooth_point, told};
use crate::bound::{Bounded, Found, Rounding, compare};
use crate::case::{Case, ElementOf, number};
use crate::place::devices;
use crate::property::{for_plans, for_points};
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::{Point, SamplePlan, backward_args, sample};
use crate::scope::{Scope, work};
use crate::tape::{Call, Reference, gradients, gradients_by, inputs, weights};
use tensor_op_core::{DType, Device, Evaluated, Op, TensorData, Value, interpret};
use tensor_op_spec::grad::{Keep, NoGradient, pair, without_given};
use tensor_op_spec::ir::{ArgType, Graph, Role};

pub(super) fn first(op: &dyn Op, scope: &Scope) -> Outcome {
    let source = op.spec().source().with_results(false);
    let moved = moved(op, scope);
    let holds = |plan: &SamplePlan, device: &Device| first_at(op, &source, plan, device, moved);
    let points = Points { scope, count: scope.of(2, 4), largest: scope.largest(op, [3, 2]) };
    points.each_device(&source, holds, |plan, device| by_rule(op, plan, device))
}

/// How many elements of a tensor are moved at most: all elements of a small tensor, and some of a large one.
/// Fewer are moved if the formula is so costly that this is seldom affordable.
const MOVED: usize = 16;

/// How many elements of a tensor are moved. Each needs about eight evaluations.
fn moved(op: &dyn Op, scope: &Scope) -> usize {
    let size = scope.largest(op, [3, 2]);
    let work = work(op, &SamplePlan::uniform(op.spec().graph(), size, &[size], scope.seed()));
    scope.of((AFFORDABLE / work.max(1)).clamp(2, MOVED), MOVED)
}

/// How many elements of nodes the reference computes for the differences of one argument at the quick level.
const AFFORDABLE: usize = 4_000;

fn first_at(op: &dyn Op, source: &Graph, plan: &SamplePlan, device: &Device, moved: usize) -> Outcome {
    let Some(args) = smooth(source, plan)? else { return Ok(Tally::nothing(NO_POINT)) };
    let reference = Reference::new(source, &args).map_err(told)?;
    let results = reference.results(&args).map_err(told)?;
    let weights = weights(&results, plan.seed).map_err(told)?;
    let inputs = inputs(source);
    let found = Call::new(op, &args, &inputs, &weights, device, false).and_then(|call| call.gradients());
    if let Some(refused) = refusal(&found, device, DType::F64) {
        return Ok(refused);
    }
    let found = found.map_err(told)?;
    let differences = Differences {
        reference: &reference,
        args: &args,
        weights: &weights,
        derived: &gradients(op, &args, &of_all(op, &weights), &at_smooth_points())?,
        case: Case::new(source, &args, device),
        seed: plan.seed,
        moved,
    };
    let mut tally = Tally::CASE;
    for input in inputs {
        let name = format!("the gradient of `{}`", source.args[input].name);
        tally.add(differences.compare(input, found[input].as_ref(), &name, ElementOf::Arg(input))?);
    }
    Ok(tally)
}

/// Extends the weights of the declared results to all results of an op. Hidden results have no weight.
fn of_all(op: &dyn Op, declared: &[Option<TensorData>]) -> Vec<Option<TensorData>> {
    let mut declared = declared.iter().cloned();
    let of = |visible: bool| if visible { declared.next().flatten() } else { None };
    op.spec().graph().visible().into_iter().map(of).collect()
}

/// For an op whose given rule is not the derivative: checks that gradients are what the rule gives.
pub(super) fn by_rule(op: &dyn Op, plan: &SamplePlan, device: &Device) -> Outcome {
    let args = sample(op.spec().graph(), plan, Point::Ordinary).map_err(told)?;
    by_rule_at(op, &args, plan.seed, device)
}

/// Does the same as [`by_rule`], for the gradient as an op of its own.
fn second_by_rule(op: &dyn Op, plan: &SamplePlan, device: &Device) -> Outcome {
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
    let declared: Vec<_> = declared.collect();
    let found =
        Call::new(op, args, &inputs(graph), &declared, device, false).and_then(|call| call.gradients());
    if let Some(refused) = refusal(&found, device, DType::F64) {
        return Ok(refused);
    }
    against_rule(op, args, &all, &found.map_err(told)?, &Rounding::new(DType::F64), device)
}

/// Compares the gradient of each argument with the one that the op's rule gives for these gradients of its
/// results.
pub(super) fn against_rule(
    op: &dyn Op,
    args: &[Value<TensorData>],
    of_results: &[Option<TensorData>],
    found: &[Option<TensorData>],
    rounding: &Rounding,
    device: &Device,
) -> Outcome {
    let graph = op.spec().graph();
    let expected = gradients(op, args, of_results, rounding)?;
    let mut tally = Tally::CASE;
    for input in inputs(graph) {
        let (Some(found), Some(expected)) = (&found[input], expected.get(&input)) else { continue };
        match compare(found, expected).map_err(told)? {
            Ok(found) => tally.add_found(of_numbers(found, expected)),
            Err(off) => {
                let name = format!("the gradient of `{}`", graph.args[input].name);
                let what = format!("is {}, and {} by the rule", number(off.found), number(off.expected));
                return Err(Case::new(graph, args, device).told_at(
                    &name,
                    ElementOf::Arg(input),
                    off.index,
                    &what,
                ));
            }
        }
    }
    Ok(tally)
}

/// If both values are NaN, the element says nothing about a gradient, so it does not count as compared.
fn of_numbers(found: Found, expected: &Evaluated<Bounded>) -> Found {
    let is_nan = |value: &&Bounded| !value.is_free() && value.value.as_f64().is_nan();
    let nan = expected.values.iter().filter(is_nan).count();
    Found { bounded: found.bounded - nan, free: found.free + nan, ..found }
}

pub(super) fn second(op: &dyn Op, scope: &Scope) -> Outcome {
    let second = Second::new(op.spec().source().with_results(false))
        .map_err(|_| "the op has no gradient".to_string())?;
    let moved = moved(op, scope);
    let holds = |plan: &SamplePlan, device: &Device| second_at(op, &second, plan, device, moved);
    let points = Points { scope, count: scope.of(1, 2), largest: scope.largest(op, [3, 2]) };
    points.each_device(&second.source, holds, |plan, device| second_by_rule(op, plan, device))
}

/// An op, its gradient and the gradient of its gradient, each as a function of arguments alone.
struct Second {
    source: Graph,
    gradient: Graph,
    /// The gradient of the gradient, for its bounds. `None` if the gradient is differentiable only with saved
    /// results, such as the position of a maximum.
    again: Option<Graph>,
}

impl Second {
    fn new(source: Graph) -> Result<Second, Vec<NoGradient>> {
        let gradient = pair(&source, &Keep::Inputs)?.backward;
        let again = pair(&gradient, &Keep::Inputs).ok().map(|pair| pair.backward);
        Ok(Second { source, gradient, again })
    }

    /// Which argument of the gradient's graph has this role: an argument of the op, or a gradient of a
    /// result. `None` if the gradient does not depend on its values.
    fn slot(&self, role: Role) -> Option<usize> {
        let is = |arg: &tensor_op_spec::ir::Arg| arg.role == role && matches!(arg.ty, ArgType::Tensor { .. });
        self.gradient.args.iter().position(is)
    }
}

/// The reason why there is no second order: the gradient is flat in all arguments and gradients, or it is
/// made of primitives without a derivative.
pub(super) fn no_second(op: &dyn Op) -> Option<String> {
    let gradient = op.backward()?;
    let why = gradient.spec().derived_backward().err()?;
    Some(format!("the gradient has none: {why}"))
}

fn second_at(op: &dyn Op, second: &Second, plan: &SamplePlan, device: &Device, moved: usize) -> Outcome {
    let Second { source, gradient, again } = second;
    let Some(args) = smooth(source, plan)? else { return Ok(Tally::nothing(NO_POINT)) };
    let results = interpret(source, &args).map_err(told)?;
    let weights = weights(&results, plan.seed).map_err(told)?;
    let at = backward_args(source, gradient, &args, &results, &weights, DType::F64);
    let reference = Reference::new(gradient, &at).map_err(told)?;
    let gradients = reference.results(&at).map_err(told)?;
    let directions = self::weights(&gradients, plan.seed.wrapping_add(1)).map_err(told)?;
    let inputs = inputs(source);
    let found = Call::new(op, &args, &inputs, &weights, device, true)
        .and_then(|call| call.second_gradients(&inputs, &directions, device));
    if let Some(refused) = refusal(&found, device, DType::F64) {
        return Ok(refused);
    }
    let (of_args, of_weights) = found.map_err(told)?;
    let derived = again
        .as_ref()
        .map(|again| gradients_by(gradient, again, &at, &directions, &at_smooth_points()))
        .transpose();
    let differences = Differences {
        reference: &reference,
        args: &at,
        weights: &directions,
        derived: &derived.map_err(told)?.unwrap_or_default(),
        case: Case::new(source, &args, device),
        seed: plan.seed,
        moved,
    };
    let of_input = |input: usize| {
        let name = format!("the second gradient by `{}`", source.args[input].name);
        (Role::Forward(input), of_args[input].as_ref(), name, ElementOf::Arg(input))
    };
    let of_weight = |k: usize| {
        let name = format!("the gradient's gradient by that of `{}`", source.outputs[k].name);
        (Role::Grad(k), of_weights[k].as_ref(), name, ElementOf::Result(k))
    };
    let weighted = (0..of_weights.len()).filter(|k| weights[*k].is_some()).map(of_weight);
    let mut tally = Tally::CASE;
    for (role, found, name, place) in inputs.into_iter().map(of_input).chain(weighted) {
        tally.add(match second.slot(role) {
            Some(slot) => differences.compare(slot, found, &name, place)?,
            None => stands_still(found, &name, place, &differences.case)?,
        });
    }
    Ok(tally)
}

/// Checks a second gradient by a value that the gradient does not depend on: it has to be zero.
fn stands_still(found: Option<&TensorData>, name: &str, place: ElementOf, case: &Case<'_>) -> Outcome {
    let Some(found) = found else { return Ok(Tally::default()) };
    let found = found.as_slice::<f64>().map_err(told)?;
    match found.iter().position(|x| *x != 0.0) {
        None => Ok(Tally { elements: found.len(), ..Tally::default() }),
        Some(index) => {
            let what = format!("is {}, where the gradient does not depend on it", number(found[index]));
            Err(case.told_at(name, place, index, &what))
        }
    }
}

/// The rounding of gradients at the points where differences are taken.
pub(super) fn at_smooth_points() -> Rounding {
    Rounding::new(DType::F64).settled()
}

/// A smooth point of the formula without its given rules, which need not be smooth there.
pub(super) fn smooth(
    graph: &Graph,
    plan: &SamplePlan,
) -> std::result::Result<Option<Vec<Value<TensorData>>>, String> {
    smooth_point(&without_given(graph), plan)
}

/// The points at which gradients are compared with differences.
pub(super) struct Points<'s> {
    pub(super) scope: &'s Scope,
    pub(super) count: u32,
    /// The largest size.
    pub(super) largest: usize,
}

impl Points<'_> {
    /// Checks `holds` on each device, or `otherwise` if a given rule is not the derivative: differences see
    /// the formula, and agree with a rule only if the rule is the formula's derivative. If no difference says
    /// anything, `otherwise` is checked as well.
    pub(super) fn each_device(
        &self,
        graph: &Graph,
        holds: impl Fn(&SamplePlan, &Device) -> Outcome,
        otherwise: impl Fn(&SamplePlan, &Device) -> Outcome,
    ) -> Outcome {
        let Points { scope, count, largest } = *self;
        let rules = graph.has_gradient_markers().then(|| Rules::new(graph));
        let compared = for_points(graph, scope.seed(), count, largest, |plan| {
            let standing = match &rules {
                None => Standing::Derivative,
                Some(Ok(rules)) => rules.standing(plan)?,
                Some(Err(_)) => Standing::Other,
            };
            match standing {
                Standing::NoPoint => Ok(Tally::nothing(NO_POINT)),
                Standing::Derivative => self.on_devices(|device| holds(plan, device)),
                Standing::Other => {
                    self.on_devices(|device| noted(NOT_THE_DERIVATIVE, otherwise(plan, device)))
                }
            }
        })?;
        if compared.elements > 0 {
            return Ok(compared);
        }
        let why = if compared.cases == 0 { NO_POINTS } else { ALL_LOST };
        for_plans(graph, scope.seed(), count, largest, |plan| {
            self.on_devices(|device| noted(why, otherwise(plan, device)))
        })
    }

    fn on_devices(&self, holds: impl Fn(&Device) -> Outcome) -> Outcome {
        let mut tally = Tally::default();
        for device in devices().iter().filter(|device| self.scope.has(device, DType::F64)) {
            tally.add(holds(device)?);
        }
        Ok(tally)
    }
}

/// Note for a call whose gradients are compared with the rule.
const NOT_THE_DERIVATIVE: &str =
    "gradients compared with the rule instead of differences, where the given rule is not the derivative";
const NO_POINTS: &str = "gradients compared with the rule instead of differences: no point is away from kinks and singular points";
const ALL_LOST: &str =
    "gradients compared with the rule instead of differences, all of which are lost in rounding";

fn noted(why: &str, outcome: Outcome) -> Outcome {
    let mut tally = outcome?;
    tally.add(Tally::nothing(why));
    Ok(tally)
}
