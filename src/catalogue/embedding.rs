//! Rows of a table by index: embeddings, and bags of them, of which each becomes one row. Names and arguments
//! are PyTorch's.
//!
//! ```
//! use tensor_op::catalogue::embedding::{BagMode, embedding, embedding_bag};
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let table = Tensor::from([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
//! assert_eq!(embedding(Tensor::from([2, 0]), &table, None)?.to_vec::<f64>()?, [5.0, 6.0, 1.0, 2.0]);
//! // The first bag has the rows 0 and 1, the second one the row 2.
//! let (ids, starts) = (Tensor::from([0, 1, 2]), Tensor::from([0, 2]));
//! let bags = embedding_bag(ids, &table, starts, BagMode::Sum, None, None, None)?;
//! assert_eq!(bags.to_vec::<f64>()?, [4.0, 6.0, 5.0, 6.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::along::named;
use super::nn;
use crate::{Error, ErrorKind, IntoOptionalTensor, IntoTensor, Result, Tensor, tensor_op};

/// How the rows of a bag become one. PyTorch's argument `mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BagMode {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The largest element of each column. Equal elements share the gradient.
    Max,
}

/// The rows of a table with these indices. The row `padding_idx` is read as others are, but gets no gradient,
/// so that training does not change it; a negative number counts from the last row.
/// `torch.nn.functional.embedding`.
///
/// [`nn::embedding`] is the formula without `padding_idx`, which other formulas can call.
///
/// # Errors
///
/// An index out of range, and a `padding_idx` that is no row.
pub fn embedding(
    input: impl IntoTensor,
    weight: impl IntoTensor,
    padding_idx: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (input, weight) = (input.into_tensor()?, weight.into_tensor()?);
    let found = || match padding_idx.into() {
        None => nn::embedding(weight, input),
        Some(row) => {
            let row = padding(&weight, row)?;
            embedding_with_padding(input, weight, row)
        }
    };
    found().map_err(|error| named(error, "embedding", "input"))
}

/// The sum, the mean or the maximum of the rows that each bag names. `torch.nn.functional.embedding_bag`.
///
/// An `input` of two axes has a bag in each row, without `offsets`. With one axis it has all bags one
/// behind the other, and `offsets` says in ascending order where each begins; the last one ends with
/// `input`. With `include_last_offset` there is one more offset: this end, whose value is not read. `None`
/// stands for the mean, and for `false`. In a sum each row is multiplied by its number of
/// `per_sample_weights`, which have the shape of `input`. What names the row `padding_idx` does not count.
/// A bag in which nothing counts is 0.
///
/// # Errors
///
/// An index out of range; a first offset that is not 0; offsets for an `input` of two axes, or none for one;
/// weights for a mean or a maximum; and a `padding_idx` that is no row.
pub fn embedding_bag(
    input: impl IntoTensor,
    weight: impl IntoTensor,
    offsets: impl IntoOptionalTensor,
    mode: impl Into<Option<BagMode>>,
    per_sample_weights: impl IntoOptionalTensor,
    include_last_offset: impl Into<Option<bool>>,
    padding_idx: impl Into<Option<i64>>,
) -> Result<Tensor> {
    let (input, weight, offsets) =
        (input.into_tensor()?, weight.into_tensor()?, offsets.into_optional_tensor()?);
    let (mode, scale) = (mode.into().unwrap_or(BagMode::Mean), per_sample_weights.into_optional_tensor()?);
    let has_end = include_last_offset.into().unwrap_or(false);
    let bags = || -> Result<Tensor> {
        let row = padding_idx.into().map_or(Ok(-1), |row| padding(&weight, row))?;
        let wrong = |arg, message: &str| Err(Error::new(ErrorKind::Rank, message).with_arg(arg));
        if scale.is_some() && mode != BagMode::Sum {
            return wrong("per_sample_weights", "are given, and only a sum takes them: pass `None`");
        }
        match (input.rank(), offsets) {
            (1, Some(offsets)) => {
                let offsets = if has_end { offsets.slice(0, ..-1)? } else { offsets };
                bags_by_offsets(input, weight, offsets, scale, row, mode)
            }
            (1, None) => wrong("offsets", "are not given, and `input` has one axis: say where bags begin"),
            (2, Some(_)) => wrong("offsets", "are given, and each row of `input` is a bag: pass `None`"),
            (2, None) if input.elements() == 0 => {
                let shape = [input.shape()[0], weight.shape().last().copied().unwrap_or(0)];
                Tensor::zeros(shape, weight.dtype(), &weight.device())
            }
            (2, None) => bags_by_rows(input, weight, scale, row, mode),
            (rank, _) => wrong("input", &format!("has {rank} axes; 1 or 2 are wanted")),
        }
    };
    bags().map_err(|error| named(error, "embedding_bag", "input"))
}

/// The row that a number means.
fn padding(weight: &Tensor, row: i64) -> Result<i64> {
    let rows = weight.shape().first().map_or(0, |rows| *rows as i64);
    let place = if row < 0 { row.saturating_add(rows) } else { row };
    if (0..rows).contains(&place) {
        return Ok(place);
    }
    let message = format!("is {row}, and `weight` has {rows} rows");
    Err(Error::new(ErrorKind::Index, message).with_arg("padding_idx"))
}

/// One row has no gradient.
#[tensor_op]
pub(crate) fn embedding_with_padding(
    input: IntTensor,
    weight: Tensor![v, d],
    padding: i64,
) -> Tensor![.., d] {
    let row = at(weight, v = input);
    select(input == padding, stop_grad(row), row)
}

/// Bags of one length. -1 is no padding.
#[tensor_op]
pub(crate) fn bags_by_rows(
    input: IntTensor![b, n],
    weight: Tensor![v, d],
    per_sample_weights: Option<Tensor![b, n]>,
    padding: i64,
    mode: BagMode,
) -> Tensor![b, d] {
    let counts = input != padding;
    let row = at(weight, v = input);
    match mode {
        BagMode::Sum => sum(select(counts, row * per_sample_weights.unwrap_or(1.0), 0.0), n),
        BagMode::Mean => sum(select(counts, row, 0.0), n) / maximum(sum(cast(counts, float), n), 1.0),
        BagMode::Max => select(any(counts, n), max(select(counts, row, -INFINITY), n), 0.0),
    }
}

/// Bags one behind the other. -1 is no padding.
#[tensor_op]
pub(crate) fn bags_by_offsets(
    input: IntTensor![n],
    weight: Tensor![v, d],
    offsets: IntTensor![b],
    per_sample_weights: Option<Tensor![n]>,
    padding: i64,
    mode: BagMode,
) -> Tensor![b, d] {
    let bag = searchsorted(offsets, iota(n), b, right = true) - 1;
    let counts = input != padding;
    let row = at(weight, v = input);
    let count = scatter_add(cast(counts, int), n, b = bag);
    match mode {
        BagMode::Sum => scatter_add(select(counts, row * per_sample_weights.unwrap_or(1.0), 0.0), n, b = bag),
        BagMode::Mean => scatter_add(select(counts, row, 0.0), n, b = bag) / cast(maximum(count, 1), float),
        BagMode::Max => select(count > 0, scatter_max(select(counts, row, -INFINITY), n, b = bag), 0.0),
    }
}
