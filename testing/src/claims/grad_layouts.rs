//! Checks gradients when the incoming gradient of a result is a view: transposed, a slice with steps, or with
//! stride 0, as after a sum of the result.

use super::gradcheck::{against_rule, at_smooth_points, smooth};
use super::{Outcome, told};
use crate::bound::Rounding;
use crate::place::{Layout, devices, place, place_all};
use crate::property::for_points;
use crate::refusal::refusal;
use crate::report::Tally;
use crate::sample::{Point, sample};
use crate::scope::Scope;
use crate::tape::{Tape, Tracked, inputs, weights};
use tensor_op_autodiff::functions;
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, Result, TensorData, Value, interpret};
use tensor_op_spec::ir::Scalar;

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let largest = scope.largest(op, [5, 3, 2]);
    for_points(graph, scope.seed(), scope.of(2, 4), largest, |plan| {
        // Far from kinks rounding does not decide anything, so a smooth point is used if there is one.
        let (args, rounding) = match smooth(&op.spec().source().with_results(false), plan)? {
            Some(args) => (args, at_smooth_points()),
            None => (sample(graph, plan, Point::Ordinary).map_err(told)?, Rounding::new(DType::F64)),
        };
        let results = interpret(graph, &args).map_err(told)?;
        let weights = weights(&results, plan.seed).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices().iter().filter(|device| scope.has(device, DType::F64)) {
            let float = |k: &usize| graph.visible()[*k] && weights[*k].is_some();
            for k in (0..weights.len()).filter(float) {
                for layout in Layout::views(device) {
                    tally.add(
                        Incoming { op, args: &args, weights: &weights, rounding: &rounding }
                            .at(k, layout, device)?,
                    );
                }
            }
        }
        Ok(tally)
    })
}

/// A call of an op, and the incoming gradients of its results.
struct Incoming<'i> {
    op: &'i dyn Op,
    args: &'i [Value<TensorData>],
    /// One for each result.
    weights: &'i [Option<TensorData>],
    rounding: &'i Rounding,
}

impl Incoming<'_> {
    /// Checks the gradients when the incoming gradient of one result has this layout. The incoming gradients
    /// of the other results are zero.
    fn at(&self, result: usize, layout: Layout, device: &Device) -> Outcome {
        let Incoming { op, args, weights, rounding } = *self;
        let Some(weight) = &weights[result] else { return Ok(Tally::default()) };
        let found = run(op, args, result, weight, layout, device);
        if let Some(refused) = refusal(&found, device, DType::F64) {
            return Ok(refused);
        }
        let (seen, found) = found.map_err(told)?;
        let zeros =
            |data: &TensorData| TensorData::full(data.shape().clone(), Scalar::Float(0.0), DType::F64);
        let of_results = weights.iter().map(|weight| weight.as_ref().map(zeros).transpose());
        let mut of_results: Vec<Option<TensorData>> = of_results.collect::<Result<_>>().map_err(told)?;
        of_results[result] = Some(seen);
        let name = &op.spec().graph().outputs[result].name;
        let told =
            |what| format!("the gradient of `{name}` lies {}: {what}", format!("{layout:?}").to_lowercase());
        against_rule(op, args, &of_results, &found, rounding, device).map_err(told)
    }
}

/// The incoming gradient as its layout shows it, and the gradient of each argument.
fn run(
    op: &dyn Op,
    args: &[Value<TensorData>],
    result: usize,
    weight: &TensorData,
    layout: Layout,
    device: &Device,
) -> Result<(TensorData, Vec<Option<TensorData>>)> {
    let graph = op.spec().graph();
    let placed: Vec<Value<Tracked>> = place_all(args, device, Layout::Contiguous)?
        .into_iter()
        .map(|arg| arg.map(Tracked::from_inner))
        .collect();
    let inputs = inputs(graph);
    let values: Vec<Tracked> = inputs.iter().filter_map(|arg| placed[*arg].tensor().cloned()).collect();
    let mut wanted = vec![false; graph.outputs.len()];
    wanted[result] = true;
    let f = |values: &[Tracked]| {
        let mut args = placed.clone();
        inputs.iter().zip(values).for_each(|(arg, value)| args[*arg] = Value::Tensor(value.clone()));
        let mut found = Tape::run(op, args, &wanted)?;
        Ok(found.swap_remove(result).expect("it was asked for"))
    };
    let seed = place(weight.clone(), device, layout)?;
    let seen = Dynamic::into_data(seed.clone())?;
    let (_, pull) = functions::vjp(f, &values)?;
    let mut gradients = vec![None; args.len()];
    for (arg, gradient) in inputs.iter().zip(pull(&Tracked::from_inner(seed))?) {
        gradients[*arg] = Some(Tape::into_data(gradient)?);
    }
    Ok((seen, gradients))
}
