//! Elements by index, and what indices become. Names are PyTorch's. `gather` reads along the last axis, and
//! `index_select` along the first one. A negative index counts from the end; one that is out of range is an
//! `Err`.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! # let device = Device::default();
//! let x = Tensor::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2], &device)?;
//! let ids = Tensor::from_vec(vec![1_i64, -1], [2], &device)?;
//! assert_eq!(x.index_select(&ids)?.to_vec::<f64>()?, [3.0, 4.0, 3.0, 4.0]);
//! assert_eq!(x.gather(ids.reshape([2, 1])?)?.to_vec::<f64>()?, [2.0, 4.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Elements of each row, by indices for that row. `torch.gather(input, -1, index)`.
#[tensor_op(method(inherent))]
pub fn gather(input: AnyTensor![.., n], index: IntTensor![.., m]) -> AnyTensor![.., m] {
    at(input, n = select(index < 0, index + len(n), index))
}

/// The rows with these indices. `torch.index_select(input, 0, index)`.
#[tensor_op(method(inherent))]
pub fn index_select(input: AnyTensor![n, ..], index: IntTensor![m]) -> AnyTensor![m, ..] {
    at(input, n = select(index < 0, index + len(n), index))
}

/// The tensor, and this value in the rows with these indices: in ints a whole number, in bools 0 or 1.
/// `torch.index_fill(input, 0, index, value)`.
#[tensor_op(method(inherent))]
pub fn index_fill(input: AnyTensor![n, ..], index: IntTensor![m], value: Number) -> AnyTensor![n, ..] {
    let named = scatter_add(1, m, n = select(index < 0, index + len(n), index));
    select(named > 0, value, input)
}

/// 1 at the place of each index, and 0 elsewhere. `torch.nn.functional.one_hot`.
#[tensor_op(method(inherent))]
pub fn one_hot(input: IntTensor, num_classes: usize) -> IntTensor![.., num_classes] {
    // The read checks the index.
    cast(at(iota(num_classes), num_classes = input) == iota(num_classes), int)
}

/// The sums of the rows of a table that each bag names. `torch.nn.functional.embedding_bag(mode="sum")`.
#[tensor_op]
pub fn embedding_bag(weight: Tensor![v, d], ids: IntTensor![.., n]) -> Tensor![.., d] {
    sum(at(weight, v = ids), n)
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
