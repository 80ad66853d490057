//! One call of an op against the reference interpreter.

use crate::bound::{Rounding, compare};
use crate::claims::{Outcome, told};
use crate::place::{Layout, place_all, run};
use crate::report::Tally;
use tensor_op_core::{
    Backend, DType, Device, Dtypes, Dynamic, Element, Op, Result, Shape, Storage, TensorData, Value, evaluate,
};
use tensor_op_spec::ir::Graph;

/// Where and how an op is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) device: Device,
    /// Of float arguments.
    pub(crate) dtype: DType,
    /// Of int arguments.
    pub(crate) int: DType,
    pub(crate) layout: Layout,
}

/// Runs an op on arguments that are stored in the setting's dtype, and compares each result with its bound.
pub(crate) fn agree(op: &dyn Op, args: &[Value<TensorData>], setting: Setting) -> Outcome {
    // What stride 0 makes of the values is what the reference gets too.
    let args = seen(args, setting).map_err(told)?;
    judge(op.spec().graph(), &args, setting, run(op, &args, &setting.device, setting.layout))
}

/// Compares what a run of a graph gave for arguments with its bounds.
pub(crate) fn judge(
    graph: &Graph,
    args: &[Value<TensorData>],
    setting: Setting,
    found: Result<Vec<TensorData>>,
) -> Outcome {
    let expected = evaluate(graph, args, &Rounding::new(setting.dtype));
    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            let mut tally = Tally::CASE;
            let dtypes = Dtypes::from_args(graph, args, TensorData::dtype).map_err(told)?;
            for ((found, expected), output) in found.iter().zip(&expected).zip(&graph.outputs) {
                let dtype = dtypes.of_result(output, expected.kind);
                if found.dtype() != dtype {
                    let message = format!("`{}` is {}, not {dtype}", output.name, found.dtype());
                    return Err(case(graph, args, setting, &message));
                }
                if found.shape() != &expected.shape {
                    let message =
                        format!("`{}` has shape {}, not {}", output.name, found.shape(), expected.shape);
                    return Err(case(graph, args, setting, &message));
                }
                match compare(found, expected).map_err(told)? {
                    Ok(found) => tally.add_found(found),
                    Err(difference) => {
                        let place = point(&expected.shape, difference.index);
                        let message = format!(
                            "`{}`[{place}] is {:e}, not {:e}, which is {:e} off; the bound is {:e}",
                            output.name,
                            difference.found,
                            difference.expected,
                            (difference.found - difference.expected).abs(),
                            difference.bound
                        );
                        return Err(case(graph, args, setting, &message));
                    }
                }
            }
            Ok(tally)
        }
        (Err(found), Err(expected)) if found.kind() == expected.kind() => Ok(Tally::CASE),
        (Err(error), Ok(_)) => Err(case(graph, args, setting, &format!("it is an error: {error}"))),
        (Ok(_), Err(error)) => {
            Err(case(graph, args, setting, &format!("no error, where the reference has one: {error}")))
        }
        (Err(found), Err(expected)) => Err(case(
            graph,
            args,
            setting,
            &format!("the error is `{found}`, the reference's is `{expected}`"),
        )),
    }
}

/// The elements as they are seen through the layout.
fn seen(
    args: &[Value<TensorData>],
    Setting { device, layout, .. }: Setting,
) -> Result<Vec<Value<TensorData>>> {
    if layout != Layout::Broadcast {
        return Ok(args.to_vec());
    }
    place_all(args, &device, layout)?.into_iter().map(|arg| arg.try_map(Dynamic::into_data)).collect()
}

/// A message with the call that it is about.
fn case(graph: &Graph, args: &[Value<TensorData>], setting: Setting, message: &str) -> String {
    let Setting { device, dtype, layout, .. } = setting;
    format!("on {device}, {dtype}, {layout:?}: {message}\n{}", arguments(graph, args))
}

/// Each argument of a call on a line.
pub(crate) fn arguments(graph: &Graph, args: &[Value<TensorData>]) -> String {
    let lines = graph.args.iter().zip(args).map(|(arg, value)| match value {
        Value::Tensor(data) => tensor(&arg.name, data),
        Value::Shape(shape) => format!("    {}: shape {shape}", arg.name),
        Value::Scalar(scalar) => format!("    {} = {scalar}", arg.name),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A tensor on a line.
pub(crate) fn tensor(name: &str, data: &TensorData) -> String {
    format!("    {name}: {} {} = {}", data.dtype(), data.shape(), elements(data))
}

/// The first elements.
fn elements(data: &TensorData) -> String {
    const MOST: usize = 24;
    fn list<T: Element>(elements: &[T]) -> String {
        let shown: Vec<String> = elements.iter().take(MOST).map(|x| x.to_scalar().to_string()).collect();
        let rest = if elements.len() > MOST { ", .." } else { "" };
        format!("[{}{rest}]", shown.join(", "))
    }
    match data.storage() {
        Storage::F64(x) => list(x),
        Storage::F32(x) => list(x),
        Storage::F16(x) => list(x),
        Storage::BF16(x) => list(x),
        Storage::I64(x) => list(x),
        Storage::I32(x) => list(x),
        Storage::U8(x) => list(x),
        Storage::Bool(x) => list(x),
    }
}

/// The indices of an element: `1, 0`.
pub(crate) fn point(shape: &Shape, index: usize) -> String {
    let mut rest = index;
    let mut indices: Vec<String> = vec![];
    for size in shape.iter().rev() {
        indices.push((rest % size).to_string());
        rest /= size;
    }
    indices.reverse();
    indices.join(", ")
}
