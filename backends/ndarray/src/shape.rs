//! Shape changes: views of the same buffer, and copies of parts.

use crate::array::Array;
use crate::tensor::{NdArrayTensor, Stored, map_array, with_array};
use tensor_op_core::{DType, Result, Shape, check, match_dtype};
use tensor_op_spec::ir::Scalar;

/// The same elements in row-major order, in another shape of the same size.
pub(crate) fn reshape(tensor: NdArrayTensor, shape: &Shape) -> Result<NdArrayTensor> {
    check::reshape(tensor.shape(), shape)?;
    Ok(map_array!(tensor, array => array.reshape(shape)?))
}

/// Axis `i` of the result is axis `axes[i]`.
pub(crate) fn permute(tensor: NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
    check::permute(tensor.shape(), axes)?;
    let layout = tensor.layout().permute(axes);
    Ok(tensor.with_layout(layout))
}

/// Broadcasts axes of size 1; the rank stays.
pub(crate) fn expand(tensor: NdArrayTensor, shape: &Shape) -> Result<NdArrayTensor> {
    check::expand(tensor.shape(), shape)?;
    let layout = tensor.layout().expand(shape);
    Ok(tensor.with_layout(layout))
}

/// For each axis, every `step`-th element from the start on, before the end.
pub(crate) fn slice(tensor: NdArrayTensor, ranges: &[(usize, usize, usize)]) -> Result<NdArrayTensor> {
    check::slice(tensor.shape(), ranges)?;
    let layout = tensor.layout().slice(ranges);
    Ok(tensor.with_layout(layout))
}

/// The tensor with `source` written at the ranges.
pub(crate) fn slice_assign(
    into: NdArrayTensor,
    ranges: &[(usize, usize, usize)],
    source: &NdArrayTensor,
) -> Result<NdArrayTensor> {
    check::slice_assign((into.shape(), into.dtype()), ranges, (source.shape(), source.dtype()))?;
    with_array!(into, array => assign(array, ranges, source))
}

fn assign<T: Stored>(
    array: Array<T>,
    ranges: &[(usize, usize, usize)],
    source: &NdArrayTensor,
) -> Result<NdArrayTensor> {
    let source = source.array::<T>()?;
    let mut array = array.into_owned()?;
    let layout = array.layout().slice(ranges);
    array.assign(&layout, source);
    Ok(T::into_tensor(array))
}

/// Joins tensors along an axis.
pub(crate) fn cat(tensors: &[NdArrayTensor], axis: usize) -> Result<NdArrayTensor> {
    let forms: Vec<(&Shape, DType)> = tensors.iter().map(|tensor| (tensor.shape(), tensor.dtype())).collect();
    let shape = check::cat(&forms, axis)?;
    with_array!(&tensors[0], array => join(array, tensors, axis, &shape))
}

fn join<T: Stored>(
    _first: &Array<T>,
    tensors: &[NdArrayTensor],
    axis: usize,
    shape: &Shape,
) -> Result<NdArrayTensor> {
    let mut result = Array::<T>::recycled(shape)?;
    let mut ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (0, *size, 1)).collect();
    let mut start = 0;
    for tensor in tensors {
        let source = tensor.array::<T>()?;
        ranges[axis] = (start, start + source.shape()[axis], 1);
        start += source.shape()[axis];
        let layout = result.layout().slice(&ranges);
        result.assign(&layout, source);
    }
    Ok(T::into_tensor(result))
}

/// A tensor in which all elements have the same value.
pub(crate) fn full(shape: &Shape, value: Scalar, dtype: DType) -> Result<NdArrayTensor> {
    use tensor_op_core::Element;
    shape.elements()?;
    Ok(match_dtype!(dtype, T => T::into_tensor(Array::full(shape, T::from_scalar(value))?)))
}
