//! An associative op combines three tuples to the same, whichever two it combines first.

use super::{Outcome, told};
use crate::case::{Case, number};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::{Point, SamplePlan, sample};
use crate::scope::Scope;
use tensor_op_core::{DType, Op, Result, TensorData, Value, interpret};
use tensor_op_spec::ir::{ArgType, Graph, Kind};

/// How far apart numbers of f64 may be, as a part of the largest number on the way.
const APART: f64 = 1e-10;

type Tuple = Vec<TensorData>;

/// The reason why the claim does not apply: the op does not make one tuple of two.
pub(super) fn not_applicable(op: &dyn Op) -> Option<String> {
    let graph = op.spec().graph();
    let tensors = graph.args.iter().filter(|arg| matches!(arg.ty, ArgType::Tensor { .. })).count();
    let results = graph.visible().into_iter().filter(|is_declared| *is_declared).count();
    let combines = tensors == graph.args.len() && tensors == 2 * results && results > 0;
    (!combines).then(|| "the op does not make one tuple of tensors of two such tuples".to_string())
}

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let plan = SamplePlan::uniform(graph, scope.largest(op, [5, 3, 2]), &[2, 3], scope.seed());
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let other = SamplePlan { seed: plan.seed.wrapping_add(1), ..plan.clone() };
        let more = sample(graph, &other, Point::Ordinary).map_err(told)?;
        let half = args.len() / 2;
        let tuple = |args: &[Value<TensorData>]| args.iter().filter_map(Value::tensor).cloned().collect();
        compare(graph, &args, [tuple(&args[..half]), tuple(&args[half..]), tuple(&more[..half])])
    })
}

fn compare(graph: &Graph, args: &[Value<TensorData>], [x, y, z]: [Tuple; 3]) -> Outcome {
    let case = Case::reference(graph, args);
    let both = |a: &Tuple, b: &Tuple| combine(graph, a, b);
    let ways = || -> Result<[Tuple; 4]> {
        let (left, right) = (both(&x, &y)?, both(&y, &z)?);
        let (from_left, from_right) = (both(&left, &z)?, both(&x, &right)?);
        Ok([left, right, from_left, from_right])
    };
    let [left, right, from_left, from_right] = ways().map_err(told)?;
    let mut tally = Tally::CASE;
    for (k, (one, two)) in from_left.iter().zip(&from_right).enumerate() {
        let name = &graph.outputs[k].name;
        if one.shape() != two.shape() || one.shape() != x[k].shape() {
            return Err(
                case.told(&format!("`{name}` does not have the shape of the argument for which it is"))
            );
        }
        let on_the_way = [&x[k], &y[k], &z[k], &left[k], &right[k]];
        let largest = on_the_way
            .iter()
            .flat_map(|data| numbers(data))
            .fold(0.0_f64, |most, x| if x.is_finite() { most.max(x.abs()) } else { most });
        let apart = if one.dtype().kind() == Kind::Float { APART } else { 0.0 };
        for (a, b) in numbers(one).into_iter().zip(numbers(two)) {
            let is_same = a == b || (a.is_nan() && b.is_nan());
            let is_near =
                a.is_finite() && b.is_finite() && (a - b).abs() <= apart * largest.max(a.abs()).max(b.abs());
            if !is_same && !is_near {
                let [a, b] = [a, b].map(number);
                let third: Vec<Vec<f64>> = z.iter().map(numbers).collect();
                return Err(case.told(&format!(
                    "it is not associative: `{name}` is {a} if the first two are combined first, and {b} if the last two are. The third tuple has {third:?}"
                )));
            }
            tally.elements += 1;
        }
    }
    Ok(tally)
}

fn combine(graph: &Graph, left: &Tuple, right: &Tuple) -> Result<Tuple> {
    let args: Vec<Value<TensorData>> = left.iter().chain(right).cloned().map(Value::Tensor).collect();
    let results = interpret(graph, &args)?.into_iter().zip(graph.visible());
    Ok(results.filter_map(|(result, is_declared)| is_declared.then_some(result)).collect())
}

fn numbers(data: &TensorData) -> Vec<f64> {
    data.clone().cast(DType::F64).into_vec::<f64>().unwrap_or_default()
}
