//! Compares one call of an op with the reference interpreter.

use crate::bound::{Bounded, Difference, Factors, Format, Rounding, compare, evaluate_in_shaders};
use crate::case::{Case, ElementOf, element, number};
use crate::claims::{Outcome, told};
use crate::place::{Layout, Layouts, has_shaders, is_cpu, place_all, run};
use crate::refusal::refusal;
use crate::report::Tally;
use crate::written::Written;
use tensor_op_core::{
    Backend, DType, Device, Dtypes, Dynamic, Evaluated, Op, Precision, Result, TensorData, Value, evaluate,
    float32_matmul_precision,
};
use tensor_op_spec::ir::{Graph, Kind, NodeId, Op as Node};

/// Where and how an op is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) device: Device,
    /// Dtype of the float arguments.
    pub(crate) dtype: DType,
    /// Dtype of the int arguments.
    pub(crate) int: DType,
    pub(crate) layout: Layouts,
}

impl Setting {
    /// The results that a graph should give, with bounds for the way in which the device rounds.
    pub(crate) fn expected(
        &self,
        graph: &Graph,
        args: &[Value<TensorData>],
    ) -> Result<Vec<Evaluated<Bounded>>> {
        self.expected_by(Rounding::new(self.dtype).with_factors(self.factors(graph)), graph, args)
    }

    /// Does the same as [`Setting::expected`], but with the given rounding.
    pub(crate) fn expected_by(
        &self,
        rounding: Rounding,
        graph: &Graph,
        args: &[Value<TensorData>],
    ) -> Result<Vec<Evaluated<Bounded>>> {
        if has_shaders(&self.device) {
            return evaluate_in_shaders(graph, args, rounding);
        }
        evaluate(graph, args, &rounding)
    }

    /// How the device may round the factors of matrices. Our CPU backend keeps them as they are.
    pub(crate) fn factors(&self, graph: &Graph) -> Option<Factors> {
        if is_cpu(&self.device) {
            return None;
        }
        let is_high = graph.precision.or_else(float32_matmul_precision) == Some(Precision::High);
        let format = Format::of(self.dtype);
        match self.dtype {
            DType::F16 | DType::BF16 if !graph.may_round_to_half() => None,
            DType::F16 | DType::BF16 if has_shaders(&self.device) => Some(Factors::adjacent(format)),
            DType::F16 | DType::BF16 => Some(Factors::nearest(format)),
            DType::F32 if is_high => Some(Factors::adjacent(Format::TF32)),
            DType::F64 | DType::F32 => None,
            DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => None,
        }
    }

    /// Converts data to the dtype in which it is stored. Ints that don't fit wrap around.
    pub(crate) fn stored(&self, data: TensorData) -> TensorData {
        match data.dtype().kind() {
            Kind::Float => data.cast(self.dtype),
            Kind::Int => data.cast(self.int),
            Kind::Bool => data,
        }
    }
}

/// Runs an op on arguments that are stored in the setting's dtype. Each result is compared with its bound,
/// and with the formula as it was written. `written` makes that formula for the arguments as the layout shows
/// them.
pub(crate) fn agree(
    op: &dyn Op,
    args: &[Value<TensorData>],
    setting: Setting,
    written: impl FnOnce(&[Value<TensorData>]) -> Option<Written>,
) -> Outcome {
    if setting.layout.contain(Layout::Broadcast) && takes_an_order(op.spec().graph()) {
        return Ok(Tally::default());
    }
    // With stride 0 a tensor shows other values. The reference gets these values too.
    let args = seen(args, setting).map_err(told)?;
    let found = run(op, &args, &setting.device, setting.layout);
    judge(op.spec().graph(), &args, setting, found, written(&args).as_ref())
}

/// Whether a gradient takes an order from its op and relies on each position being there once. With stride 0
/// it would be no order.
fn takes_an_order(graph: &Graph) -> bool {
    let is_taken = |id: &NodeId| matches!(graph.node(*id).op, Node::Input(_));
    graph
        .nodes
        .iter()
        .any(|node| matches!(&node.op, Node::Scatter { once: true, index, .. } if is_taken(index)))
}

/// Compares the results of a run of a graph with their bounds.
pub(crate) fn judge(
    graph: &Graph,
    args: &[Value<TensorData>],
    setting: Setting,
    found: Result<Vec<TensorData>>,
    written: Option<&Written>,
) -> Outcome {
    let case = Case { graph, args, device: Some(setting.device), layout: setting.layout };
    if let Some(refused) = refusal(&found, &setting.device, setting.dtype) {
        return Ok(refused);
    }
    let mut expected = setting.expected(graph, args);
    if let (Ok(expected), Some(written)) = (&mut expected, written) {
        written.narrow(graph, args, expected, setting).map_err(told)?;
    }
    against(&case, found, expected)
}

/// Compares the results of a case with the expected results.
pub(crate) fn against(
    case: &Case<'_>,
    found: Result<Vec<TensorData>>,
    expected: Result<Vec<Evaluated<Bounded>>>,
) -> Outcome {
    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            let mut tally = Tally::CASE;
            let dtypes = Dtypes::from_args(case.graph, case.args, TensorData::dtype).map_err(told)?;
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let output = &case.graph.outputs[k];
                let name = format!("`{}`", output.name);
                let dtype = dtypes.of_result(case.graph, k);
                if found.dtype() != dtype {
                    return Err(case.told(&format!("{name} is {}, not {dtype}", found.dtype())));
                }
                if found.shape() != &expected.shape {
                    let what = format!("{name} has shape {}, not {}", found.shape(), expected.shape);
                    return Err(case.told(&what));
                }
                match compare(found, expected).map_err(told)? {
                    Ok(found) => tally.add_found(found),
                    Err(difference) => {
                        let what = off(&difference, found, expected);
                        return Err(case.told_at(&name, ElementOf::Result(k), difference.index, &what));
                    }
                }
            }
            Ok(tally)
        }
        (Err(found), Err(expected)) if found.kind() == expected.kind() => Ok(Tally::CASE),
        (Err(error), Ok(_)) => Err(case.told(&format!("it is an error: {error}"))),
        (Ok(_), Err(error)) => Err(case.told(&format!("no error, where the reference has one: {error}"))),
        (Err(found), Err(expected)) => {
            Err(case.told(&format!("the error is `{found}`, the reference's is `{expected}`")))
        }
    }
}

/// Says how far an element is off, in numbers of its kind.
fn off(difference: &Difference, found: &TensorData, expected: &Evaluated<Bounded>) -> String {
    let Difference { index, bound, .. } = *difference;
    let [is, not] = [element(found, index), Some(expected.values[index].value)];
    let [is, not] = [is, not].map(|value| value.map_or_else(String::new, |value| value.to_string()));
    if expected.kind != Kind::Float {
        return format!("is {is}, not {not}");
    }
    if difference.found == difference.expected {
        return format!("is {is}, not {not}: the sign of zero");
    }
    let distance = number((difference.found - difference.expected).abs());
    format!("is {is}, not {not}, which is {distance} off; the bound is {}", number(bound))
}

/// The elements as a kernel sees them through the layout.
fn seen(
    args: &[Value<TensorData>],
    Setting { device, layout, .. }: Setting,
) -> Result<Vec<Value<TensorData>>> {
    if !layout.contain(Layout::Broadcast) {
        return Ok(args.to_vec());
    }
    place_all(args, &device, layout)?.into_iter().map(|arg| arg.try_map(Dynamic::into_data)).collect()
}
