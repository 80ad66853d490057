//! Movement: other views of a buffer, and copies of parts.

use crate::array::{Array, Stored};
use crate::layout::Layout;
use crate::tensor::{NdArrayTensor, map_array, with_array};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape, match_dtype};
use tensor_op_spec::ir::Scalar;

/// The same elements, row-major, in another shape of the same size.
pub(crate) fn reshape(tensor: NdArrayTensor, shape: &Shape) -> Result<NdArrayTensor> {
    if tensor.elements() != shape.elements()? {
        let message =
            format!("shape {} can't become {shape}: it has {} elements", tensor.shape(), tensor.elements());
        return Err(Error::new(ErrorKind::Shape, message));
    }
    Ok(map_array!(tensor, array => array.reshape(shape)?))
}

/// Axis `i` of the result is axis `axes[i]`.
pub(crate) fn permute(tensor: NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
    let rank = tensor.shape().len();
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..rank) {
        let message = format!("{axes:?} is not an order of the {rank} axes of shape {}", tensor.shape());
        return Err(Error::new(ErrorKind::Rank, message));
    }
    let layout = tensor.layout().permute(axes);
    Ok(tensor.with_layout(layout))
}

/// Broadcasts axes of size 1; the rank stays.
pub(crate) fn expand(tensor: NdArrayTensor, shape: &Shape) -> Result<NdArrayTensor> {
    shape.elements()?;
    let own = tensor.shape();
    let fits = own.len() == shape.len() && own.iter().zip(shape.iter()).all(|(a, b)| a == b || *a == 1);
    if !fits {
        let message = format!("shape {own} does not broadcast to {shape}: sizes must be equal or 1");
        return Err(Error::new(ErrorKind::Shape, message));
    }
    let layout = tensor.layout().expand(shape);
    Ok(tensor.with_layout(layout))
}

/// From a start, each so-manieth, before an end, of each axis.
pub(crate) fn slice(tensor: NdArrayTensor, ranges: &[(usize, usize, usize)]) -> Result<NdArrayTensor> {
    let layout = sliced(tensor.layout(), ranges)?;
    Ok(tensor.with_layout(layout))
}

/// The tensor with `source` written at the ranges.
pub(crate) fn slice_assign(
    into: NdArrayTensor,
    ranges: &[(usize, usize, usize)],
    source: &NdArrayTensor,
) -> Result<NdArrayTensor> {
    let layout = sliced(into.layout(), ranges)?;
    if layout.shape != *source.shape() {
        let message =
            format!("the slice has shape {}, but {} was given to put there", layout.shape, source.shape());
        return Err(Error::new(ErrorKind::Shape, message));
    }
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

fn sliced(layout: &Layout, ranges: &[(usize, usize, usize)]) -> Result<Layout> {
    if ranges.len() != layout.shape.len() {
        let message = format!("{} ranges were given for shape {}", ranges.len(), layout.shape);
        return Err(Error::new(ErrorKind::Rank, message));
    }
    for (axis, (&(start, end, step), &size)) in ranges.iter().zip(layout.shape.iter()).enumerate() {
        if start > end || end > size || step == 0 {
            let message =
                format!("the range {start}..{end} by {step} does not fit axis {axis} of size {size}");
            return Err(Error::new(ErrorKind::Shape, message));
        }
    }
    Ok(layout.slice(ranges))
}

/// Joined along an axis.
pub(crate) fn cat(tensors: &[NdArrayTensor], axis: usize) -> Result<NdArrayTensor> {
    let Some(first) = tensors.first() else {
        return Err(Error::new(ErrorKind::Length, "no tensors to join; give at least one"));
    };
    let mut shape = first.shape().clone();
    if axis >= shape.len() {
        return Err(Error::new(ErrorKind::Rank, format!("axis {axis} is out of range for shape {shape}")));
    }
    shape[axis] = 0;
    for tensor in tensors {
        let mut other = tensor.shape().clone();
        let size = other.get(axis).copied().unwrap_or(0);
        if other.len() == shape.len() {
            other[axis] = shape[axis];
        }
        if other != shape {
            let message = format!("shapes {} and {} differ off axis {axis}", first.shape(), tensor.shape());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        shape[axis] = shape[axis].saturating_add(size);
    }
    shape.elements()?;
    with_array!(first, array => join(array, tensors, axis, &shape))
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

/// All elements one value.
pub(crate) fn full(shape: &Shape, value: Scalar, dtype: DType) -> Result<NdArrayTensor> {
    use tensor_op_core::Element;
    shape.elements()?;
    Ok(match_dtype!(dtype, T => T::into_tensor(Array::full(shape, T::from_scalar(value))?)))
}
