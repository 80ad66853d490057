//! Elements of which each has a place of its own.

use super::Reduce;
use super::places::Places;
use crate::catalogue::along::named;
use crate::{Error, ErrorKind, IntoOperand, IntoTensor, Operand, Result, Tensor, tensor_op};
use tensor_op_spec::ir::Kind;

/// The tensor, and the elements of `src` at their places along an axis:
/// `out[i, index[i, j]] = src[i, j]` for `dim` 1. `src` may be a number. `torch.scatter`.
///
/// `index` has as many axes as `input`, and `src` too. It may be shorter than both: what lies beyond it stays
/// as it is in `input`, and is not read of `src`. Where a place is named twice, the last element along the
/// axis is written, and only this one has a gradient.
///
/// ```
/// use tensor_op::catalogue::scatter::scatter;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, ids) = (Tensor::from([1.0, 2.0, 3.0]), Tensor::from([2, 0, 2]));
/// assert_eq!(scatter(&x, 0, &ids, Tensor::from([7.0, 8.0, 9.0]))?.to_vec::<f64>()?, [8.0, 2.0, 9.0]);
/// assert_eq!(scatter(&x, 0, &ids, 5)?.to_vec::<f64>()?, [5.0, 2.0, 5.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, shapes that don't fit together, and a `src` of another dtype.
pub fn scatter(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    src: impl IntoOperand,
) -> Result<Tensor> {
    let (input, index) = (input.into_tensor()?, index.into_tensor()?);
    let src = src.into_operand()?;
    let written = || -> Result<Tensor> {
        let places = Places::new(&input, dim, &index)?;
        match src {
            Operand::Tensor(src) => {
                let src = places.sources(&src)?;
                places.write(&input, |input, index| scatter_last(input, index, src))
            }
            Operand::Number(src) => {
                places.write(&input, |input, index| scatter_number_last(input, index, src))
            }
        }
    };
    written().map_err(|error| named(error, "scatter", "index"))
}

/// The tensor, to which the elements of `src` are added at their places along an axis:
/// `out[i, index[i, j]] += src[i, j]` for `dim` 1. Shapes are those of [`scatter`]. `torch.scatter_add`.
///
/// # Errors
///
/// An axis or an index out of range, shapes that don't fit together, and a `src` of another dtype.
pub fn scatter_add(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    src: impl IntoTensor,
) -> Result<Tensor> {
    scatter_reduce(input, dim, index, src, Reduce::Sum, true)
        .map_err(|error| named(error, "scatter_add", "index"))
}

/// The tensor, and at each place along an axis that `index` names one number out of all elements of `src` for
/// this place. With `include_self`, which `None` stands for, the element of `input` is one of them. Shapes
/// are those of [`scatter`]. `torch.scatter_reduce`.
///
/// ```
/// use tensor_op::catalogue::scatter::{Reduce, scatter_reduce};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, ids) = (Tensor::from([3.0, 2.0, 1.0]), Tensor::from([0, 0, 2]));
/// let src = Tensor::from([4.0, 5.0, 6.0]);
/// let product = scatter_reduce(&x, 0, &ids, &src, Reduce::Prod, None)?;
/// assert_eq!(product.to_vec::<f64>()?, [60.0, 2.0, 6.0]);
/// let mean = scatter_reduce(&x, 0, &ids, &src, Reduce::Mean, false)?;
/// assert_eq!(mean.to_vec::<f64>()?, [4.5, 2.0, 6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis or an index out of range, shapes that don't fit together, a `src` of another dtype, and a mean of
/// ints.
pub fn scatter_reduce(
    input: impl IntoTensor,
    dim: i64,
    index: impl IntoTensor,
    src: impl IntoTensor,
    reduce: Reduce,
    include_self: impl Into<Option<bool>>,
) -> Result<Tensor> {
    let (input, index, src) = (input.into_tensor()?, index.into_tensor()?, src.into_tensor()?);
    let with_self = include_self.into().unwrap_or(true);
    let written = || -> Result<Tensor> {
        let places = Places::new(&input, dim, &index)?;
        let src = places.sources(&src)?;
        if reduce == Reduce::Mean && input.dtype().kind() != Kind::Float {
            let message = format!("is {}, and a mean takes floats: cast it", input.dtype());
            return Err(Error::new(ErrorKind::DType, message).with_arg("input"));
        }
        places.write(&input, |input, index| match reduce {
            Reduce::Sum => scatter_sum_last(input, index, src, with_self),
            Reduce::Prod => scatter_prod_last(input, index, src, with_self),
            Reduce::Mean => scatter_mean_last(input, index, src, with_self),
            Reduce::Amax if with_self => scatter_amax_last(input, index, src),
            Reduce::Amin if with_self => scatter_amin_last(input, index, src),
            Reduce::Amax => scatter_other_amax_last(input, index, src),
            Reduce::Amin => scatter_other_amin_last(input, index, src),
        })
    };
    written().map_err(|error| named(error, "scatter_reduce", "index"))
}

/// The tensor, and where the mask is true the elements of `source` instead, in order. The mask broadcasts to
/// the tensor; `source` has any shape. `torch.masked_scatter`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, mask) = (Tensor::from([0, 0, 0, 0]), Tensor::from([true, false, true, false]));
/// assert_eq!(x.masked_scatter(&mask, Tensor::from([7, 8, 9]))?.to_vec::<i32>()?, [7, 0, 8, 0]);
/// assert!(x.masked_scatter(&mask, Tensor::from([7])).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A mask that does not broadcast, a `source` of another dtype, and one with fewer elements than the mask has
/// true ones.
pub fn masked_scatter(
    input: impl IntoTensor,
    mask: impl IntoTensor,
    source: impl IntoTensor,
) -> Result<Tensor> {
    let (input, mask, source) = (input.into_tensor()?, mask.into_tensor()?, source.into_tensor()?);
    let written = || -> Result<Tensor> {
        let (shape, count) = (input.shape(), input.elements());
        let mask = mask.broadcast_to(&shape).map_err(|error| error.with_arg("mask"))?.reshape([count])?;
        // An index needs an element that it could name.
        let source = match source.elements() {
            0 if !mask.any(..)?.item::<bool>()? => return Ok(input.clone()),
            elements => source.reshape([elements])?,
        };
        masked_scatter_flat(input.reshape([count])?, mask, source)?.reshape(shape)
    };
    written().map_err(|error| named(error, "masked_scatter", "source"))
}

impl Tensor {
    /// [`scatter`] of this tensor.
    pub fn scatter(&self, dim: i64, index: impl IntoTensor, src: impl IntoOperand) -> Result<Tensor> {
        scatter(self, dim, index, src)
    }

    /// [`scatter_add`] of this tensor.
    pub fn scatter_add(&self, dim: i64, index: impl IntoTensor, src: impl IntoTensor) -> Result<Tensor> {
        scatter_add(self, dim, index, src)
    }

    /// [`scatter_reduce`] of this tensor.
    pub fn scatter_reduce(
        &self,
        dim: i64,
        index: impl IntoTensor,
        src: impl IntoTensor,
        reduce: Reduce,
        include_self: impl Into<Option<bool>>,
    ) -> Result<Tensor> {
        scatter_reduce(self, dim, index, src, reduce, include_self)
    }

    /// [`masked_scatter`] of this tensor.
    pub fn masked_scatter(&self, mask: impl IntoTensor, source: impl IntoTensor) -> Result<Tensor> {
        masked_scatter(self, mask, source)
    }
}

/// Of the elements with one index the last one is written.
#[tensor_op]
pub(crate) fn scatter_last(
    input: AnyTensor![.., n],
    index: IntTensor![.., m],
    src: AnyTensor![.., m],
) -> AnyTensor![.., n] {
    let last = scatter_max(iota(m), m, n = select(index < 0, index + len(n), index));
    select(last < 0, input, at(src, m = maximum(last, 0)))
}

/// A number is written to all indices.
#[tensor_op]
pub(crate) fn scatter_number_last(
    input: AnyTensor![.., n],
    index: IntTensor![.., m],
    src: Number,
) -> AnyTensor![.., n] {
    let named = scatter_add(1, m, n = select(index < 0, index + len(n), index));
    select(named > 0, src, input)
}

/// The sums of the elements with one index.
#[tensor_op]
pub(crate) fn scatter_sum_last(
    input: NumTensor![.., n],
    index: IntTensor![.., m],
    src: NumTensor![.., m],
    include_self: bool,
) -> NumTensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    let total = scatter_add(src, m, n = ids);
    if include_self { input + total } else { select(scatter_add(1, m, n = ids) > 0, total, input) }
}

/// The products of the elements with one index.
#[tensor_op]
pub(crate) fn scatter_prod_last(
    input: NumTensor![.., n],
    index: IntTensor![.., m],
    src: NumTensor![.., m],
    include_self: bool,
) -> NumTensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    let product = scatter_mul(src, m, n = ids);
    if include_self { input * product } else { select(scatter_add(1, m, n = ids) > 0, product, input) }
}

/// The means of the elements with one index.
#[tensor_op]
pub(crate) fn scatter_mean_last(
    input: Tensor![.., n],
    index: IntTensor![.., m],
    src: Tensor![.., m],
    include_self: bool,
) -> Tensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    let total = scatter_add(src, m, n = ids);
    let count = scatter_add(1.0, m, n = ids);
    if include_self {
        (input + total) / (1.0 + count)
    } else {
        select(count > 0.0, total / maximum(count, 1.0), input)
    }
}

/// How many of the elements that are written to a place, and of the one already there, equal the result.
#[tensor_op(tests = false)]
pub(crate) fn equal_ones(
    input: Tensor![.., n],
    ids: IntTensor![.., m],
    src: Tensor![.., m],
    out: Tensor![.., n],
) -> Tensor![.., n] {
    select(input == out, 1.0, 0.0) + scatter_add(select(src == at(out, n = ids), 1.0, 0.0), m, n = ids)
}

/// The largest of the elements with one index and of the element there. All equal ones have the same share of
/// the gradient; the derived rule halves it first.
#[tensor_op(tests(skip = given_rule))]
#[grad(
    input = select(input == out, grad / self::equal_ones(input, ids, src, out), 0.0),
    src = select(src == at(out, n = ids), at(grad / self::equal_ones(input, ids, src, out), n = ids), 0.0)
)]
pub(crate) fn scatter_amax_last(
    input: NumTensor![.., n],
    index: IntTensor![.., m],
    src: NumTensor![.., m],
) -> NumTensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    maximum(input, scatter_max(src, m, n = ids))
}

/// The smallest of the elements with one index and of the element there. All equal ones have the same share
/// of the gradient; the derived rule halves it first.
#[tensor_op(tests(skip = given_rule))]
#[grad(
    input = select(input == out, grad / self::equal_ones(input, ids, src, out), 0.0),
    src = select(src == at(out, n = ids), at(grad / self::equal_ones(input, ids, src, out), n = ids), 0.0)
)]
pub(crate) fn scatter_amin_last(
    input: NumTensor![.., n],
    index: IntTensor![.., m],
    src: NumTensor![.., m],
) -> NumTensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    minimum(input, scatter_min(src, m, n = ids))
}

/// The largest of the elements with one index.
#[tensor_op]
pub(crate) fn scatter_other_amax_last(
    input: NumTensor![.., n],
    index: IntTensor![.., m],
    src: NumTensor![.., m],
) -> NumTensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    select(scatter_add(1, m, n = ids) > 0, scatter_max(src, m, n = ids), input)
}

/// The smallest of the elements with one index.
#[tensor_op]
pub(crate) fn scatter_other_amin_last(
    input: NumTensor![.., n],
    index: IntTensor![.., m],
    src: NumTensor![.., m],
) -> NumTensor![.., n] {
    let ids = select(index < 0, index + len(n), index);
    select(scatter_add(1, m, n = ids) > 0, scatter_min(src, m, n = ids), input)
}

/// The elements of `source` in order, where the mask is true.
#[tensor_op]
pub(crate) fn masked_scatter_flat(
    input: AnyTensor![n],
    mask: BoolTensor![n],
    source: AnyTensor![m],
) -> AnyTensor![n] {
    let place = cumsum(cast(mask, int), n) - 1;
    select(mask, at(source, m = select(mask, place, 0)), input)
}
