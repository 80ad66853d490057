//! Puts one special value among ordinary ones, into each argument, at small sizes and in vectors. Special
//! values are zeros of either sign, infinities, NaN, the smallest and largest numbers, and the points at
//! which a primitive of the formula has a kink or is singular; also ints that overflow or index out of range,
//! and each value of each scalar. Then all elements are made equal, which gives every tie, or close to each
//! other, so that differences cancel.

use super::forward::{NO_INDEX, both_at, sampled};
use super::{Outcome, told};
use crate::agree::Setting;
use crate::place::{Layout, devices};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::SamplePlan;
use crate::sample::sizes::vectors;
use crate::sample::special::{
    INFINITE, around_literals, close_together, each_float, each_scalar, far_from_one, limits,
    one_extreme_int, one_special, points,
};
use crate::scope::{Level, Scope, work};
use tensor_op_core::{DType, Op, Result, TensorData, Value};
use tensor_op_spec::ir::Graph;

/// The arguments of one call of an op.
type Args = Vec<Value<TensorData>>;

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let plan = SamplePlan::uniform(graph, scope.largest(op, [3, 2]), &[2], scope.seed());
    let mut tally = at(op, scope, plan, |plan, args, dtypes| {
        let count = dtypes.len();
        let of = |(first, dtypes): (usize, &(DType, DType))| {
            let cases = cases(graph, plan, args, *dtypes)?;
            Ok(match scope.level() {
                Level::Full => cases,
                Level::Quick => in_turns(&cases, first, count),
            })
        };
        dtypes.iter().enumerate().map(of).collect()
    })?;
    let plans = vectors(graph, scope.seed());
    let count = plans.len();
    for plan in plans {
        tally.add(at(op, &scope.share(count), plan, |plan, args, dtypes| {
            let cases = in_vectors(graph, plan, args);
            Ok((0..dtypes.len()).map(|first| in_turns(&cases, first, dtypes.len())).collect())
        })?);
    }
    Ok(tally)
}

/// The cases for the dtype with this index, if cases take turns with the dtypes.
fn in_turns(cases: &[Args], first: usize, dtypes: usize) -> Vec<Args> {
    cases.iter().skip(first).step_by(dtypes).cloned().collect()
}

/// Runs the cases at a plan on each device, in each of its dtypes.
fn at(
    op: &dyn Op,
    scope: &Scope,
    plan: SamplePlan,
    cases: impl Fn(&SamplePlan, &Args, &[(DType, DType)]) -> Result<Vec<Vec<Args>>>,
) -> Outcome {
    let graph = op.spec().graph();
    let work = work(op, &plan);
    if scope.is_too_much(work) {
        return Ok(Tally::left_out());
    }
    for_plan(graph, plan, |plan| {
        let Some(args) = sampled(graph, plan)? else { return Ok(Tally::nothing(NO_INDEX)) };
        let mut tally = Tally::default();
        for device in devices() {
            let dtypes = scope.dtypes(graph, &device);
            let cases = cases(plan, &args, &dtypes).map_err(told)?;
            for ((dtype, int), cases) in dtypes.into_iter().zip(cases) {
                let setting = Setting { device, dtype, int, layout: Layout::Contiguous.into() };
                for args in cases {
                    tally.add(scope.spend(work, || both_at(op, &args, setting, plan.seed))?);
                }
            }
        }
        Ok(tally)
    })
}

/// All special cases, at a size that is too small for vectors.
fn cases(op: &Graph, plan: &SamplePlan, args: &Args, (dtype, int): (DType, DType)) -> Result<Vec<Args>> {
    let literals = around_literals(op, dtype);
    let values: Vec<f64> = points(op).into_iter().chain(literals).chain(limits(dtype)).collect();
    let mut cases = one_special(args, &values, plan.seed);
    cases.extend(one_extreme_int(op, args, int, plan.seed)?);
    cases.extend([1.0, 0.0, f64::NEG_INFINITY].map(|x| each_float(args, |_| x)));
    cases.push(close_together(args));
    cases.extend(far_from_one(args, dtype));
    cases.extend(each_scalar(op, args));
    Ok(cases)
}

/// The cases that may differ in whole vectors and in the tail: special points of the formula's primitives,
/// infinities and NaN, ties, and cancellation.
fn in_vectors(op: &Graph, plan: &SamplePlan, args: &Args) -> Vec<Args> {
    let values: Vec<f64> = points(op).into_iter().chain(INFINITE).collect();
    let mut cases = one_special(args, &values, plan.seed);
    cases.extend([each_float(args, |_| 1.0), close_together(args)]);
    cases
}
