//! Reductions of the elements that have one index: sums over segments, counts, and what graphs and mixtures
//! of experts need.
//!
//! Indices need not be sorted. One that is out of range is an `Err`. Results have the same bits each time.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

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

/// How many points lie in each field of a grid, whose fields lie between neighbouring edges. A field has its
/// lower edges, and the last fields have their upper edges too. Points outside of the grid are not counted.
/// `numpy.histogram2d(x, y, bins=[x_edges, y_edges])`.
///
/// ```
/// use tensor_op::catalogue::segments::histogram2d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// # let device = Device::default();
/// let x = Tensor::from_vec(vec![0.5, 0.5, 1.0, 7.0], [4], &device)?;
/// let y = Tensor::from_vec(vec![0.0, 2.0, 2.0, 1.0], [4], &device)?;
/// let edges = Tensor::from_vec(vec![0.0, 1.0, 2.0], [3], &device)?;
/// assert_eq!(histogram2d(&x, &y, &edges, &edges)?.to_vec::<i64>()?, [1, 1, 0, 1]);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn histogram2d(
    x: Tensor![n],
    y: Tensor![n],
    x_edges: Tensor![a],
    y_edges: Tensor![b],
) -> IntTensor![i = a - 1, j = b - 1] {
    let in_x = x >= at(x_edges, a = 0) && x <= at(x_edges, a = len(a) - 1);
    let in_y = y >= at(y_edges, b = 0) && y <= at(y_edges, b = len(b) - 1);
    let column = searchsorted(x_edges, x, a, right = true) - 1;
    let row = searchsorted(y_edges, y, b, right = true) - 1;
    let column = minimum(maximum(column, 0), len(i) - 1);
    let row = minimum(maximum(row, 0), len(j) - 1);
    scatter_add(cast(in_x && in_y, int), n, i = column, j = row)
}

/// The input, in which each value is added at its place: `i` along the first axis and `j` along the second
/// one. `input.index_put((i, j), values, accumulate=True)` of PyTorch.
///
/// ```
/// use tensor_op::catalogue::segments::index_put_add;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// # let device = Device::default();
/// let x = Tensor::ones([2, 2], DType::F64, &device)?;
/// let values = Tensor::from_vec(vec![1.0, 2.0, 4.0], [3], &device)?;
/// let ids = |ids: [i64; 3]| Tensor::from_vec(ids.to_vec(), [3], &device);
/// let y = index_put_add(&x, ids([0, 1, 0])?, ids([1, 0, 1])?, &values)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 6.0, 3.0, 1.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn index_put_add(
    input: Tensor![s, t, ..],
    i: IntTensor![n],
    j: IntTensor![n],
    values: Tensor![n, ..],
) -> Tensor![s, t, ..] {
    input + scatter_add(values, n, s = i, t = j)
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
