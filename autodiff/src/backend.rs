//! The decorator: every operation of the wrapped backend, recorded where a gradient may flow.

use crate::primitive::Primitive;
use crate::record::record;
use crate::{AutodiffTensor, adjoint};
use std::fmt;
use std::marker::PhantomData;
use tensor_op_core::{Backend, DType, Distribution, Error, ErrorKind, Op, Result, Shape, TensorData, Value};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// The backend `B` with gradients.
pub struct Autodiff<B>(PhantomData<fn() -> B>);

impl<B> Clone for Autodiff<B> {
    fn clone(&self) -> Autodiff<B> {
        Autodiff(PhantomData)
    }
}

impl<B> fmt::Debug for Autodiff<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Autodiff")
    }
}

impl<B: Backend> Backend for Autodiff<B> {
    type Device = B::Device;
    type Tensor = AutodiffTensor<B>;

    fn name(device: &B::Device) -> String {
        B::name(device)
    }

    fn device_count() -> usize {
        B::device_count()
    }

    fn nth_device(index: usize) -> Result<B::Device> {
        B::nth_device(index)
    }

    fn supports_dtype(device: &B::Device, dtype: DType) -> bool {
        B::supports_dtype(device, dtype)
    }

    fn seed(device: &B::Device, seed: u64) {
        B::seed(device, seed);
    }

    fn sync(device: &B::Device) -> Result<()> {
        B::sync(device)
    }

    fn memory_cleanup(device: &B::Device) {
        B::memory_cleanup(device);
    }

    fn from_data(data: TensorData, device: &B::Device) -> Result<AutodiffTensor<B>> {
        B::from_data(data, device).map(AutodiffTensor::from_inner)
    }

    fn into_data(tensor: AutodiffTensor<B>) -> Result<TensorData> {
        B::into_data(tensor.into_inner())
    }

    fn shape(tensor: &AutodiffTensor<B>) -> Shape {
        B::shape(tensor.inner())
    }

    fn dtype(tensor: &AutodiffTensor<B>) -> DType {
        B::dtype(tensor.inner())
    }

    fn device(tensor: &AutodiffTensor<B>) -> B::Device {
        B::device(tensor.inner())
    }

    fn run(
        op: &dyn Op,
        args: Vec<Value<AutodiffTensor<B>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<AutodiffTensor<B>>>> {
        record(op, args, wanted, |args| B::run(op, args, wanted))
    }

    fn apply(prim: Prim, args: Vec<AutodiffTensor<B>>) -> Result<AutodiffTensor<B>> {
        let form = |args: &[AutodiffTensor<B>]| Primitive::Apply(prim, args.iter().map(kind).collect());
        primitive(args, None, form, |args| B::apply(prim, args))
    }

    fn reduce(fold: Fold, tensor: AutodiffTensor<B>, axes: &[usize]) -> Result<AutodiffTensor<B>> {
        let form = |args: &[AutodiffTensor<B>]| Primitive::Reduce {
            fold,
            kind: kind(&args[0]),
            rank: Self::shape(&args[0]).rank(),
            axes: axes.to_vec(),
        };
        fixed([tensor], None, form, |[tensor]| B::reduce(fold, tensor, axes))
    }

    fn matmul(lhs: AutodiffTensor<B>, rhs: AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
        fixed([lhs, rhs], None, |_| Primitive::Matmul, |[lhs, rhs]| B::matmul(lhs, rhs))
    }

    fn gather(tensor: AutodiffTensor<B>, axis: usize, index: AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
        let form =
            |args: &[AutodiffTensor<B>]| Primitive::Gather { rank: Self::shape(&args[0]).rank(), axis };
        fixed([tensor, index], None, form, |[tensor, index]| B::gather(tensor, axis, index))
    }

    fn scatter_add(
        source: AutodiffTensor<B>,
        axis: usize,
        index: AutodiffTensor<B>,
        size: usize,
    ) -> Result<AutodiffTensor<B>> {
        let form =
            |args: &[AutodiffTensor<B>]| Primitive::ScatterAdd { rank: Self::shape(&args[0]).rank(), axis };
        fixed([source, index], Some(size), form, |[source, index]| B::scatter_add(source, axis, index, size))
    }

    fn cast(tensor: AutodiffTensor<B>, dtype: DType) -> Result<AutodiffTensor<B>> {
        adjoint::cast(tensor, dtype)
    }

    fn reshape(tensor: AutodiffTensor<B>, shape: Shape) -> Result<AutodiffTensor<B>> {
        adjoint::reshape(tensor, shape)
    }

    fn permute(tensor: AutodiffTensor<B>, axes: &[usize]) -> Result<AutodiffTensor<B>> {
        adjoint::permute(tensor, axes)
    }

    fn expand(tensor: AutodiffTensor<B>, shape: Shape) -> Result<AutodiffTensor<B>> {
        adjoint::expand(tensor, shape)
    }

    fn slice(tensor: AutodiffTensor<B>, ranges: &[(usize, usize, usize)]) -> Result<AutodiffTensor<B>> {
        adjoint::slice(tensor, ranges)
    }

    fn slice_assign(
        into: AutodiffTensor<B>,
        ranges: &[(usize, usize, usize)],
        source: AutodiffTensor<B>,
    ) -> Result<AutodiffTensor<B>> {
        adjoint::slice_assign(into, ranges, source)
    }

    fn cat(tensors: Vec<AutodiffTensor<B>>, axis: usize) -> Result<AutodiffTensor<B>> {
        adjoint::cat(tensors, axis)
    }

    fn full(shape: Shape, value: Scalar, dtype: DType, device: &B::Device) -> Result<AutodiffTensor<B>> {
        B::full(shape, value, dtype, device).map(AutodiffTensor::from_inner)
    }

    fn random(
        shape: Shape,
        distribution: Distribution,
        dtype: DType,
        device: &B::Device,
    ) -> Result<AutodiffTensor<B>> {
        B::random(shape, distribution, dtype, device).map(AutodiffTensor::from_inner)
    }
}

fn kind<B: Backend>(tensor: &AutodiffTensor<B>) -> Kind {
    B::dtype(tensor.inner()).kind()
}

/// [`primitive`] of a known number of tensors.
fn fixed<B: Backend, const N: usize>(
    args: [AutodiffTensor<B>; N],
    size: Option<usize>,
    form: impl FnOnce(&[AutodiffTensor<B>]) -> Primitive,
    forward: impl FnOnce([B::Tensor; N]) -> Result<B::Tensor>,
) -> Result<AutodiffTensor<B>> {
    primitive(args.into(), size, form, |args| forward(adjoint::exactly(args)))
}

/// Runs a primitive that computes, and records it as the op of its form. It runs first: then its arguments are right, and the form
/// exists.
fn primitive<B: Backend>(
    args: Vec<AutodiffTensor<B>>,
    size: Option<usize>,
    form: impl FnOnce(&[AutodiffTensor<B>]) -> Primitive,
    forward: impl FnOnce(Vec<B::Tensor>) -> Result<B::Tensor>,
) -> Result<AutodiffTensor<B>> {
    if !args.iter().any(AutodiffTensor::is_tracked) {
        let inner = args.into_iter().map(AutodiffTensor::into_inner).collect();
        return forward(inner).map(AutodiffTensor::from_inner);
    }
    let output = forward(args.iter().map(|tensor| tensor.inner().clone()).collect())?;
    let op = form(&args).op()?;
    let size = size.map(|size| Value::Scalar(Scalar::Int(size as i64)));
    let args = args.into_iter().map(Value::Tensor).chain(size).collect();
    let outputs = record(&*op, args, &[true], |_| Ok(vec![Some(output)]))?;
    outputs
        .into_iter()
        .flatten()
        .next()
        .ok_or_else(|| Error::new(ErrorKind::Backend, "a primitive gave no result"))
}
