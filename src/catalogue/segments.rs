//! Reductions of the elements that have one index: sums over segments, counts, and what graphs and mixtures
//! of experts need.
//!
//! Indices need not be sorted. One that is out of range is an `Err`. Results have the same bits each time.

use crate::tensor_op;

/// How often each index from 0 to `size - 1` occurs. `torch.bincount(input, minlength=size)`.
///
/// ```
/// use tensor_op::catalogue::segments::bincount;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let ids = Tensor::from_vec(vec![0_i64, 2, 2], [3], &Device::default())?;
/// assert_eq!(bincount(&ids, 4)?.to_vec::<i64>()?, [1, 0, 2, 0]);
/// assert!(bincount(&ids, 2).is_err());
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn bincount(input: IntTensor![n], size: usize) -> IntTensor![size] {
    scatter_add(1, n, size = input)
}

/// The input, to whose rows `alpha` times the rows of the source are added. `torch.index_add` along the first
/// axis.
#[tensor_op(method(inherent))]
pub fn index_add(
    input: Tensor![m, ..],
    index: IntTensor![n],
    source: Tensor![n, ..],
    #[default(1.0)] alpha: f64,
) -> Tensor![m, ..] {
    input + alpha * scatter_add(source, n, m = index)
}

/// The sum of the rows of each segment; `ids` has the segment of each row.
///
/// ```
/// use tensor_op::catalogue::segments::segment_sum;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// # let device = Device::default();
/// let x = Tensor::from_vec(vec![1.0, 2.0, 4.0], [3], &device)?;
/// let ids = Tensor::from_vec(vec![1_i64, 0, 1], [3], &device)?;
/// assert_eq!(segment_sum(&x, &ids, 3)?.to_vec::<f64>()?, [2.0, 5.0, 0.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = segment_sum_burn)]
pub fn segment_sum(x: Tensor![n, ..], ids: IntTensor![n], segments: usize) -> Tensor![segments, ..] {
    scatter_add(x, n, segments = ids)
}

/// The mean of the rows of each segment, 0 where it has none.
#[tensor_op]
pub fn segment_mean(x: Tensor![n, ..], ids: IntTensor![n], segments: usize) -> Tensor![segments, ..] {
    scatter_mean(x, n, segments = ids)
}

/// The largest elements of the rows of each segment, `empty` where it has none. Equal elements share the
/// gradient.
#[tensor_op]
pub fn segment_max(
    x: Tensor![n, ..],
    ids: IntTensor![n],
    segments: usize,
    #[default(0.0)] empty: f64,
) -> Tensor![segments, ..] {
    select(scatter_add(1, n, segments = ids) > 0, scatter_max(x, n, segments = ids), empty)
}

/// The softmax over the elements of each segment: attention over the edges of a graph.
#[tensor_op]
pub fn segment_softmax(x: Tensor![n, ..], ids: IntTensor![n], segments: usize) -> Tensor![n, ..] {
    let largest = scatter_max(stop_grad(x), n, segments = ids);
    let e = exp(x - at(largest, segments = ids));
    e / at(scatter_add(e, n, segments = ids), segments = ids)
}
