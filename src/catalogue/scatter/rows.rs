//! Rows that are written to places along an axis: all elements at one position along it have one place.

use super::{Reduce, scatter_reduce};
use crate::catalogue::along::{axis, fits, named, on_first, with_axis};
use crate::{DType, Error, ErrorKind, IntoNumber, IntoTensor, Number, Result, Tensor, tensor_op};
use std::borrow::Borrow;

/// The tensor, to which `alpha` times the rows of `source` are added at their places along an axis:
/// `out[index[i]] += alpha * source[i]` for `dim` 0. `torch.index_add`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([2, 2], DType::F64, &Device::default())?;
/// let columns = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// let y = x.index_add(1, Tensor::from([0, 1, 0]), &columns, None)?;
/// assert_eq!(y.to_vec::<f64>()?, [5.0, 3.0, 11.0, 6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, a `source` whose other axes are not those of `input`, and one of another
/// dtype.
pub fn index_add(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    source: impl IntoTensor,
    alpha: impl IntoNumber<Option<Number>>,
) -> Result<Tensor> {
    let (input, index, source) = (input.into_tensor()?, index.into_tensor()?, source.into_tensor()?);
    let alpha = alpha.into_number();
    let added = written(&input, dim, &index, &source, |input, index, source| {
        index_add_rows(input, index, source, alpha)
    });
    added.map_err(|error| named(error, "index_add", "index"))
}

/// The tensor, and the rows of `source` at their places along an axis: `out[index[i]] = source[i]` for `dim`
/// 0. Where a place is named twice, the last row is written. `torch.index_copy`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1, 2], [3, 4], [5, 6]]);
/// let y = x.index_copy(0, Tensor::from([-1, 0]), Tensor::from([[7, 8], [9, 10]]))?;
/// assert_eq!(y.to_vec::<i32>()?, [9, 10, 3, 4, 7, 8]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, a `source` whose other axes are not those of `input`, and one of another
/// dtype.
pub fn index_copy(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    source: impl IntoTensor,
) -> Result<Tensor> {
    let (input, index, source) = (input.into_tensor()?, index.into_tensor()?, source.into_tensor()?);
    written(&input, dim, &index, &source, index_copy_rows)
        .map_err(|error| named(error, "index_copy", "index"))
}

/// The tensor, and at each place along an axis that `index` names one row out of all rows of `source` for
/// this place. With `include_self`, which `None` stands for, the row of `input` is one of them.
/// `torch.index_reduce`, and with [`Reduce::Sum`] its `index_add`.
///
/// ```
/// use tensor_op::catalogue::scatter::Reduce;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, rows) = (Tensor::from([[1.0, 2.0], [3.0, 4.0]]), Tensor::from([[5.0, 0.0], [0.0, 6.0]]));
/// let y = x.index_reduce(0, Tensor::from([1, 1]), &rows, Reduce::Amax, None)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 2.0, 5.0, 6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, a `source` whose other axes are not those of `input`, one of another
/// dtype, and a mean of ints.
pub fn index_reduce(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    source: impl IntoTensor,
    reduce: Reduce,
    include_self: impl Into<Option<bool>>,
) -> Result<Tensor> {
    let (input, index, source) = (input.into_tensor()?, index.into_tensor()?, source.into_tensor()?);
    let reduced = written(&input, dim, &index, &source, |input, index, source| {
        let mut sizes = vec![1; source.rank()];
        sizes[0] = index.elements();
        let index = index.reshape(sizes)?.broadcast_to(source.shape())?;
        scatter_reduce(input, 0, index, source, reduce, include_self)
    });
    reduced.map_err(|error| named(error, "index_reduce", "index"))
}

/// The tensor, and at places of its first axes other values: `out[i[k], j[k]] = values[k]` for the indices
/// `i` and `j`. `indices` has a tensor of ints for each of these axes, which broadcast against each other;
/// `values` broadcasts to their shape and the rest of the axes. With `accumulate` values are added; else,
/// where a place is named twice, the last value is written. `torch.index_put`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// let (i, j) = (Tensor::from([0, 1, 0]), Tensor::from([1, 0, 1]));
/// let values = Tensor::from([5.0, 6.0, 7.0]);
/// assert_eq!(x.index_put(&[&i, &j], &values, None)?.to_vec::<f64>()?, [1.0, 7.0, 6.0, 4.0]);
/// assert_eq!(x.index_put(&[&i, &j], &values, true)?.to_vec::<f64>()?, [1.0, 14.0, 9.0, 4.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// More indices than axes, or none; one out of range; masks, for which there is
/// [`masked_scatter`](super::masked_scatter); and values of another dtype or that do not broadcast.
pub fn index_put<T: Borrow<Tensor>>(
    input: impl IntoTensor,
    indices: &[T],
    values: impl IntoTensor,
    accumulate: impl Into<Option<bool>>,
) -> Result<Tensor> {
    let (input, values) = (input.into_tensor()?, values.into_tensor()?);
    let put = || -> Result<Tensor> {
        let (shape, dtype) = (input.shape(), input.dtype());
        if indices.is_empty() || indices.len() > shape.rank() {
            let message =
                format!("{} are given for shape {shape}: give 1 to one for each axis", indices.len());
            return Err(Error::new(ErrorKind::Rank, message).with_arg("indices"));
        }
        if indices.iter().any(|index| index.borrow().elements() == 0) {
            return Ok(input.clone());
        }
        let zero = Tensor::zeros([1], DType::I64, &input.device())?;
        let mut place = zero.reshape([0_usize; 0])?;
        for (index, size) in indices.iter().zip(shape.iter()) {
            place = flat_place(place, index.borrow(), zero.broadcast_to([*size])?)?;
        }
        let (first, rest) = shape.split_at(indices.len());
        let wanted = [&place.shape()[..], rest].concat();
        let values = values.broadcast_to(wanted).map_err(|error| error.with_arg("values"))?;
        let rows = |x: &Tensor, count: usize| x.reshape([&[count], rest].concat());
        let (count, flat) = (place.elements(), rows(&input, first.iter().product())?);
        let (place, values) = (place.reshape([count])?, rows(&values, count)?);
        let written = match accumulate.into() {
            Some(true) => index_add_rows(flat, place, values, None),
            Some(false) | None => index_copy_rows(flat, place, values),
        };
        written?.cast(dtype)?.reshape(&shape)
    };
    put().map_err(|error| named(error, "index_put", "indices"))
}

impl Tensor {
    /// [`index_add`] of this tensor.
    pub fn index_add(
        &self,
        dim: i64,
        index: impl IntoTensor,
        source: impl IntoTensor,
        alpha: impl IntoNumber<Option<Number>>,
    ) -> Result<Tensor> {
        index_add(self, dim, index, source, alpha)
    }

    /// [`index_copy`] of this tensor.
    pub fn index_copy(&self, dim: i64, index: impl IntoTensor, source: impl IntoTensor) -> Result<Tensor> {
        index_copy(self, dim, index, source)
    }

    /// [`index_reduce`] of this tensor.
    pub fn index_reduce(
        &self,
        dim: i64,
        index: impl IntoTensor,
        source: impl IntoTensor,
        reduce: Reduce,
        include_self: impl Into<Option<bool>>,
    ) -> Result<Tensor> {
        index_reduce(self, dim, index, source, reduce, include_self)
    }

    /// [`index_put`] of this tensor.
    pub fn index_put<T: Borrow<Tensor>>(
        &self,
        indices: &[T],
        values: impl IntoTensor,
        accumulate: impl Into<Option<bool>>,
    ) -> Result<Tensor> {
        index_put(self, indices, values, accumulate)
    }
}

/// Runs an op of the first axis along another one, for an index and a source with a row for each index.
fn written(
    input: &Tensor,
    dim: i64,
    index: &Tensor,
    source: &Tensor,
    op: impl FnOnce(Tensor, Tensor, Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let (whole, source) = (with_axis(input)?, with_axis(source)?);
    let axis = axis(&whole, dim)?;
    fits(&source, "source", &whole, axis)?;
    if index.elements() == 0 && source.shape()[axis] == 0 {
        return Ok(input.clone());
    }
    let (index, source) = (with_axis(index)?, source.transpose(0, axis as i64)?);
    on_first(input, dim, |whole| op(whole, index, source)?.cast(input.dtype()))
}

/// The rows of `source` are added.
#[tensor_op]
pub(crate) fn index_add_rows(
    input: NumTensor![m, ..],
    index: IntTensor![n],
    source: NumTensor![n, ..],
    #[default(1)] alpha: Number,
) -> NumTensor![m, ..] {
    input + alpha * scatter_add(source, n, m = select(index < 0, index + len(m), index))
}

/// Of the rows with one index the last one is written.
#[tensor_op]
pub(crate) fn index_copy_rows(
    input: AnyTensor![m, ..],
    index: IntTensor![n],
    source: AnyTensor![n, ..],
) -> AnyTensor![m, ..] {
    let last = scatter_max(iota(n), n, m = select(index < 0, index + len(m), index));
    select(last < 0, input, at(source, n = maximum(last, 0)))
}

/// The place in several axes that became one, out of the place in the axes before and an index in the next
/// one, which has zeros. Their read checks the index.
#[tensor_op]
pub(crate) fn flat_place(before: IntTensor, indices: IntTensor, zeros: IntTensor![s]) -> IntTensor {
    let index = select(indices < 0, indices + len(s), indices);
    before * len(s) + index + at(zeros, s = index)
}
