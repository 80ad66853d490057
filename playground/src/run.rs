//! A call of an op with made-up values, and its gradient.

use crate::Question;
use crate::compiled::op;
use crate::sizes::plan;
use tensor_op_core::{Backend, DType, Element, Op, TensorData, Value, match_dtype};
use tensor_op_ndarray::{CpuDevice, NdArray};
use tensor_op_spec::ir::{Graph, Kind, Scalar};
use tensor_op_testing::sample::{Point, backward_args, convert, floats, sample};

/// A call.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Ran {
    /// What computed it.
    pub device: String,
    /// The arguments.
    pub args: Vec<Tensor>,
    /// The results.
    pub results: Vec<Tensor>,
    /// The gradients of the results that the backward pass starts from.
    pub seeds: Vec<Tensor>,
    /// The gradients of the arguments.
    pub gradients: Vec<Tensor>,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its dtype and shape; `scalar` for a scalar.
    pub ty: String,
    /// Its first elements: a row of the last axis a line.
    pub values: String,
}

/// Rows and columns of a tensor that are shown.
const SHOWN: usize = 8;

/// Runs an op and its gradient in f32, by the kernels of the CPU.
///
/// # Errors
///
/// What the op refuses, in a sentence.
pub async fn run(question: &Question) -> Result<Ran, String> {
    run_on::<NdArray>(question, &CpuDevice).await
}

/// As [`run`], by the kernels of GPUs, on the GPU that the browser gives.
///
/// # Errors
///
/// What the op or the browser refuses, in a sentence.
#[cfg(target_family = "wasm")]
pub async fn run_on_gpu(question: &Question) -> Result<Ran, String> {
    use tensor_op_cube::{Cube, CubeDevice, Wgpu, init_webgpu};
    init_webgpu().await.map_err(told)?;
    run_on::<Cube<Wgpu>>(question, &CubeDevice::default()).await
}

fn told(error: tensor_op_core::Error) -> String {
    error.to_string()
}

async fn run_on<B: Backend>(question: &Question, device: &B::Device) -> Result<Ran, String> {
    let op = op(&question.source, question.op)?;
    let graph = op.spec().graph();
    let plan = plan(graph, &question.sizes, question.seed)?;
    let args = sample(graph, &plan, Point::Ordinary).map_err(told)?;
    let args: Vec<_> = args.into_iter().map(|arg| arg.map(|data| convert(data, DType::F32))).collect();
    let results = call::<B>(&op, &args, device).await.map_err(told)?;
    let seed = |(k, data): (usize, &TensorData)| {
        let has_gradient = !graph.outputs[k].hidden && data.dtype().kind() == Kind::Float;
        let random = || floats(data.shape(), &[question.seed, k as u64]);
        has_gradient.then(|| Ok(convert(random()?, DType::F32))).transpose()
    };
    let seeds: Vec<_> = results.iter().enumerate().map(seed).collect::<Result<_, _>>().map_err(told)?;
    let (mut of_args, mut of_results) = (vec![], vec![]);
    if let Some(backward) = op.backward() {
        let gradient = backward.spec().graph();
        let args = backward_args(graph, gradient, &args, &results, &seeds, DType::F32);
        of_args = named(gradient, call::<B>(&*backward, &args, device).await.map_err(told)?);
        let seeds = seeds.into_iter().zip(&graph.outputs);
        of_results = seeds
            .filter_map(|(seed, output)| Some(tensor(&format!("grad_{}", output.name), &seed?)))
            .collect();
    }
    let shown = graph.args.iter().zip(&args).map(|(arg, value)| argument(&arg.name, value));
    let device = B::name(device);
    Ok(Ran {
        device,
        args: shown.collect(),
        results: named(graph, results),
        seeds: of_results,
        gradients: of_args,
    })
}

/// All results of an op.
async fn call<B: Backend>(
    op: &dyn Op,
    args: &[Value<TensorData>],
    device: &B::Device,
) -> tensor_op_core::Result<Vec<TensorData>> {
    let place = |arg: Value<TensorData>| arg.try_map(|data| B::from_data(data, device));
    let args = args.iter().cloned().map(place).collect::<Result<_, _>>()?;
    let results = B::run(op, args, &vec![true; op.spec().graph().outputs.len()])?;
    B::into_data_all_async(results.into_iter().flatten().collect()).await
}

/// The declared results, by their names.
fn named(graph: &Graph, results: Vec<TensorData>) -> Vec<Tensor> {
    let declared = graph.outputs.iter().zip(results).filter(|(output, _)| !output.hidden);
    declared.map(|(output, data)| tensor(&output.name, &data)).collect()
}

fn argument(name: &str, value: &Value<TensorData>) -> Tensor {
    match value {
        Value::Tensor(data) => tensor(name, data),
        Value::Shape(shape) => {
            Tensor { name: name.to_string(), ty: format!("shape {shape}"), values: String::new() }
        }
        Value::Scalar(scalar) => {
            Tensor { name: name.to_string(), ty: "scalar".to_string(), values: scalar.to_string() }
        }
    }
}

fn tensor(name: &str, data: &TensorData) -> Tensor {
    let ty = format!("{} {}", data.dtype(), data.shape());
    let values = match_dtype!(data.dtype(), T => {
        let all = data.as_slice::<T>().unwrap_or_default();
        rows(all.iter().map(|x| number(x.to_scalar())), data.shape().last().copied().unwrap_or(1))
    });
    Tensor { name: name.to_string(), ty, values }
}

/// A number with as many digits as an f32 has.
fn number(scalar: Scalar) -> String {
    match scalar {
        Scalar::Float(x) if x == 0.0 || !x.is_finite() => x.to_string(),
        Scalar::Float(x) if (1e-4..1e6).contains(&x.abs()) => format!("{x:.5}"),
        Scalar::Float(x) => format!("{x:.4e}"),
        Scalar::Int(_) | Scalar::Bool(_) => scalar.to_string(),
    }
}

/// Rows of this length, in columns. What is left out is told at the end of a row, and below the last one.
fn rows(elements: impl ExactSizeIterator<Item = String>, length: usize) -> String {
    let count = elements.len().checked_div(length).unwrap_or(0);
    let elements: Vec<String> = elements.take(SHOWN * length).collect();
    let shown: Vec<&[String]> =
        elements.chunks(length.max(1)).map(|row| &row[..row.len().min(SHOWN)]).collect();
    let width = shown.iter().flat_map(|row| row.iter()).map(String::len).max().unwrap_or(0);
    let more = |left: usize| if left > 0 { format!("  .. {left} more") } else { String::new() };
    let line = |row: &&[String]| {
        let columns: Vec<String> = row.iter().map(|text| format!("{text:>width$}")).collect();
        format!("{}{}\n", columns.join("  "), more(length.saturating_sub(SHOWN)))
    };
    let below = match count.saturating_sub(SHOWN) {
        0 => String::new(),
        left => format!(".. {left} more rows"),
    };
    let text = shown.iter().map(line).collect::<String>() + &below;
    text.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tensors_are_cut() {
        let text = |elements: usize, length| rows((0..elements).map(|at| at.to_string()), length);
        assert_eq!(text(4, 2), "0  1\n2  3");
        assert_eq!(text(10, 10), "0  1  2  3  4  5  6  7  .. 2 more");
        assert_eq!(text(10, 1), "0\n1\n2\n3\n4\n5\n6\n7\n.. 2 more rows");
        assert_eq!(text(0, 0), "");
    }

    #[test]
    fn numbers_have_the_digits_of_f32() {
        let of = |x| number(Scalar::Float(x));
        assert_eq!([of(0.0), of(-0.5), of(1e9), of(f64::NAN)], ["0", "-0.50000", "1.0000e9", "NaN"]);
    }
}
