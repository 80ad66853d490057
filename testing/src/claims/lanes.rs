//! Equal elements give equal results to the bit, in whole vectors and in the tail. The arguments are rows of
//! one value; many values are tried.

use super::repeated::{Repeat, dims, with_size};
use super::{Outcome, told};
use crate::agree::Setting;
use crate::case::{Case, ElementOf, element};
use crate::claims::bits;
use crate::place::{Layout, devices, run};
use crate::property::for_plan;
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::special::{INFINITE, one_special, points};
use crate::sample::{Point, SamplePlan, sample};
use crate::scope::{Scope, work};
use tensor_op_core::{Binding, Op, TensorData, Value, interpret};
use tensor_op_spec::ir::{Arg, ArgType, Axis, DimId, Graph};

/// Several vectors and a tail, in every dtype.
const LENGTH: usize = 67;

/// The reason why the claim does not apply: there is no dim along which each element is computed on its own.
pub(super) fn not_applicable(op: &dyn Op) -> Option<String> {
    let why = "no dim has elements that are computed each by itself";
    whole(op.spec().graph()).is_empty().then(|| why.to_string())
}

/// The dims along which each element is computed on its own. There are none if an argument has an axis that
/// is made of parts, since it can't be repeated.
fn whole(graph: &Graph) -> Vec<DimId> {
    let has_parts = |ty: &ArgType| match ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => {
            axes.iter().any(|axis| matches!(axis, Axis::Parts(_)))
        }
        ArgType::Scalar { .. } | ArgType::Axis { .. } => false,
    };
    if graph.args.iter().any(|arg| has_parts(&arg.ty)) { vec![] } else { dims(graph) }
}

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let mut tally = Tally::default();
    // The first axis belongs to the group alone; the axes that arguments name follow. An `Axes` argument
    // names two.
    let is_axis = |arg: &&Arg| matches!(arg.ty, ArgType::Axis { .. });
    let several = graph.args.iter().any(|arg| arg.ty.is_several_axes());
    let named = graph.args.iter().filter(is_axis).count() + usize::from(several);
    let group: Vec<usize> = std::iter::once(1).chain(std::iter::repeat_n(2, named.max(1))).collect();
    let base = SamplePlan { axis: 1, ..SamplePlan::uniform(graph, 2, &group, scope.seed()) };
    for dim in whole(graph) {
        let scope = scope.part();
        let plan = with_size(graph, &base, dim, 1);
        let long = with_size(graph, &plan, dim, LENGTH);
        let work = work(op, &long);
        tally.add(for_plan(graph, plan, |plan| {
            let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
            let values: Vec<f64> = points(graph).into_iter().chain(INFINITE).collect();
            let mut cases = vec![args.clone()];
            cases.extend(one_special(&args, &values, plan.seed));
            let mut tally = Tally::default();
            for device in devices() {
                let dtypes = scope.dtypes(graph, &device);
                // At the quick level the cases take turns with the dtypes.
                let step = scope.of(dtypes.len().max(1), 1);
                for (turn, (dtype, int)) in dtypes.into_iter().enumerate() {
                    for args in cases.iter().skip(scope.of(turn, 0)).step_by(step) {
                        let setting = Setting { device, dtype, int, layout: Layout::Contiguous.into() };
                        tally.add(scope.spend(work, || alike(op, args, dim, setting))?);
                    }
                }
            }
            Ok(tally)
        })?);
    }
    Ok(tally)
}

/// Takes arguments with one element along the dim, repeats that element, and runs the op on the result.
fn alike(op: &dyn Op, args: &[Value<TensorData>], dim: DimId, setting: Setting) -> Outcome {
    let graph = op.spec().graph();
    let args: Vec<_> = args.iter().cloned().map(|arg| arg.map(|data| setting.stored(data))).collect();
    let (args, device) = (&args[..], &setting.device);
    let binding = Binding::from_args(graph, args, |data| data.shape().clone()).map_err(told)?;
    let repeat = Repeat { dim, period: 1, count: LENGTH };
    let Some(long) = repeat.args(graph, &binding, args).map_err(told)? else { return Ok(Tally::default()) };
    let found = run(op, &long, device, setting.layout);
    if let Some(refused) = refusal(&found, device, setting.dtype) {
        return Ok(refused);
    }
    let found = match found {
        // If the reference refuses the call, for example for an index out of range, the op may refuse it too.
        Err(_) if interpret(graph, &long).is_err() => return Ok(Tally::CASE),
        found => found.map_err(told)?,
    };
    let binding = Binding::from_args(graph, &long, |data| data.shape().clone()).map_err(told)?;
    let case = Case::new(graph, &long, device);
    let mut tally = Tally::CASE;
    for (k, (output, found)) in graph.outputs.iter().zip(&found).enumerate() {
        let axes = match output.like {
            Some(arg) => binding.arg_axes(arg).to_vec(),
            None => binding.result_axes(&output.axes, graph.node(output.node).dims),
        };
        let Some(place) = axes.iter().position(|bound| bound.axis.dim == dim && bound.size == LENGTH) else {
            continue;
        };
        let inner: usize = axes[place + 1..].iter().map(|bound| bound.size).product();
        let bits = bits(found);
        let first = |index: usize| index - index / inner % LENGTH * inner;
        if let Some(index) = (0..bits.len()).find(|index| bits[*index] != bits[first(*index)]) {
            let [is, not] = [index, first(index)].map(|index| element(found, index));
            let [is, not] = [is, not].map(|value| value.map_or_else(String::new, |value| value.to_string()));
            let what = format!("is {is}, and {not} at the first of elements that are all alike");
            return Err(case.told_at(&format!("`{}`", output.name), ElementOf::Result(k), index, &what));
        }
        tally.elements += bits.len();
    }
    Ok(tally)
}
