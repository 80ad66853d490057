//! Compares given rules with derived ones: the op's gradient with and without `#[grad(..)]`, in f64. At
//! smooth points the derived gradient is the derivative. At kinks, ties and singular points it is what the
//! primitives and named formulas define there.

use super::forward::{NO_INDEX, sampled};
use super::{NO_POINT, Outcome, smooth_point, told};
use crate::bound::{Bounded, Rounding};
use crate::case::{Case, ElementOf, number, tensor};
use crate::property::{for_plan, for_points};
use crate::report::Tally;
use crate::sample::special::{each_float, one_special, points};
use crate::sample::{Point, SamplePlan, literals, sample};
use crate::scope::{Scope, work};
use crate::tape::{bounded_gradient, weights};
use std::collections::BTreeSet;
use tensor_op_core::{DType, Evaluated, Op, TensorData, Value, interpret};
use tensor_op_spec::grad::{backward, without_given};
use tensor_op_spec::ir::{DimKind, Graph, Op as NodeOp};

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let (seed, largest) = (scope.seed(), scope.largest(op, [3, 2]));
    let given = op.spec().source().with_results(false);
    let rules = Rules::new(&given)?;
    let mut tally = for_points(&rules.plain, seed, 8, largest, |plan| rules.compare(plan))?;
    let own = Own::new(&given, &rules.by_rule)?;
    tally.add(own.at_special_points(largest, seed)?);
    tally.add(own.at_sizes(op, &given, scope)?);
    Ok(tally)
}

/// The gradient by the declaration's own rules, and the gradient that the declaration has without them.
struct Own<'r> {
    graph: Graph,
    by_rule: &'r Graph,
    derived: Graph,
}

impl Own<'_> {
    fn new<'r>(given: &Graph, by_rule: &'r Graph) -> Result<Own<'r>, String> {
        let graph = without_own_rules(given);
        let derived = derive(&graph)?;
        Ok(Own { graph, by_rule, derived })
    }

    fn compare(&self, args: &[Value<TensorData>], seed: u64) -> Outcome {
        compare(&self.graph, [self.by_rule, &self.derived], args, seed)
    }

    fn at_special_points(&self, size: usize, seed: u64) -> Outcome {
        for_plan(&self.graph, SamplePlan::uniform(&self.graph, size, &[2], seed), |plan| {
            let args = sample(&self.graph, plan, Point::Ordinary).map_err(told)?;
            let mut cases = one_special(&args, &points(&self.graph), seed);
            cases.extend([0.0, 1.0].map(|x| each_float(&args, |_| x)));
            let mut tally = Tally::default();
            for args in cases {
                tally.add(self.compare(&args, seed)?);
            }
            Ok(tally)
        })
    }

    /// Tries several sizes for each dim in turn: sizes at which a rule may behave differently.
    fn at_sizes(&self, op: &dyn Op, given: &Graph, scope: &Scope) -> Outcome {
        let mut tally = Tally::default();
        for plan in long(&self.graph, &sizes(given), scope.seed()) {
            let work = work(op, &plan);
            if scope.is_too_much(work) {
                tally.add(Tally::left_out());
                continue;
            }
            let check = |plan: &SamplePlan| match sampled(&self.graph, plan)? {
                Some(args) => self.compare(&args, plan.seed),
                None => Ok(Tally::nothing(NO_INDEX)),
            };
            tally.add(scope.spend(work, || for_plan(&self.graph, plan, check))?);
        }
        Ok(tally)
    }
}

/// Sizes larger than a register and a block. Each whole number in the declaration or its rules that can be a
/// size also gives one: the next larger number.
fn sizes(given: &Graph) -> Vec<usize> {
    let near = literals(given).filter_map(|literal| {
        let number = literal.as_f64();
        let is_size = number.fract() == 0.0 && (2.0..=LARGEST).contains(&number);
        is_size.then(|| number as usize + 1)
    });
    [17, 67].into_iter().chain(near).collect::<BTreeSet<usize>>().into_iter().collect()
}

/// Up to this size the reference is fast.
const LARGEST: f64 = 4096.0;

/// Plans in which one dim has one of the sizes.
fn long(graph: &Graph, sizes: &[usize], seed: u64) -> Vec<SamplePlan> {
    let base = SamplePlan::uniform(graph, 2, &[2], seed);
    let with = |dim: usize, size: usize| {
        let mut plan = base.clone();
        match graph.dims[dim].kind {
            DimKind::Named | DimKind::Sized(_) => plan.dims[dim] = size,
            DimKind::Group | DimKind::Axis(_) => plan.group = vec![2, size],
            DimKind::Fixed(_) | DimKind::Computed(_) => return None,
        }
        plan.axis = plan.group.len() - 1;
        plan.check(graph).is_ok().then_some(plan)
    };
    let dims = 0..graph.dims.len();
    let mut plans: Vec<SamplePlan> = dims
        .flat_map(|dim| sizes.iter().filter_map(move |size| with(dim, *size)).collect::<Vec<_>>())
        .collect();
    plans.dedup();
    plans
}

/// The graph without the declaration's own rules. The rules of named formulas and called ops stay.
fn without_own_rules(given: &Graph) -> Graph {
    let mut graph = given.clone();
    for output in &mut graph.outputs {
        if let NodeOp::Given { value, .. } = given.node(output.node).op {
            // If a rule covers all paths, its value was put behind `stop_grad`.
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

/// A graph without its given rules, and its gradients with and without them.
pub(super) struct Rules {
    plain: Graph,
    by_rule: Graph,
    derived: Graph,
}

impl Rules {
    /// Returns an `Err` if one of the gradients does not exist.
    pub(super) fn new(given: &Graph) -> Result<Rules, String> {
        let plain = without_given(given);
        Ok(Rules { by_rule: derive(given)?, derived: derive(&plain)?, plain })
    }

    /// Tells whether the rules give the derivative at the point of a plan.
    pub(super) fn standing(&self, plan: &SamplePlan) -> Result<Standing, String> {
        let Some(args) = smooth_point(&self.plain, plan)? else { return Ok(Standing::NoPoint) };
        let compared = compare(&self.plain, [&self.by_rule, &self.derived], &args, plan.seed);
        Ok(if compared.is_ok() { Standing::Derivative } else { Standing::Other })
    }

    fn compare(&self, plan: &SamplePlan) -> Outcome {
        let Some(args) = smooth_point(&self.plain, plan)? else { return Ok(Tally::nothing(NO_POINT)) };
        compare(&self.plain, [&self.by_rule, &self.derived], &args, plan.seed)
    }
}

/// How given rules compare with the derivative.
pub(super) enum Standing {
    /// They give the derivative.
    Derivative,
    /// They give something else. An op that this one calls may do so on purpose.
    Other,
    /// The plan has no smooth point at which they could be compared.
    NoPoint,
}

/// The reason why the claim does not apply to an op: it has no rule of its own, or there is no derived rule
/// to compare with.
pub(super) fn not_applicable(op: &dyn Op) -> Option<String> {
    let given = op.spec().source().with_results(false);
    let has_rule =
        given.outputs.iter().any(|output| matches!(given.node(output.node).op, NodeOp::Given { .. }));
    if !has_rule {
        return Some("the op gives no rule".to_string());
    }
    Rules::new(&given).err()
}

/// Compares two gradients of one graph.
fn compare(plain: &Graph, [by_rule, derived]: [&Graph; 2], args: &[Value<TensorData>], seed: u64) -> Outcome {
    let results = interpret(plain, args).map_err(told)?;
    let weights = weights(&results, seed).map_err(told)?;
    let rounding = Rounding::new(DType::F64);
    let gradients = |derivative: &Graph| bounded_gradient(plain, derivative, args, &weights, &rounding);
    let (found, expected) = (gradients(by_rule).map_err(told)?, gradients(derived).map_err(told)?);
    let mut tally = Tally::CASE;
    for ((found, expected), output) in found.iter().zip(&expected).zip(&derived.outputs) {
        let input = output.name.trim_start_matches("grad_");
        let checked = gradient(found, expected, input, plain, args);
        tally.add(checked.map_err(|what| format!("{what}\n{}", grads(&weights)))?);
    }
    Ok(tally)
}

/// The gradients of the results that a rule was given, under the names that the rule uses.
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
        // If the rule is not finite where the derived gradient is a number, the rule is wrong, whatever the
        // reason.
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
            let arg = graph.args.iter().position(|arg| arg.name == input).map(ElementOf::Arg);
            return Err(arg.map_or_else(|| case.told(&what), |arg| case.told_at(&name, arg, index, &what)));
        }
        tally.elements += 1;
        tally.ratio = tally.ratio.max(ratio);
    }
    Ok(tally)
}
