//! How memory is used: reuse of buffers, and results that are not wanted.

use super::ops::*;
use super::{Memory, floats, run_with, tensor};
use crate::{CpuDevice, CpuFn, CpuKernels, NdArray, NdArrayTensor};
use tensor_op_core::{
    Backend, DType, Distribution, ErrorKind, Generator, GraphOp, Op, Spec, TensorData, Value,
};
use tensor_op_spec::ir::{Graph, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::Target;

fn softmax_of(x: NdArrayTensor) -> NdArrayTensor {
    let args = vec![Value::Tensor(x), Value::Scalar(Scalar::Int(1))];
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
fn a_kernel_written_by_hand_replaces_the_generated_one() {
    fn twice(args: &[Value<NdArrayTensor>]) -> tensor_op_core::Result<Vec<NdArrayTensor>> {
        let Value::Tensor(x) = &args[0] else { return Ok(vec![]) };
        Ok(vec![NdArrayTensor::from(x.view::<f32>()?.mapv(|x| 2.0 * x))])
    }
    static OP: super::Sample = super::Sample {
        spec: Spec::new(
            "op identity
dim .. group
arg x: float[..], forward 0
%0 = input x : float[..]
out out = %0 [..]
",
            None,
        ),
        kernels: CpuKernels { passes: &[], schedule: None, replaced: Some(twice as CpuFn) },
    };
    let data = TensorData::new(vec![1.0f32, -2.0], [2]).unwrap();
    let found = run_with(&OP, vec![Value::Tensor(NdArrayTensor::from_data(data))]).unwrap();
    assert_eq!(found[0].as_slice::<f32>().unwrap(), [2.0, -4.0]);
    // Arguments are checked before the op runs.
    let error = run_with(&OP, vec![Value::Shape([2].into())]).unwrap_err().to_string();
    assert_eq!(error, "identity: `x`: this argument is a tensor; something else was given");
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
        kernels: CpuKernels {
            passes: SOFTMAX.kernels.passes.split_at(1).0,
            schedule: Some(1),
            replaced: None,
        },
    };
    let error = run_with(&OTHER, vec![Value::Tensor(view(&[2]))]).unwrap_err().to_string();
    assert!(error.starts_with("other: its 1 generated kernels were made for another schedule"), "{error}");
}

#[test]
fn what_a_kernel_written_by_hand_returns_is_checked() {
    fn odd(args: &[Value<NdArrayTensor>]) -> tensor_op_core::Result<Vec<NdArrayTensor>> {
        let Value::Tensor(x) = &args[0] else { return Ok(vec![]) };
        match x.elements() {
            2 => Ok(vec![NdArray::reshape(x.clone(), [2, 1].into())?]),
            3 => Ok(vec![NdArray::cast(x.clone(), DType::F64)?]),
            4 => Err(tensor_op_core::Error::new(ErrorKind::Backend, "no")),
            _ => Ok(vec![]),
        }
    }
    static OP: super::Sample = super::Sample {
        spec: Spec::new(
            "op odd
dim .. group
arg x: float[..], forward 0
%0 = input x : float[..]
out out = %0 [..]
",
            None,
        ),
        kernels: CpuKernels { passes: &[], schedule: None, replaced: Some(odd as CpuFn) },
    };
    for (len, expected) in [
        (2, "odd: its kernel returned `out` of shape [2, 1]; [2] is declared"),
        (3, "odd: its kernel returned `out` as f64; f32 is declared"),
        (4, "odd: no"),
        (5, "odd: its kernel returned 0 results; 1 are declared"),
    ] {
        let error = run_with(&OP, vec![Value::Tensor(view(&[len]))]).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
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
