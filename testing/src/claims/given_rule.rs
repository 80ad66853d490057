//! Given rules against the derived ones: the op's gradient with and without `#[grad(..)]`, in f64 at smooth points.

use super::{Outcome, told};
use crate::agree::{arguments, point};
use crate::bound::{Bounded, Rounding};
use crate::property::for_plans;
use crate::report::Tally;
use crate::sample::{Plan, Point, backward_args, sample};
use crate::tape::weights;
use tensor_op_core::{DType, Evaluated, Op, TensorData, Value, evaluate, interpret};
use tensor_op_spec::grad::{backward, without_given};
use tensor_op_spec::ir::Graph;

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let rules = Rules::new(&op.spec().source().with_results(false))?;
    for_plans(&rules.plain, seed, 8, 3, |plan| rules.compare(plan))
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
        let derive = |graph: &Graph| {
            backward(graph).map_err(|reasons| {
                let reasons: Vec<String> = reasons.into_iter().map(|why| why.reason).collect();
                format!("there is no derived rule to compare with: {}", reasons.join("; "))
            })
        };
        Ok(Rules { by_rule: derive(given)?, derived: derive(&plain)?, plain })
    }

    /// Whether the rules are the derivative; one that was chosen to be another, in an op that this one calls, is not.
    pub(super) fn hold(&self, plan: &Plan) -> bool {
        self.compare(plan).is_ok()
    }

    fn compare(&self, plan: &Plan) -> Outcome {
        compare(&self.plain, [&self.by_rule, &self.derived], plan)
    }
}

/// The gradients of a graph by two derivatives of it.
fn compare(plain: &Graph, [by_rule, derived]: [&Graph; 2], plan: &Plan) -> Outcome {
    let args = sample(plain, plan, Point::Smooth).map_err(told)?;
    let results = interpret(plain, &args).map_err(told)?;
    let weights = weights(&results, plan.seed).map_err(told)?;
    let gradients = |derivative: &Graph| {
        let args = backward_args(plain, derivative, &args, &results, &weights, DType::F64);
        evaluate(derivative, &args, &Rounding::new(DType::F64))
    };
    let (found, expected) = (gradients(by_rule).map_err(told)?, gradients(derived).map_err(told)?);
    let mut tally = Tally::CASE;
    for ((found, expected), output) in found.iter().zip(&expected).zip(&derived.outputs) {
        let input = output.name.trim_start_matches("grad_");
        tally.add(gradient(found, expected, input, plain, &args)?);
    }
    Ok(tally)
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
        if found.is_free() || expected.is_free() {
            tally.unbounded += 1;
            continue;
        }
        let (a, b) = (found.value.as_f64(), expected.value.as_f64());
        let ratio = if a == b { 0.0 } else { (a - b).abs() / (found.error + expected.error) };
        if ratio.is_nan() || ratio > 1.0 {
            let at = point(&expected_shape(graph, input, args), index);
            return Err(format!(
                "the gradient of `{input}`[{at}] is {a:e} by the given rule, and {b:e} by the derived one, at\n{}",
                arguments(graph, args)
            ));
        }
        tally.elements += 1;
        tally.ratio = tally.ratio.max(ratio);
    }
    Ok(tally)
}

fn expected_shape(graph: &Graph, input: &str, args: &[Value<TensorData>]) -> tensor_op_core::Shape {
    let arg = graph.args.iter().position(|arg| arg.name == input);
    let data = arg.and_then(|arg| args[arg].tensor());
    data.map(|data| data.shape().clone()).unwrap_or_default()
}
