//! How memory is used: reuse of buffers, and results that are not wanted.

use super::ops::*;
use super::{Memory, floats, run_with, tensor, with_threads};
use crate::{CpuDevice, CpuKernels, NdArray, NdArrayTensor};
use tensor_op_core::{
    Backend, DType, Distribution, ErrorKind, Generator, GraphOp, Op, Spec, TensorData, Value,
};
use tensor_op_spec::ir::{Graph, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::Target;

fn softmax_of(x: NdArrayTensor) -> NdArrayTensor {
    softmax_along(x, 1)
}

fn softmax_along(x: NdArrayTensor, axis: i64) -> NdArrayTensor {
    let args = vec![Value::Tensor(x), Value::Scalar(Scalar::Int(axis))];
    NdArray::run(&&SOFTMAX, args, &[true]).unwrap().remove(0).unwrap()
}

#[test]
fn an_argument_that_nobody_else_holds_becomes_the_result() {
    let data = floats(&[50, 60], 1).cast(DType::F32);
    let (kept, given) = (tensor(&data, Memory::Plain), tensor(&data, Memory::Plain));
    let address = given.as_ptr();
    let reused = softmax_of(given);
    assert_eq!(reused.as_ptr(), address);
    let fresh = softmax_of(kept.clone());
    assert_ne!(fresh.as_ptr(), kept.as_ptr());
    assert_eq!(kept.into_data().unwrap(), data);
    assert_eq!(reused.into_data().unwrap(), fresh.into_data().unwrap());
}

/// The last pass reads what an earlier one has kept, and not the argument. The loops are over rows, long rows
/// that threads share, many short rows, and rows that lie side by side.
#[test]
fn an_argument_that_earlier_passes_have_read_becomes_the_result() {
    for (shape, axis) in [([50, 600], 1), ([3, 70_000], 1), ([500, 40], 1), ([300, 48], 0), ([5000, 48], 0)] {
        let data = floats(&shape, 1).cast(DType::F32);
        let (kept, given) = (tensor(&data, Memory::Plain), tensor(&data, Memory::Plain));
        let address = given.as_ptr();
        let reused = with_threads(3, || softmax_along(given, axis));
        assert_eq!(reused.as_ptr(), address, "{shape:?}");
        let fresh = with_threads(3, || softmax_along(kept.clone(), axis));
        assert!(kept.into_data().unwrap() == data, "{shape:?}");
        assert!(reused.into_data().unwrap() == fresh.into_data().unwrap(), "{shape:?}");
    }
}

/// The first result is already complete when a later pass over the row reads the argument again.
#[test]
fn an_argument_that_a_later_pass_reads_is_not_written_over() {
    let source = "fn f(x: Tensor![m, n]) -> (Tensor![m, n], Tensor![m, n]) {
        let e = exp(x - max(x, n));
        (e, x / sum(e, n))
    }";
    let text = tensor_op_spec::stages(source.parse().unwrap()).unwrap().graph;
    let op = GraphOp::new(Graph::parse(&text).unwrap().with_results(false));
    let passes = op.spec().schedule().passes().filter(|pass| pass.targets.iter().any(is_element)).count();
    assert!(passes >= 2, "elements are written by {passes} passes, so that nothing is read after a result");
    let data = floats(&[50, 60], 1).cast(DType::F32);
    let run = |x: NdArrayTensor| -> Vec<TensorData> {
        let results = NdArray::run(&op, vec![Value::Tensor(x)], &[true, true]).unwrap();
        results.into_iter().map(|result| result.unwrap().into_data().unwrap()).collect()
    };
    let kept = tensor(&data, Memory::Plain);
    assert!(run(tensor(&data, Memory::Plain)) == run(kept.clone()));
    assert!(kept.into_data().unwrap() == data);
}

fn is_element(target: &Target) -> bool {
    matches!(target, Target::Element(_))
}

#[test]
fn an_argument_in_another_order_is_not_written_over() {
    let data = floats(&[50, 50], 1).cast(DType::F32);
    let turned = tensor(&data, Memory::Transposed);
    let address = turned.as_ptr();
    let result = softmax_of(turned);
    assert_ne!(result.as_ptr(), address);
    assert_eq!(result.into_data().unwrap(), softmax_of(tensor(&data, Memory::Plain)).into_data().unwrap());
}

#[test]
fn a_dropped_result_is_the_next_ones_buffer() {
    let x = tensor(&floats(&[64, 1024], 1).cast(DType::F64), Memory::Plain);
    let first = softmax_of(x.clone());
    let address = first.as_ptr();
    drop(first);
    // Other tests share the pool, so the buffer may have been taken. Then the second drop returns one all the
    // same.
    let again = (0..20).any(|_| softmax_of(x.clone()).as_ptr() == address);
    assert!(again);
}

#[test]
fn only_wanted_results_come_back() {
    let args = || vec![Value::Tensor(tensor(&floats(&[30, 20], 2), Memory::Plain))];
    let all = run_with(&COLUMNS, args()).unwrap();
    for wanted in [[true, false, false], [false, true, false], [false, false, true], [false, false, false]] {
        let results = NdArray::run(&&COLUMNS, args(), &wanted).unwrap();
        for ((result, wanted), expected) in results.into_iter().zip(wanted).zip(&all) {
            assert_eq!(result.map(|r| r.into_data().unwrap()).as_ref(), wanted.then_some(expected));
        }
    }
}

#[test]
fn kernels_of_another_schedule_are_refused() {
    static OTHER: super::Sample = super::Sample {
        spec: Spec::new(
            "op other
dim .. group
arg x: float[..], forward 0
%0 = input x : float[..]
%1 = exp(%0) : float[..]
out out = %1 [..]
",
            None,
        ),
        kernels: CpuKernels { passes: SOFTMAX.kernels.passes.split_at(1).0, schedule: Some(1) },
    };
    let error = run_with(&OTHER, vec![Value::Tensor(view(&[2]))]).unwrap_err().to_string();
    assert!(error.starts_with("other: its 1 generated kernels were made for another schedule"), "{error}");
}

/// More elements than any address space holds.
const HUGE: usize = 1 << 46;

/// A single element, broadcast to this shape.
fn view(shape: &[usize]) -> NdArrayTensor {
    let ones = vec![1; shape.len()];
    let one = NdArray::full(ones.into(), Scalar::Float(1.0), DType::F32, &CpuDevice).unwrap();
    NdArray::expand(one, shape.into()).unwrap()
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let uniform = Distribution::Uniform { low: 0.0, high: 1.0 };
    let draw = Generator::new(0).draw([HUGE], uniform, DType::F32).unwrap();
    let index = NdArray::cast(view(&[1]), DType::I64).unwrap();
    let indices = NdArray::expand(index.clone(), [HUGE].into()).unwrap();
    let results = [
        NdArray::full([HUGE].into(), Scalar::Float(1.0), DType::F32, &CpuDevice),
        NdArray::random(&draw, &CpuDevice),
        NdArray::apply(Prim::Neg, vec![view(&[HUGE])]),
        NdArray::reduce(Fold::Sum, view(&[2, HUGE]), &[0]),
        NdArray::matmul(view(&[1, 1 << 23, 2]), view(&[1, 2, 1 << 23])),
        NdArray::gather(view(&[2]), 0, indices),
        NdArray::scatter_add(view(&[1]), 0, index, HUGE),
        NdArray::cast(view(&[HUGE]), DType::F64),
        NdArray::reshape(NdArray::permute(strided(), &[1, 0]).unwrap(), [2 * HUGE].into()),
        NdArray::slice_assign(view(&[HUGE]), &[(0, 1, 1)], view(&[1])),
        NdArray::cat(vec![view(&[HUGE]), view(&[1])], 0),
    ];
    for (index, result) in results.into_iter().enumerate() {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Overflow, "{index}: {error}");
        assert!(error.message().ends_with("bytes, more than can be allocated"), "{index}: {error}");
    }
    let kind = |error: tensor_op_core::Error| error.kind();
    assert_eq!(view(&[HUGE]).into_data().map_err(kind), Err(ErrorKind::Overflow));
    assert_eq!(view(&[HUGE]).into_ndarray::<f32>().map_err(kind), Err(ErrorKind::Overflow));
    assert!(format!("{:?}", view(&[HUGE])).contains("more than can be allocated"));
}

/// Two elements, each broadcast to many.
fn strided() -> NdArrayTensor {
    let two = tensor(&floats(&[2, 1], 1), Memory::Plain);
    NdArray::expand(two, [2, HUGE].into()).unwrap()
}

#[test]
fn an_op_without_memory_for_its_result_is_an_error() {
    let args = vec![Value::Tensor(view(&[HUGE, 2])), Value::Scalar(Scalar::Int(1))];
    let error = run_with(&SOFTMAX, args).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overflow);
    assert_eq!(error.to_string(), "softmax: needs 562949953421312 bytes, more than can be allocated");
}
