//! Sorting along an axis, and what follows from the order of elements.
//!
//! Names and arguments are PyTorch's. NaN is larger than any number, so it comes last, or first if the order
//! is descending. Equal elements keep their order. Gradients go to the elements that were chosen.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::{Error, IntoTensor, Result, Tensor, tensor_op};

/// The elements along an axis in their order, and where they were. `torch.sort(stable=True)`.
///
/// ```
/// use tensor_op::catalogue::sort::sort;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![3.0, 1.0, 2.0], [3], &Device::default())?;
/// let (values, indices) = sort(&x, None, None)?;
/// assert_eq!(values.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// assert_eq!(indices.to_vec::<i64>()?, [1, 2, 0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = sort_burn)]
pub fn sort(
    input: NumTensor,
    #[default(-1)] dim: Axis,
    #[default(false)] descending: bool,
) -> (NumTensor, IntTensor) {
    let order = if descending {
        argsort(stop_grad(input), dim, descending = true)
    } else {
        argsort(stop_grad(input), dim)
    };
    (at(input, dim = order), order)
}

/// The positions of the elements along an axis in their order. `torch.argsort(stable=True)`.
///
/// ```
/// use tensor_op::catalogue::sort::argsort;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(argsort(Tensor::from([3.0, 1.0, 2.0]), None, None)?.to_vec::<i64>()?, [1, 2, 0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn argsort(input: NumTensor, #[default(-1)] dim: Axis, #[default(false)] descending: bool) -> IntTensor {
    if descending { argsort(input, dim, descending = true) } else { argsort(input, dim) }
}

/// The elements along the first axis in ascending order. `torch.msort`.
#[tensor_op(method(inherent))]
pub fn msort(input: NumTensor![n, ..]) -> NumTensor![n, ..] {
    sort(input, n)
}

/// The `k` largest elements along an axis, the last one by default, the largest first, and where they were;
/// with `largest = false` the smallest ones. `torch.topk`, whose order without `sorted` is any: here it is
/// always sorted.
///
/// ```
/// use tensor_op::catalogue::sort::topk;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let logits = Tensor::from_vec(vec![0.1, 0.7, 0.0, 0.2], [4], &Device::default())?;
/// let (values, indices) = topk(&logits, 2, None, None, None)?;
/// assert_eq!(values.to_vec::<f64>()?, [0.7, 0.2]);
/// assert_eq!(indices.to_vec::<i64>()?, [1, 3]);
/// assert!(topk(&logits, 5, None, None, None).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There is no such axis, or it has fewer elements.
pub fn topk(
    input: impl IntoTensor,
    k: usize,
    dim: impl Into<Option<i64>>,
    largest: impl Into<Option<bool>>,
    sorted: impl Into<Option<bool>>,
) -> Result<(Tensor, Tensor)> {
    let (input, dim, largest) = (input.into_tensor()?, dim.into().unwrap_or(-1), largest.into());
    let _any_order = sorted.into();
    let run = || {
        let (values, indices) = topk_of_last(input.transpose(dim, -1)?, k, largest)?;
        Ok((values.transpose(dim, -1)?, indices.transpose(dim, -1)?))
    };
    run().map_err(|error: Error| error.renamed("topk"))
}

impl Tensor {
    /// [`catalogue::sort::topk`](topk) as a method.
    pub fn topk(
        &self,
        k: usize,
        dim: impl Into<Option<i64>>,
        largest: impl Into<Option<bool>>,
        sorted: impl Into<Option<bool>>,
    ) -> Result<(Tensor, Tensor)> {
        self::topk(self, k, dim, largest, sorted)
    }
}

/// [`topk`] along the last axis.
#[tensor_op(burn = topk_burn)]
pub fn topk_of_last(
    input: NumTensor![.., n],
    k: usize,
    #[default(true)] largest: bool,
) -> (NumTensor![.., k], IntTensor![.., k]) {
    let order = if largest {
        argsort(stop_grad(input), n, first = k, descending = true)
    } else {
        argsort(stop_grad(input), n, first = k)
    };
    (at(input, n = order), order)
}

/// The `k`th smallest element along an axis, counted from 1, and where it was. `torch.kthvalue`.
///
/// ```
/// use tensor_op::catalogue::sort::kthvalue;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (value, position) = kthvalue(Tensor::from([3.0, 1.0, 2.0]), 2, None)?;
/// assert_eq!((value.item::<f64>()?, position.item::<i64>()?), (2.0, 2));
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn kthvalue(input: NumTensor, k: usize, #[default(-1)] dim: Axis) -> (NumTensor, IntTensor) {
    let place = at(argsort(stop_grad(input), dim, first = k), k = len(k) - 1);
    (at(input, dim = place), place)
}

/// The middle element along an axis, the smaller one of two, and where it was. NaN if there is one.
/// `torch.median`.
///
/// ```
/// use tensor_op::catalogue::sort::median;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (value, position) = median(Tensor::from([3.0, 1.0, 2.0]), None)?;
/// assert_eq!((value.item::<f64>()?, position.item::<i64>()?), (2.0, 2));
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn median(input: NumTensor, #[default(-1)] dim: Axis) -> (NumTensor, IntTensor) {
    let fixed = stop_grad(input);
    let order = argsort(fixed, dim);
    // Only NaN differs from itself.
    let numbers = sum(cast(fixed == fixed, int), dim);
    // Behind the numbers stands the first NaN.
    let middle = select(numbers == len(dim), (len(dim) - 1) / 2, numbers);
    let place = at(order, dim = middle);
    (at(input, dim = place), place)
}

/// The middle one of the elements along an axis that are no NaN, and where it was. `torch.nanmedian`.
#[tensor_op(method(inherent))]
pub fn nanmedian(input: NumTensor, #[default(-1)] dim: Axis) -> (NumTensor, IntTensor) {
    let fixed = stop_grad(input);
    // Only NaN differs from itself.
    let numbers = sum(cast(fixed == fixed, int), dim);
    let place = at(argsort(fixed, dim), dim = maximum(numbers - 1, 0) / 2);
    (at(input, dim = place), place)
}

/// The value below which the fraction `q` of the elements along an axis lies, linear between the two nearest
/// ones. NaN if there is one. `torch.quantile` for one `q` and one `dim`; a `q` that is not from 0 to 1 is an
/// `Err`.
///
/// ```
/// use tensor_op::catalogue::sort::quantile;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![4.0, 1.0, 2.0], [3], &Device::default())?;
/// assert_eq!(quantile(&x, 0.75, None)?.to_vec::<f64>()?, [3.0]);
/// assert!(quantile(&x, 1.01, None).is_err());
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn quantile(input: Tensor, q: Fraction, #[default(-1)] dim: Axis) -> Tensor {
    quantile(input, q, dim)
}

/// For each value, how many elements of a sorted row are smaller; with `right` smaller or equal.
/// `torch.searchsorted`.
///
/// ```
/// use tensor_op::catalogue::sort::searchsorted;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// # let device = Device::default();
/// let edges = Tensor::from_vec(vec![1.0, 3.0, 5.0], [3], &device)?;
/// let x = Tensor::from_vec(vec![0.0, 3.0, 9.0], [3], &device)?;
/// assert_eq!(searchsorted(&edges, &x, None)?.to_vec::<i64>()?, [0, 1, 3]);
/// assert_eq!(searchsorted(&edges, &x, true)?.to_vec::<i64>()?, [0, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn searchsorted(
    sorted_sequence: NumTensor![.., n],
    input: NumTensor![.., m],
    #[default(false)] right: bool,
) -> IntTensor![.., m] {
    if right {
        searchsorted(sorted_sequence, input, n, right = true)
    } else {
        searchsorted(sorted_sequence, input, n)
    }
}

/// For each element, in which interval of sorted boundaries it lies. `torch.bucketize`.
#[tensor_op(method(inherent))]
pub fn bucketize(input: NumTensor, boundaries: NumTensor![n], #[default(false)] right: bool) -> IntTensor {
    if right { searchsorted(boundaries, input, n, right = true) } else { searchsorted(boundaries, input, n) }
}
