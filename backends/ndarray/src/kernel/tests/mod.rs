//! Compares the executor with the interpreter: each op over shapes, dtypes, memory layouts and numbers of
//! threads.

mod bands;
mod calls;
mod gathered;
mod loops;
mod masks;
mod memory;
mod ops;
mod products;
mod scans;
mod short;
mod streams;
mod sweeps;
mod taps;
mod windows;

use super::cpu::Cpu;
use super::scheduled::Scheduled;
use crate::{CpuKernels, NdArray, NdArrayTensor};
use std::any::{Any, TypeId};
use std::sync::Arc;
use tensor_op_core::{
    Backend, DType, Element, Op, Result, Shape, Spec, TensorData, Value, interpret, match_dtype,
};
use tensor_op_spec::ir::{Graph, Kind};

/// An op from its graph in text form, with bodies written by hand.
pub(crate) struct Sample {
    pub(crate) spec: Spec,
    pub(crate) kernels: CpuKernels,
}

impl Op for &'static Sample {
    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn kernels(&self, kernel_type: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        (kernel_type == TypeId::of::<CpuKernels>()).then_some(&self.kernels)
    }
    fn backward(&self) -> Option<Arc<dyn Op>> {
        None
    }
}

/// How the elements of an argument lie in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Memory {
    /// Row-major.
    Plain,
    /// Axes in reverse order.
    Transposed,
    /// Every second element along each axis, from the second.
    Sliced,
}

pub(crate) const MEMORIES: [Memory; 3] = [Memory::Plain, Memory::Transposed, Memory::Sliced];

/// A tensor with these elements in this memory layout.
pub(crate) fn tensor(data: &TensorData, memory: Memory) -> NdArrayTensor {
    let plain = NdArrayTensor::from_data(data.clone());
    let reverse: Vec<usize> = (0..data.shape().len()).rev().collect();
    match memory {
        Memory::Plain => plain,
        Memory::Transposed => {
            let turned = NdArray::permute(plain, &reverse).unwrap().into_contiguous().unwrap();
            NdArray::permute(turned, &reverse).unwrap()
        }
        Memory::Sliced => {
            let large: Shape = data.shape().iter().map(|size| 2 * size + 1).collect();
            let ranges: Vec<_> = data.shape().iter().map(|size| (1, 2 * size + 1, 2)).collect();
            let filler = tensor_op_spec::ir::Scalar::Bool(true);
            let into = NdArray::full(large, filler, data.dtype(), &crate::CpuDevice).unwrap();
            let large = NdArray::slice_assign(into, &ranges, plain).unwrap();
            NdArray::slice(large, &ranges).unwrap()
        }
    }
}

/// Floats from -2 to 2. All of them are exact in every float dtype.
pub(crate) fn floats(shape: &[usize], seed: usize) -> TensorData {
    let len: usize = shape.iter().product();
    let values: Vec<f64> =
        (0..len).map(|i| ((i * 37 + seed * 101 + i / 7) % 65) as f64 / 16.0 - 2.0).collect();
    TensorData::new(values, Shape::new(shape)).unwrap()
}

/// Ints from 0 up to, but without, `bound`.
pub(crate) fn ints(shape: &[usize], bound: i64) -> TensorData {
    let len: usize = shape.iter().product();
    let values: Vec<i64> = (0..len as i64).map(|i| (i * 31 + i / 5) % bound.max(1)).collect();
    TensorData::new(values, Shape::new(shape)).unwrap()
}

pub(crate) fn run_with(op: &'static Sample, args: Vec<Value<NdArrayTensor>>) -> Result<Vec<TensorData>> {
    let wanted = vec![true; op.spec.graph().outputs.len()];
    let results = NdArray::run(&op, args, &wanted)?;
    results.into_iter().map(|result| result.expect("all results are wanted").into_data()).collect()
}

/// Runs an op on all dtypes and memory layouts, and compares the results with the interpreter's.
pub(crate) fn check(op: &'static Sample, args: &[Value<TensorData>]) {
    let expected = interpret(op.spec.graph(), args).unwrap();
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        for memory in MEMORIES {
            let given = args.iter().map(|arg| convert(arg, dtype, memory)).collect();
            let found = run_with(op, given).unwrap();
            for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let case = format!("{} result {index}, {dtype} {memory:?}", op.spec.name());
                assert_eq!(found.shape(), expected.shape(), "{case}");
                compare(found, expected, dtype, &case);
            }
        }
    }
}

fn convert(arg: &Value<TensorData>, dtype: DType, memory: Memory) -> Value<NdArrayTensor> {
    match arg {
        Value::Tensor(data) if data.dtype().kind() == Kind::Float => {
            Value::Tensor(tensor(&data.clone().cast(dtype), memory))
        }
        Value::Tensor(data) => Value::Tensor(tensor(data, memory)),
        Value::Scalar(value) => Value::Scalar(*value),
        Value::Shape(shape) => Value::Shape(shape.clone()),
    }
}

/// Floats must agree to a few units of their dtype, other kinds exactly.
pub(crate) fn compare(found: &TensorData, expected: &TensorData, dtype: DType, case: &str) {
    let tolerance = match dtype {
        DType::F64 => 1e-13,
        DType::F32 => 2e-6,
        DType::F16 => 2e-3,
        DType::BF16 => 1e-2,
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => 0.0,
    };
    let (found, expected) = (values(found), values(expected));
    for (at, (a, b)) in found.iter().zip(&expected).enumerate() {
        let close = (a - b).abs() <= tolerance * b.abs().max(1.0) || (a.is_nan() && b.is_nan()) || a == b;
        assert!(close, "{case}, element {at}: found {a}, expected {b}");
    }
}

pub(crate) fn values(data: &TensorData) -> Vec<f64> {
    match_dtype!(data.dtype(), T => data.as_slice::<T>().unwrap().iter().map(|x| x.to_f64()).collect())
}

/// The results of a graph by programs, with each argument in a memory layout of its own.
pub(crate) fn run_programs(
    graph: &Graph,
    args: &[TensorData],
    memory: impl Fn(usize) -> Memory,
) -> Vec<TensorData> {
    let scheduled = Scheduled::new(graph, &vec![true; graph.outputs.len()]).unwrap();
    let args = args.iter().enumerate().map(|(at, arg)| Value::Tensor(tensor(arg, memory(at)))).collect();
    let kernels = &mut Cpu { bodies: &scheduled.bodies(), is_generated: true };
    let results = scheduled.run_with(args, kernels).unwrap();
    results.into_iter().map(|result| result.unwrap().into_data().unwrap()).collect()
}

/// The bits of each number. All NaNs are alike.
pub(crate) fn bits(data: &TensorData) -> Vec<u64> {
    values(data).iter().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
}

/// Runs a function with this many threads.
pub(crate) fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}
