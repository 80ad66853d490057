//! Given rules against the derived ones: the op's gradient with and without `#[grad(..)]`, in f64. At smooth points it is the derivative; at
//! kinks, ties and singular points it is what the primitives and named formulas have there.

use super::{NO_POINT, Outcome, smooth_point, told};
use crate::bound::{Bounded, Rounding};
use crate::case::{Case, Place, number, tensor};
use crate::property::{for_plan, for_plans};
use crate::report::Tally;
use crate::sample::special::{each_float, one_special, points};
use crate::sample::{Plan, Point, backward_args, sample};
use crate::tape::weights;
use tensor_op_core::{DType, Evaluated, Op, TensorData, Value, evaluate, interpret};
use tensor_op_spec::grad::{backward, without_given};
use tensor_op_spec::ir::{Graph, Op as NodeOp};

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let given = op.spec().source().with_results(false);
    let rules = Rules::new(&given)?;
    let mut tally = for_plans(&rules.plain, seed, 8, 3, |plan| rules.compare(plan))?;
    tally.add(at_special_points(&given, &rules.by_rule, seed)?);
    Ok(tally)
}

/// Rules beside the gradient that the declaration has without them.
fn at_special_points(given: &Graph, by_rule: &Graph, seed: u64) -> Outcome {
    let own = without_own_rules(given);
    let derived = derive(&own)?;
    for_plan(&own, Plan::uniform(&own, 3, &[2], seed), |plan| {
        let args = sample(&own, plan, Point::Ordinary).map_err(told)?;
        let mut cases = one_special(&args, &points(&own), seed);
        cases.extend([0.0, 1.0].map(|x| each_float(&args, |_| x)));
        let mut tally = Tally::default();
        for args in cases {
            tally.add(compare(&own, [by_rule, &derived], &args, seed)?);
        }
        Ok(tally)
    })
}

/// The graph without the rules of the declaration itself; those of named formulas and called ops stay.
fn without_own_rules(given: &Graph) -> Graph {
    let mut graph = given.clone();
    for output in &mut graph.outputs {
        if let NodeOp::Given { value, .. } = given.node(output.node).op {
            // The value of a rule that covers all paths was put behind `stop_grad`.
            output.node = match given.node(value).op {
                NodeOp::StopGrad(inner) => inner,
                _ => value,
            };
        }
    }
    graph
}

fn derive(graph: &Graph) -> Result<Graph, String> {
    backward(graph).map_err(|reasons| {
        let reasons: Vec<String> = reasons.into_iter().map(|why| why.reason).collect();
        format!("there is no derived rule to compare with: {}", reasons.join("; "))
    })
}

/// A graph without its given rules, and its gradient by them and without them.
pub(super) struct Rules {
    plain: Graph,
    by_rule: Graph,
    derived: Graph,
}

impl Rules {
    /// An `Err` if one of the gradients does not exist.
    pub(super) fn new(given: &Graph) -> Result<Rules, String> {
        let plain = without_given(given);
        Ok(Rules { by_rule: derive(given)?, derived: derive(&plain)?, plain })
    }

    /// Whether the rules are the derivative; one that was chosen to be another, in an op that this one calls, is not, nor is
    /// one that there is no point to see at.
    pub(super) fn hold(&self, plan: &Plan) -> Result<bool, String> {
        let Some(args) = smooth_point(&self.plain, plan)? else { return Ok(false) };
        Ok(compare(&self.plain, [&self.by_rule, &self.derived], &args, plan.seed).is_ok())
    }

    fn compare(&self, plan: &Plan) -> Outcome {
        let Some(args) = smooth_point(&self.plain, plan)? else { return Ok(Tally::nothing(NO_POINT)) };
        compare(&self.plain, [&self.by_rule, &self.derived], &args, plan.seed)
    }
}

/// Why the claim is not about an op: it has no rule of its own, or one that stands alone.
pub(super) fn not_applicable(op: &dyn Op) -> Option<String> {
    let given = op.spec().source().with_results(false);
    let has_rule =
        given.outputs.iter().any(|output| matches!(given.node(output.node).op, NodeOp::Given { .. }));
    if !has_rule {
        return Some("the op gives no rule".to_string());
    }
    Rules::new(&given).err()
}

/// The gradients of a graph by two derivatives of it.
fn compare(plain: &Graph, [by_rule, derived]: [&Graph; 2], args: &[Value<TensorData>], seed: u64) -> Outcome {
    let results = interpret(plain, args).map_err(told)?;
    let weights = weights(&results, seed).map_err(told)?;
    let gradients = |derivative: &Graph| {
        let args = backward_args(plain, derivative, args, &results, &weights, DType::F64);
        evaluate(derivative, &args, &Rounding::new(DType::F64))
    };
    let (found, expected) = (gradients(by_rule).map_err(told)?, gradients(derived).map_err(told)?);
    let mut tally = Tally::CASE;
    for ((found, expected), output) in found.iter().zip(&expected).zip(&derived.outputs) {
        let input = output.name.trim_start_matches("grad_");
        let checked = gradient(found, expected, input, plain, args);
        tally.add(checked.map_err(|what| format!("{what}\n{}", grads(&weights)))?);
    }
    Ok(tally)
}

/// The gradients of the results that a rule was given, as it calls them.
fn grads(weights: &[Option<TensorData>]) -> String {
    let name = |k: usize| if weights.len() == 1 { "grad".to_string() } else { format!("grad{k}") };
    let lines = weights.iter().enumerate().filter_map(|(k, data)| Some(tensor(&name(k), data.as_ref()?)));
    lines.collect::<Vec<_>>().join("\n")
}

fn gradient(
    found: &Evaluated<Bounded>,
    expected: &Evaluated<Bounded>,
    input: &str,
    graph: &Graph,
    args: &[Value<TensorData>],
) -> Outcome {
    let mut tally = Tally::default();
    for (index, (found, expected)) in found.values.iter().zip(&expected.values).enumerate() {
        let (a, b) = (found.value.as_f64(), expected.value.as_f64());
        // A rule that is not finite where the gradient is a number is wrong, however it came to that.
        let known = !expected.is_free() && b.is_finite();
        if !known || (found.is_free() && a.is_finite()) {
            tally.unbounded += 1;
            continue;
        }
        let ratio = match a == b {
            true => 0.0,
            false if !a.is_finite() => f64::INFINITY,
            false => (a - b).abs() / (found.error + expected.error),
        };
        if ratio.is_nan() || ratio > 1.0 {
            let what = format!("is {} by the given rule, and {} by the derived one", number(a), number(b));
            let (case, name) = (Case::reference(graph, args), format!("the gradient of `{input}`"));
            let arg = graph.args.iter().position(|arg| arg.name == input).map(Place::Arg);
            return Err(arg.map_or_else(|| case.told(&what), |arg| case.told_at(&name, arg, index, &what)));
        }
        tally.elements += 1;
        tally.ratio = tally.ratio.max(ratio);
    }
    Ok(tally)
}
