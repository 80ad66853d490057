//! One special value among ordinary ones, in each argument: zeros of either sign, infinities, NaN, the smallest and largest numbers, and the
//! points at which a primitive of the formula has a kink or is singular; ints that overflow or index out of range; each value of each scalar. Then all elements alike,
//! which makes every tie, and elements close to each other, where differences cancel.

use super::forward::both_at;
use super::{Outcome, told};
use crate::agree::Setting;
use crate::place::{Layout, devices};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::special::{
    around_literals, close_together, each_float, each_scalar, limits, one_extreme_int, one_special, points,
};
use crate::sample::{Plan, Point, sample};
use tensor_op_core::{Backend, DType, Dynamic, Op, Result, TensorData, Value};
use tensor_op_spec::ir::Graph;

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let plan = Plan::uniform(graph, 3, &[2], seed);
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices() {
            for dtype in [DType::F64, DType::F32, DType::F16]
                .into_iter()
                .filter(|dtype| Dynamic::supports_dtype(&device, *dtype))
            {
                let setting = Setting { device, dtype, int: DType::I64, layout: Layout::Contiguous };
                for args in cases(graph, plan, &args, dtype).map_err(told)? {
                    tally.add(both_at(op, &args, setting, seed)?);
                }
            }
        }
        Ok(tally)
    })
}

fn cases(
    op: &Graph,
    plan: &Plan,
    args: &[Value<TensorData>],
    dtype: DType,
) -> Result<Vec<Vec<Value<TensorData>>>> {
    let literals = around_literals(op, dtype);
    let values: Vec<f64> = points(op).into_iter().chain(literals).chain(limits(dtype)).collect();
    let mut cases = one_special(args, &values, plan.seed);
    cases.extend(one_extreme_int(op, args, plan.seed)?);
    cases.extend([1.0, 0.0, f64::NEG_INFINITY].map(|x| each_float(args, |_| x)));
    cases.push(close_together(args));
    cases.extend(each_scalar(op, args));
    Ok(cases)
}
