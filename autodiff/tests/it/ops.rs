//! Ops that the tests run.

use tensor_op_autodiff::{Autodiff, AutodiffTensor};
use tensor_op_core::{Backend, DType, GraphOp, TensorData, Value};
use tensor_op_ndarray::NdArray;
use tensor_op_spec::ir::Graph;

pub(crate) type Diff = Autodiff<NdArray>;
pub(crate) type Tensor = AutodiffTensor<NdArray>;

/// An elementwise op of `x` and `y` (which broadcast) with this last line.
pub(crate) fn binary(name: &str, result: &str) -> GraphOp {
    op(&format!(
        "op {name}\ndim .. group\narg x: float[..], forward 0\narg y: float[..], forward 1\n\
         %0 = input x : float[..]\n%1 = input y : float[..]\n%2 = {result} : float[..]\nout out = %2 [..]\n"
    ))
}

pub(crate) fn mul() -> GraphOp {
    binary("mul", "mul(%0, %1)")
}

pub(crate) fn add() -> GraphOp {
    binary("add", "add(%0, %1)")
}

/// The sum over the last axis.
pub(crate) fn sum() -> GraphOp {
    op("op sum\ndim .. group\ndim n named\narg x: float[.., n], forward 0\n\
        %0 = input x : float[.., n]\n%1 = sum(%0; n) : float[..]\nout out = %1 [..]\n")
}

/// `x * sigmoid(x)`.
pub(crate) fn silu() -> GraphOp {
    op(
        "op silu\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n%1 = neg(%0) : float[..]\n\
        %2 = exp(%1) : float[..]\n%3 = literal 1.0 : float[]\n%4 = add(%2, %3) : float[..]\n%5 = div(%0, %4) : float[..]\n\
        out out = %5 [..]\n",
    )
}

/// `x * rsqrt(sum(x * x, n) + 0.1) * gamma`.
pub(crate) fn norm() -> GraphOp {
    op("op norm\ndim .. group\ndim n named\narg x: float[.., n], forward 0\narg gamma: float[n], forward 1\n\
        %0 = input x : float[.., n]\n%1 = input gamma : float[n]\n%2 = mul(%0, %0) : float[.., n]\n\
        %3 = sum(%2; n) : float[..]\n%4 = literal 0.1 : float[]\n%5 = add(%3, %4) : float[..]\n%6 = rsqrt(%5) : float[..]\n\
        %7 = mul(%0, %6) : float[.., n]\n%8 = mul(%7, %1) : float[.., n]\nout out = %8 [.., n]\n")
}

/// `norm` with its factor as a hidden result.
pub(crate) fn norm_with_hidden() -> GraphOp {
    let text = "op norm\ndim .. group\ndim n named\narg x: float[.., n], forward 0\narg gamma: float[n], forward 1\n\
        %0 = input x : float[.., n]\n%1 = input gamma : float[n]\n%2 = mul(%0, %0) : float[.., n]\n\
        %3 = sum(%2; n) : float[..]\n%4 = literal 0.1 : float[]\n%5 = add(%3, %4) : float[..]\n%6 = rsqrt(%5) : float[..]\n\
        %7 = mul(%0, %6) : float[.., n]\n%8 = mul(%7, %1) : float[.., n]\nout out = %8 [.., n]\n\
        out factor = %6 [..] hidden\n";
    op(text)
}

/// `sum(lhs * rhs, k)`.
pub(crate) fn matmul() -> GraphOp {
    op(
        "op matmul\ndim m named\ndim k named\ndim n named\narg lhs: float[m, k], forward 0\narg rhs: float[k, n], forward 1\n\
        %0 = input lhs : float[m, k]\n%1 = input rhs : float[k, n]\n%2 = mul(%0, %1) : float[m, k, n]\n\
        %3 = sum(%2; k) : float[m, n]\nout out = %3 [m, n]\n",
    )
}

/// `x * k` for a scalar `k`.
pub(crate) fn scaled() -> GraphOp {
    op(
        "op scaled\ndim .. group\narg x: float[..], forward 0\narg k: f64, forward 1\n%0 = input x : float[..]\n\
        %1 = input k : float[]\n%2 = mul(%0, %1) : float[..]\nout out = %2 [..]\n",
    )
}

/// `(x * y, x + y)`.
pub(crate) fn product_and_sum() -> GraphOp {
    op("op product_and_sum\ndim .. group\narg x: float[..], forward 0\narg y: float[..], forward 1\n\
        %0 = input x : float[..]\n%1 = input y : float[..]\n%2 = mul(%0, %1) : float[..]\n%3 = add(%0, %1) : float[..]\n\
        out out0 = %2 [..]\nout out1 = %3 [..]\n")
}

/// `(argmax(x, n), max(x, n))`.
pub(crate) fn place_and_max() -> GraphOp {
    op(
        "op place_and_max\ndim .. group\ndim n named\narg x: float[.., n], forward 0\n%0 = input x : float[.., n]\n\
        %1 = argmax(%0; n) : int[..]\n%2 = max(%0; n) : float[..]\nout out0 = %1 [..]\nout out1 = %2 [..]\n",
    )
}

/// `x * k` for a scalar `k`, with `y` unused by gradients: `#[no_grad]`.
pub(crate) fn scaled_mask() -> GraphOp {
    op(
        "op scaled_mask\ndim .. group\narg x: float[..], forward 0\narg y: float[..] no_grad, forward 1\narg k: f64, forward 2\n\
        %0 = input x : float[..]\n%1 = input y : float[..]\n%2 = input k : float[]\n%3 = mul(%0, %2) : float[..]\n\
        %4 = stop_grad(%1) : float[..]\n%5 = mul(%3, %4) : float[..]\nout out = %5 [..]\n",
    )
}

pub(crate) fn op(text: &str) -> GraphOp {
    GraphOp::new(Graph::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

pub(crate) fn tensor(elements: &[f64], shape: &[usize]) -> Tensor {
    let data = TensorData::new(elements.to_vec(), shape).unwrap();
    Diff::from_data(data, &Default::default()).unwrap()
}

pub(crate) fn ints(elements: &[i64], shape: &[usize]) -> Tensor {
    let data = TensorData::new(elements.to_vec(), shape).unwrap();
    Diff::from_data(data, &Default::default()).unwrap()
}

/// Elements without ties or zeros, all different from one seed to the next.
pub(crate) fn varied(shape: &[usize], seed: usize) -> Tensor {
    let count = shape.iter().product();
    let elements: Vec<f64> = (0..count).map(|i| ((i * 7 + seed * 13) as f64 * 0.37).sin() + 1.5).collect();
    tensor(&elements, shape)
}

pub(crate) fn call(op: &GraphOp, args: &[&Tensor]) -> Vec<Tensor> {
    let count = tensor_op_core::Op::spec(op).graph().outputs.len();
    let args = args.iter().map(|tensor| Value::Tensor((*tensor).clone())).collect();
    let outputs = Diff::run(op, args, &vec![true; count]).unwrap();
    outputs.into_iter().map(|output| output.expect("all outputs were wanted")).collect()
}

pub(crate) fn call1(op: &GraphOp, args: &[&Tensor]) -> Tensor {
    let [output] = call(op, args).try_into().expect("one output");
    output
}

pub(crate) fn values<B: Backend>(tensor: &B::Tensor) -> Vec<f64> {
    let data = B::into_data(tensor.clone()).unwrap();
    assert_eq!(data.dtype(), DType::F64);
    data.to_vec().unwrap()
}
