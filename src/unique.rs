//! The different values of a tensor. How many there are depends on the values, so no formula has a dim of
//! this size: it is read from the device between two ops.

use crate::{DType, IntoTensor, Result, Tensor, tensor_op};

/// The different values of a tensor: what [`unique`] and [`unique_consecutive`] return.
#[derive(Clone, Debug)]
pub struct Unique {
    /// The values, on one axis. The gradient of a value goes to the first element that has it.
    pub values: Tensor,
    /// For each element of the tensor, the place of its value. It has the shape of the tensor.
    pub inverse: Tensor,
    /// For each value, how many elements have it.
    pub counts: Tensor,
}

/// The different values of a tensor in ascending order. `torch.unique(sorted=True, return_inverse=True,
/// return_counts=True)`.
///
/// As in PyTorch, each NaN is a value of its own, behind all numbers, and -0 is equal to 0; the value is then
/// the first of them. The number of values is read from the device.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::unique;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![3_i64, 1, 3, 2], [2, 2], &Device::default())?;
/// let found = unique(&x)?;
/// assert_eq!(found.values.to_vec::<i64>()?, [1, 2, 3]);
/// assert_eq!(found.inverse.to_vec::<i64>()?, [2, 0, 2, 1]);
/// assert_eq!(found.counts.to_vec::<i64>()?, [1, 1, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the argument, or of the device.
pub fn unique(x: impl IntoTensor) -> Result<Unique> {
    let x = x.into_tensor()?;
    let flat = flat(&x)?;
    let (order, run) = sorted_runs(&flat)?;
    let inverse = moved(&run, &order)?;
    let (first, counts) = lengths(&run, count(&run)?)?;
    of_places(&x, &flat, element(order, first)?, inverse, counts)
}

/// The values of a tensor, row-major, without those that are equal to the value before.
/// `torch.unique_consecutive(return_inverse=True, return_counts=True)`.
///
/// Values are equal as in [`unique`].
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::unique_consecutive;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![3.0, 3.0, 1.0, 3.0], [4], &Device::default())?;
/// let found = unique_consecutive(&x)?;
/// assert_eq!(found.values.to_vec::<f64>()?, [3.0, 1.0, 3.0]);
/// assert_eq!(found.inverse.to_vec::<i64>()?, [0, 0, 1, 2]);
/// assert_eq!(found.counts.to_vec::<i64>()?, [2, 1, 1]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the argument, or of the device.
pub fn unique_consecutive(x: impl IntoTensor) -> Result<Unique> {
    let x = x.into_tensor()?;
    let flat = flat(&x)?;
    let run = runs(&flat)?;
    let (first, counts) = lengths(&run, count(&run)?)?;
    of_places(&x, &flat, first, run, counts)
}

/// The different slices of a tensor along an axis, in ascending order: the first element in which two slices
/// differ says which one comes first. `torch.unique(dim=dim, return_inverse=True, return_counts=True)`.
///
/// Values are equal as in [`unique`]. The result has the slices along the same axis.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::unique_dim;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[2.0, 1.0], [1.0, 3.0], [2.0, 1.0]]);
/// let found = unique_dim(&x, 0)?;
/// assert_eq!(found.values.shape().to_vec(), [2, 2]);
/// assert_eq!(found.values.to_vec::<f64>()?, [1.0, 3.0, 2.0, 1.0]);
/// assert_eq!(found.inverse.to_vec::<i64>()?, [1, 0, 1]);
/// assert_eq!(found.counts.to_vec::<i64>()?, [1, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the argument, an axis out of range, or the error of the device.
pub fn unique_dim(x: impl IntoTensor, dim: i64) -> Result<Unique> {
    let x = x.into_tensor()?;
    let slices = Slices::new(&x, dim, "unique_dim")?;
    let mut order = Tensor::arange(0, slices.count() as i64, 1, &x.device())?;
    // Each sort keeps the order of the columns behind its own, because sorts are stable.
    for column in (0..slices.rows.shape()[1]).rev() {
        order = sorted_by(slices.rows.select(1, column as i64)?, order)?;
    }
    let run = runs_of_rows(rows_at(&slices.rows, &order)?)?;
    let inverse = moved(&run, &order)?;
    let (first, counts) = lengths(&run, count(&run)?)?;
    Ok(Unique { values: slices.at(element(order, first)?)?, inverse, counts })
}

/// The slices of a tensor along an axis, without those that are equal to the slice before.
/// `torch.unique_consecutive(dim=dim, return_inverse=True, return_counts=True)`.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::unique_consecutive_dim;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[2.0, 2.0, 1.0], [0.0, 0.0, 0.0]]);
/// let found = unique_consecutive_dim(&x, 1)?;
/// assert_eq!(found.values.to_vec::<f64>()?, [2.0, 1.0, 0.0, 0.0]);
/// assert_eq!(found.counts.to_vec::<i64>()?, [2, 1]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the argument, an axis out of range, or the error of the device.
pub fn unique_consecutive_dim(x: impl IntoTensor, dim: i64) -> Result<Unique> {
    let x = x.into_tensor()?;
    let slices = Slices::new(&x, dim, "unique_consecutive_dim")?;
    let run = runs_of_rows(&slices.rows)?;
    let (first, counts) = lengths(&run, count(&run)?)?;
    Ok(Unique { values: slices.at(first)?, inverse: run, counts })
}

/// The slices of a tensor along an axis, as rows.
struct Slices {
    /// `[slices, elements]`. Bools are numbers, because they are sorted.
    rows: Tensor,
    /// The shape of the tensor whose first axis is that of the slices.
    shape: Vec<usize>,
    dim: i64,
    dtype: DType,
}

impl Slices {
    fn new(x: &Tensor, dim: i64, op: &str) -> Result<Slices> {
        let first = moved_axis(x, dim, true).map_err(|error| error.with_op(op))?;
        let shape = first.shape().to_vec();
        let rows = first.reshape([shape[0], shape[1..].iter().product()])?;
        let rows = if x.dtype() == DType::Bool { rows.cast(DType::U8)? } else { rows };
        Ok(Slices { rows, shape, dim, dtype: x.dtype() })
    }

    fn count(&self) -> usize {
        self.shape[0]
    }

    /// Some of the slices, along the axis where they were.
    fn at(&self, places: Tensor) -> Result<Tensor> {
        let shape = [&[places.elements()], &self.shape[1..]].concat();
        let rows = rows_at(&self.rows, places)?.reshape(shape)?.cast(self.dtype)?;
        moved_axis(&rows, self.dim, false)
    }
}

/// The tensor with an axis moved to the first place, or from there to its own.
fn moved_axis(x: &Tensor, dim: i64, is_first: bool) -> Result<Tensor> {
    let (mut axes, dim): (Vec<i64>, usize) = ((0..x.rank() as i64).collect(), x.shape().axis(dim)?);
    if is_first {
        axes[..=dim].rotate_right(1);
    } else {
        axes[..=dim].rotate_left(1);
    }
    x.permute(axes)
}

/// All elements on one axis. Bools are numbers, because they are sorted.
fn flat(x: &Tensor) -> Result<Tensor> {
    let flat = x.reshape([x.elements()])?;
    if x.dtype() == DType::Bool { flat.cast(DType::U8) } else { Ok(flat) }
}

/// The number of runs, of which the last element has the last one.
fn count(run: &Tensor) -> Result<usize> {
    if run.elements() == 0 {
        return Ok(0);
    }
    let last: i64 = run.slice(0, -1..)?.item()?;
    Ok(last as usize + 1)
}

fn of_places(x: &Tensor, flat: &Tensor, place: Tensor, inverse: Tensor, counts: Tensor) -> Result<Unique> {
    let values = element(flat, place)?.cast(x.dtype())?;
    Ok(Unique { values, inverse: inverse.reshape(x.shape())?, counts })
}

/// For each element, in which run of equal elements it is.
#[tensor_op]
fn runs(x: NumTensor![n]) -> IntTensor![n] {
    cumsum(cast(iota(n) > 0 && x != at(x, n = n - 1, or = 0), int), n)
}

/// For each row, in which run of equal rows it is.
#[tensor_op]
fn runs_of_rows(x: NumTensor![n, k]) -> IntTensor![n] {
    cumsum(cast(iota(n) > 0 && any(x != at(x, n = n - 1, or = 0), k), int), n)
}

/// Positions of rows in the order of a column; those whose elements are equal stay in their order.
#[tensor_op]
fn sorted_by(column: NumTensor![n], order: IntTensor![n]) -> IntTensor![n] {
    at(order, n = argsort(at(column, n = order), n))
}

/// The positions of the elements in their order, and the runs of the sorted elements.
#[tensor_op]
fn sorted_runs(x: NumTensor![n]) -> (IntTensor![n], IntTensor![n]) {
    let order = argsort(x, n);
    (order, self::runs(at(x, n = order)))
}

/// Where each run begins, and how long it is.
#[tensor_op]
fn lengths(run: IntTensor![n], count: usize) -> (IntTensor![count], IntTensor![count]) {
    let first = searchsorted(run, iota(count), n);
    (first, searchsorted(run, iota(count), n, right = true) - first)
}

/// Each element at its place.
#[tensor_op]
fn moved(x: IntTensor![n], place: IntTensor![n]) -> IntTensor![n] {
    scatter_add(x, n, n = place)
}

#[tensor_op]
fn element(x: NumTensor![n], place: IntTensor![m]) -> NumTensor![m] {
    at(x, n = place)
}

#[tensor_op]
fn rows_at(x: NumTensor![n, k], place: IntTensor![m]) -> NumTensor![m, k] {
    at(x, n = place)
}
