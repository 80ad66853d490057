//! Forward mode: compares derivatives along a direction with differences along it, and with the gradient.

use super::gradcheck::{Points, at_smooth_points, by_rule, smooth};
use super::{NO_POINT, Outcome, told};
use crate::bound::Bounded;
use crate::case::{Case, number};
use crate::place::{Layout, place_all};
use crate::random::Random;
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::SamplePlan;
use crate::scope::Scope;
use crate::slope::{Slope, step};
use crate::tape::{Gradients, Reference, Tape, Tracked, gradients, inputs, weighted, weights};
use tensor_op_autodiff::functions;
use tensor_op_core::{
    Backend, DType, Detached, Device, Evaluated, Op, Result, TensorData, Value, evaluate, evaluate_known,
    interpret,
};
use tensor_op_spec::grad::jvp;
use tensor_op_spec::ir::{Arg, ArgType, Role};

/// The reason why there is no forward mode: a given rule that is not linear in the gradient.
pub(super) fn not_applicable(op: &dyn Op) -> Option<String> {
    let source = op.spec().source();
    let missing = jvp(source, &vec![true; source.args.len()]).err()?;
    Some(missing.first().map_or_else(String::new, |missing| missing.reason.clone()))
}

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let source = op.spec().source().with_results(false);
    let points = Points { scope, count: scope.of(2, 4), largest: scope.largest(op, [3, 2]) };
    let at = |plan: &SamplePlan, device: &Device, is_derivative: bool| {
        let Some(args) = smooth(&source, plan)? else { return Ok(Tally::nothing(NO_POINT)) };
        Direction::new(op, &args, plan.seed).map_err(told)?.check(device, is_derivative)
    };
    points.each_device(
        &source,
        |plan, device| at(plan, device, true),
        |plan, device| match at(plan, device, false) {
            Ok(tally) if tally.elements == 0 => by_rule(op, plan, device),
            outcome => outcome,
        },
    )
}

/// A point, a direction, and weights of the results. The weighted sum of the results is differentiated.
struct Direction<'d> {
    op: &'d dyn Op,
    args: &'d [Value<TensorData>],
    /// One for each argument.
    tangents: Vec<Option<TensorData>>,
    /// One for each declared result.
    weights: Vec<Option<TensorData>>,
    reference: Reference,
}

impl<'d> Direction<'d> {
    fn new(op: &'d dyn Op, args: &'d [Value<TensorData>], seed: u64) -> Result<Direction<'d>> {
        let source = op.spec().source().with_results(false);
        let reference = Reference::new(&source, args)?;
        let weights = weights(&reference.results(args)?, seed)?;
        let inputs = inputs(&source);
        let tangent = |arg: usize| match args[arg].tensor() {
            Some(data) if inputs.contains(&arg) => signs(data, &[seed, arg as u64, 5]).map(Some),
            Some(_) | None => Ok(None),
        };
        let tangents = (0..args.len()).map(tangent).collect::<Result<_>>()?;
        Ok(Direction { op, args, tangents, weights, reference })
    }

    fn check(&self, device: &Device, is_derivative: bool) -> Outcome {
        let found = self.run(device);
        if let Some(refused) = refusal(&found, device, DType::F64) {
            return Ok(refused);
        }
        let (found, own) = (found.map_err(told)?, self.rounding().map_err(told)?);
        let mut tally = Tally::CASE;
        let by_gradient = self.by_gradient()?;
        let by_differences = if is_derivative { Some(self.by_differences().map_err(told)?) } else { None };
        for (how, expected) in
            [("the gradient gives", Some(by_gradient)), ("differences give", by_differences)]
        {
            let Some(Slope { value, error }) = expected else { continue };
            let bound = error + own;
            if !bound.is_finite() || !value.is_finite() {
                tally.unbounded += 1;
                continue;
            }
            let distance = (found - value).abs();
            let ratio = if distance == 0.0 { 0.0 } else { distance / bound };
            if ratio.is_nan() || ratio > 1.0 {
                let [is, not, bound] = [found, value, bound].map(number);
                let case = Case::new(self.op.spec().graph(), self.args, device);
                return Err(case.told(&format!(
                    "the derivative of the weighted results along a direction is {is}; {how} {not}; the bound is {bound}"
                )));
            }
            tally.elements += 1;
            tally.ratio = tally.ratio.max(ratio);
        }
        Ok(tally)
    }

    /// The derivative by forward mode on a device.
    fn run(&self, device: &Device) -> Result<f64> {
        let place = |data: &TensorData| Tape::from_data(data.clone(), device);
        let placed = place_all(self.args, device, Layout::Contiguous)?;
        let placed: Vec<Value<Tracked>> =
            placed.into_iter().map(|arg| arg.map(Tracked::from_inner)).collect();
        let inputs: Vec<usize> = (0..placed.len()).filter(|arg| self.tangents[*arg].is_some()).collect();
        let values: Vec<Tracked> = inputs.iter().filter_map(|arg| placed[*arg].tensor().cloned()).collect();
        let tangents: Vec<Tracked> = self.tangents.iter().flatten().map(place).collect::<Result<_>>()?;
        let weights: Vec<Option<Tracked>> = self
            .weights
            .iter()
            .map(|weight| weight.as_ref().map(place).transpose())
            .collect::<Result<_>>()?;
        let f = |values: &[Tracked]| {
            let mut args = placed.clone();
            inputs.iter().zip(values).for_each(|(arg, value)| args[*arg] = Value::Tensor(value.clone()));
            let results = Tape::run(self.op, args, &self.op.spec().graph().visible())?;
            let results: Vec<Tracked> = results.into_iter().flatten().collect();
            weighted(results.iter().zip(&weights).filter_map(|(y, w)| Some((y, w.as_ref()?))), device)
        };
        let (_, tangent) = functions::jvp(f, &values, &tangents)?;
        Ok(Tape::into_data(tangent)?.as_slice::<f64>()?[0])
    }

    /// How far rounding may take forward mode from the derivative.
    fn rounding(&self) -> Result<f64> {
        let source = self.op.spec().source();
        let carries: Vec<bool> = self.tangents.iter().map(Option::is_some).collect();
        let Ok(derivative) = jvp(source, &carries) else { return Ok(f64::INFINITY) };
        let rounding = at_smooth_points();
        let results = evaluate(source, self.args, &rounding)?;
        let plain = interpret(source, self.args)?;
        let of = |arg: &Arg| match arg.role {
            Role::Forward(i) => shaped(arg, self.args[i].clone()),
            Role::Tangent(i) => {
                let tangent = self.tangents[i].clone().map(Value::Tensor);
                shaped(arg, tangent.unwrap_or_else(|| self.args[i].clone()))
            }
            Role::Output(k) | Role::Grad(k) => shaped(arg, Value::Tensor(plain[k].clone())),
        };
        let args: Vec<Value<TensorData>> = derivative.graph.args.iter().map(of).collect();
        let saved = |(index, arg): (usize, &Arg)| match (arg.role, &args[index]) {
            (Role::Output(k), Value::Tensor(_)) => Some((index, results[k].values.clone())),
            (Role::Output(_) | Role::Forward(_) | Role::Grad(_) | Role::Tangent(_), _) => None,
        };
        let known = derivative.graph.args.iter().enumerate().filter_map(saved).collect();
        let tangents = evaluate_known(&derivative.graph, &args, &rounding, &Detached::default(), &known)?;
        let mut sum = Sum::default();
        for (tangent, k) in tangents.iter().zip(&derivative.of) {
            if let Some(Some(weight)) = self.weights.get(*k) {
                sum.add(&tangent.values, weight)?;
            }
        }
        Ok(sum.slope().error)
    }

    /// The derivative as the product of the gradient and the direction.
    fn by_gradient(&self) -> std::result::Result<Slope, String> {
        let mut declared = self.weights.iter().cloned();
        let visible = self.op.spec().graph().visible().into_iter();
        let all: Vec<_> = visible.map(|is| if is { declared.next().flatten() } else { None }).collect();
        let found: Gradients = gradients(self.op, self.args, &all, &at_smooth_points())?;
        let mut sum = Sum::default();
        for (arg, tangent) in self.tangents.iter().enumerate() {
            if let (Some(tangent), Some(Evaluated { values, .. })) = (tangent, found.get(&arg)) {
                sum.add(values, tangent).map_err(told)?;
            }
        }
        Ok(sum.slope())
    }

    /// The derivative as a difference along the direction.
    fn by_differences(&self) -> Result<Slope> {
        let elements: usize = self.tangents.iter().flatten().map(TensorData::elements).sum();
        // All elements move at once. So a value of the formula may move further than by one element, up to as
        // many times as there are elements.
        let first = step(0.0) / elements.max(1).next_power_of_two() as f64;
        Slope::of(first, &self.weights, |offset| self.reference.along(self.args, &self.tangents, offset))
    }
}

/// A sum of products, with the bound of its rounding.
#[derive(Default)]
struct Sum {
    value: f64,
    error: f64,
    magnitudes: f64,
    count: f64,
}

impl Sum {
    fn add(&mut self, values: &[Bounded], factors: &TensorData) -> Result<()> {
        for (value, factor) in values.iter().zip(factors.as_slice::<f64>()?) {
            let term = value.value.as_f64() * factor;
            self.value += term;
            self.error += value.error * factor.abs();
            self.magnitudes += term.abs();
            self.count += 1.0;
        }
        Ok(())
    }

    fn slope(&self) -> Slope {
        Slope { value: self.value, error: self.error + (self.count + 2.0) * f64::EPSILON * self.magnitudes }
    }
}

/// Replaces a tensor by its shape if the argument is a shape.
fn shaped(arg: &Arg, value: Value<TensorData>) -> Value<TensorData> {
    match (&arg.ty, value) {
        (ArgType::Shape { .. }, Value::Tensor(data)) => Value::Shape(data.shape().clone()),
        (_, value) => value,
    }
}

/// A direction whose elements are 1 or 0.5 with either sign, so that products with a step are exact.
fn signs(like: &TensorData, seed: &[u64]) -> Result<TensorData> {
    let mut random = Random::new(seed);
    let values = (0..like.elements()).map(|_| [1.0, -1.0, 0.5, -0.5][random.below(4) as usize]);
    TensorData::new(values.collect(), like.shape())
}
