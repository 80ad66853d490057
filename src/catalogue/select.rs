//! Elements by index, and what indices become. Names and arguments are PyTorch's. A negative index counts
//! from the end; one that is out of range is an `Err`. What writes by index is in
//! [`scatter`](super::scatter).
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! # let device = Device::default();
//! let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2], &device)?;
//! let ids = Tensor::from_vec(vec![1_i64, -1], [2], &device)?;
//! assert_eq!(x.index_select(0, &ids)?.to_vec::<f64>()?, [3.0, 4.0, 3.0, 4.0]);
//! assert_eq!(x.gather(1, ids.reshape([2, 1])?)?.to_vec::<f64>()?, [2.0, 4.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::along::{axis, cut, named, on_first, with_axis};
use crate::{IntoNumber, IntoTensor, Number, Result, Tensor, tensor_op};

/// Elements at places along an axis, each with an index of its own: `out[i, j] = input[i, index[i, j]]` for
/// `dim` 1. `torch.gather`.
///
/// `index` has as many axes as `input`, and the result has its shape. Along other axes it may be shorter than
/// `input`, whose rest is not read. An index without elements may have any shape.
///
/// ```
/// use tensor_op::catalogue::select::gather;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(gather(&x, 1, Tensor::from([[2, 2], [0, -1]]))?.to_vec::<i32>()?, [3, 3, 4, 6]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, and an index of another rank or longer than `input` along another axis.
pub fn gather(input: impl IntoTensor, dim: i64, index: impl IntoTensor) -> Result<Tensor> {
    let (input, index) = (input.into_tensor()?, index.into_tensor()?);
    gathered(&input, dim, &index).map_err(|error| named(error, "gather", "index"))
}

/// Does the same as [`gather`], and `input` and `indices` broadcast along the other axes. Without `dim` both
/// are read as one axis. `torch.take_along_dim`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[3, 1, 2], [6, 4, 5]]);
/// assert_eq!(x.take_along_dim(Tensor::from([[0], [2]]), 1)?.to_vec::<i32>()?, [3, 5]);
/// assert_eq!(x.take_along_dim(Tensor::from([4, 0]), None)?.to_vec::<i32>()?, [4, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, and shapes that do not broadcast.
pub fn take_along_dim(
    input: impl IntoTensor,
    indices: impl IntoTensor,
    dim: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (input, indices) = (input.into_tensor()?, indices.into_tensor()?);
    let taken = || -> Result<Tensor> {
        let Some(dim) = dim.into() else {
            return gathered(&input.flatten(0, -1)?, 0, &indices.flatten(0, -1)?);
        };
        let axis = axis(&input, dim)?;
        let (mut own, mut of_indices) = (input.shape().to_vec(), indices.shape().to_vec());
        // Other ranks are refused by `gather`.
        if own.len() == of_indices.len() {
            for other in (0..own.len()).filter(|other| *other != axis) {
                let size = if own[other] == 1 { of_indices[other] } else { own[other] };
                (own[other], of_indices[other]) = (size, size);
            }
        }
        gathered(&input.broadcast_to(own)?, dim, &indices.broadcast_to(of_indices)?)
    };
    taken().map_err(|error| named(error, "take_along_dim", "indices"))
}

/// The elements with these indices, of the tensor as one axis. The result has the shape of the index.
/// `torch.take`.
///
/// # Errors
///
/// An index out of range.
pub fn take(input: impl IntoTensor, index: impl IntoTensor) -> Result<Tensor> {
    let (input, index) = (input.into_tensor()?, index.into_tensor()?);
    let taken = || rows(input.flatten(0, -1)?, index.flatten(0, -1)?)?.reshape(index.shape());
    taken().map_err(|error| named(error, "take", "index"))
}

/// The parts of an axis with these indices, which have one axis. `torch.index_select`.
///
/// ```
/// use tensor_op::catalogue::select::index_select;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(index_select(&x, 1, Tensor::from([2, 0]))?.to_vec::<i32>()?, [3, 1, 6, 4]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range.
pub fn index_select(input: impl IntoTensor, dim: i64, index: impl IntoTensor) -> Result<Tensor> {
    let (input, index) = (input.into_tensor()?, index.into_tensor()?);
    let found = || {
        let index = with_axis(&index)?;
        on_first(&input, dim, |input| rows(input, index))
    };
    found().map_err(|error| named(error, "index_select", "index"))
}

/// The tensor, and this value in the parts of an axis with these indices: in ints a whole number, in bools 0
/// or 1. `torch.index_fill`.
///
/// ```
/// use tensor_op::catalogue::select::index_fill;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(index_fill(&x, 1, Tensor::from([-1]), 9)?.to_vec::<i32>()?, [1, 2, 9, 4, 5, 9]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, and a value that the dtype has no room for.
pub fn index_fill(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    value: impl IntoNumber<Number>,
) -> Result<Tensor> {
    let (input, index) = (input.into_tensor()?, index.into_tensor()?);
    let filled = || {
        let index = with_axis(&index)?;
        on_first(&input, dim, |input| rows_filled(input, index, value))
    };
    filled().map_err(|error| named(error, "index_fill", "index"))
}

impl Tensor {
    /// [`gather`] of this tensor.
    pub fn gather(&self, dim: i64, index: impl IntoTensor) -> Result<Tensor> {
        gather(self, dim, index)
    }

    /// [`take_along_dim`] of this tensor.
    pub fn take_along_dim(&self, indices: impl IntoTensor, dim: impl Into<Option<i64>>) -> Result<Tensor> {
        take_along_dim(self, indices, dim)
    }

    /// [`take`] of this tensor.
    pub fn take(&self, index: impl IntoTensor) -> Result<Tensor> {
        take(self, index)
    }

    /// [`index_select`] of this tensor.
    pub fn index_select(&self, dim: i64, index: impl IntoTensor) -> Result<Tensor> {
        index_select(self, dim, index)
    }

    /// [`index_fill`] of this tensor.
    pub fn index_fill(
        &self,
        dim: i64,
        index: impl IntoTensor,
        value: impl IntoNumber<Number>,
    ) -> Result<Tensor> {
        index_fill(self, dim, index, value)
    }
}

fn gathered(input: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let axis = axis(&with_axis(input)?, dim)?;
    if index.elements() == 0 {
        return Tensor::zeros(index.shape(), input.dtype(), &input.device());
    }
    let shape = index.shape();
    let index = with_axis(index)?;
    let input = cut(with_axis(input)?, "input", &index, Some(axis))?;
    let last = |x: Tensor| x.transpose(axis as i64, -1);
    let found = last(of_rows(last(input)?, last(index)?)?)?;
    if shape.rank() == 0 { found.reshape(shape) } else { Ok(found) }
}

/// Elements of each row, by indices for that row.
#[tensor_op]
pub(crate) fn of_rows(input: AnyTensor![.., n], index: IntTensor![.., m]) -> AnyTensor![.., m] {
    at(input, n = select(index < 0, index + len(n), index))
}

/// The rows with these indices.
#[tensor_op]
pub(crate) fn rows(input: AnyTensor![n, ..], index: IntTensor![m]) -> AnyTensor![m, ..] {
    at(input, n = select(index < 0, index + len(n), index))
}

/// A value in the rows with these indices.
#[tensor_op]
pub(crate) fn rows_filled(
    input: AnyTensor![n, ..],
    index: IntTensor![m],
    value: Number,
) -> AnyTensor![n, ..] {
    let named = scatter_add(1, m, n = select(index < 0, index + len(n), index));
    select(named > 0, value, input)
}

/// 1 at the place of each index, and 0 elsewhere. `torch.nn.functional.one_hot`.
#[tensor_op(method(inherent))]
pub fn one_hot(input: IntTensor, num_classes: usize) -> IntTensor![.., num_classes] {
    // The read checks the index.
    cast(at(iota(num_classes), num_classes = input) == iota(num_classes), int)
}

/// The share of rows that have their right class among the `k` largest logits. Of equal logits those come
/// first that stand first. NaN is larger than any number; a right class with this logit is not among them.
#[tensor_op]
#[no_grad]
pub fn topk_accuracy(logits: Tensor![b, c], target: IntTensor![b], #[default(1)] k: usize) -> Tensor![] {
    let right = at(logits, c = target);
    let better = !(logits <= right) || (logits == right && iota(c) < target);
    mean(select(sum(cast(better, int), c) < k, 1.0, 0.0), b)
}
