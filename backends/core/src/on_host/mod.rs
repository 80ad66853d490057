//! The structural primitives on the host: what a backend does that has none of its own. Each function takes
//! the data from the device, computes, and brings the result back. A backend that has a primitive for some
//! cases calls it for the others. Floats are computed in f64 and ints in i64.

mod compute;

use crate::dynamic::guard;
use crate::{Backend, DType, Error, ErrorKind, Result, Shape, TensorData};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::{Fold, Prim};

/// See [`Backend::apply`].
pub fn apply<B: Backend>(prim: Prim, args: Vec<B::Tensor>) -> Result<B::Tensor> {
    all::<B>(args, |args| compute::apply(prim, &args))
}

/// See [`Backend::reduce`].
pub fn reduce<B: Backend>(fold: Fold, tensor: B::Tensor, axes: &[usize]) -> Result<B::Tensor> {
    one::<B>(tensor, |tensor| compute::reduce(fold, &tensor, axes))
}

/// See [`Backend::matmul`].
pub fn matmul<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> Result<B::Tensor> {
    two::<B>(lhs, rhs, |lhs, rhs| compute::matmul(&lhs, &rhs))
}

/// See [`Backend::gather`].
pub fn gather<B: Backend>(tensor: B::Tensor, axis: usize, index: B::Tensor) -> Result<B::Tensor> {
    two::<B>(tensor, index, |tensor, index| compute::gather(&tensor, axis, &index))
}

/// See [`Backend::scatter_add`].
pub fn scatter_add<B: Backend>(
    source: B::Tensor,
    axis: usize,
    index: B::Tensor,
    size: usize,
) -> Result<B::Tensor> {
    two::<B>(source, index, |source, index| compute::scatter_add(&source, axis, &index, size))
}

/// See [`Backend::cast`].
pub fn cast<B: Backend>(tensor: B::Tensor, dtype: DType) -> Result<B::Tensor> {
    one::<B>(tensor, |tensor| Ok(tensor.cast(dtype)))
}

/// See [`Backend::reshape`].
pub fn reshape<B: Backend>(tensor: B::Tensor, shape: Shape) -> Result<B::Tensor> {
    one::<B>(tensor, |tensor| tensor.reshape(shape))
}

/// See [`Backend::permute`].
pub fn permute<B: Backend>(tensor: B::Tensor, axes: &[usize]) -> Result<B::Tensor> {
    one::<B>(tensor, |tensor| compute::permute(&tensor, axes))
}

/// See [`Backend::expand`].
pub fn expand<B: Backend>(tensor: B::Tensor, shape: Shape) -> Result<B::Tensor> {
    one::<B>(tensor, |tensor| compute::expand(&tensor, shape))
}

/// See [`Backend::slice`].
pub fn slice<B: Backend>(tensor: B::Tensor, ranges: &[(usize, usize, usize)]) -> Result<B::Tensor> {
    one::<B>(tensor, |tensor| compute::slice(&tensor, ranges))
}

/// See [`Backend::slice_assign`].
pub fn slice_assign<B: Backend>(
    into: B::Tensor,
    ranges: &[(usize, usize, usize)],
    source: B::Tensor,
) -> Result<B::Tensor> {
    two::<B>(into, source, |into, source| compute::slice_assign(into, ranges, &source))
}

/// See [`Backend::cat`].
pub fn cat<B: Backend>(tensors: Vec<B::Tensor>, axis: usize) -> Result<B::Tensor> {
    all::<B>(tensors, |tensors| compute::cat(&tensors, axis))
}

/// See [`Backend::full`].
pub fn full<B: Backend>(shape: Shape, value: Scalar, dtype: DType, device: &B::Device) -> Result<B::Tensor> {
    B::from_data(TensorData::full(shape, value, dtype)?, device)
}

fn one<B: Backend>(
    tensor: B::Tensor,
    compute: impl FnOnce(TensorData) -> Result<TensorData>,
) -> Result<B::Tensor> {
    let device = B::device(&tensor);
    B::from_data(compute(fetched::<B>(tensor)?)?, &device)
}

fn two<B: Backend>(
    a: B::Tensor,
    b: B::Tensor,
    compute: impl FnOnce(TensorData, TensorData) -> Result<TensorData>,
) -> Result<B::Tensor> {
    let device = B::device(&a);
    B::from_data(compute(fetched::<B>(a)?, fetched::<B>(b)?)?, &device)
}

fn all<B: Backend>(
    tensors: Vec<B::Tensor>,
    compute: impl FnOnce(Vec<TensorData>) -> Result<TensorData>,
) -> Result<B::Tensor> {
    let Some(device) = tensors.first().map(B::device) else {
        return Err(Error::new(ErrorKind::Length, "at least one tensor is wanted, but none was given"));
    };
    let data = tensors.into_iter().map(fetched::<B>).collect::<Result<_>>()?;
    B::from_data(compute(data)?, &device)
}

/// The data of a tensor, which has its shape and dtype.
fn fetched<B: Backend>(tensor: B::Tensor) -> Result<TensorData> {
    let name = B::name(&B::device(&tensor));
    guard::download::<B>(&name, tensor)
}
