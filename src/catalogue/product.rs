//! Products of vectors and matrices, and distances. Names and arguments are PyTorch's. A matrix product of
//! any batch, and the linear layer, are in [`nn`](super::nn). An `einsum` is a formula of its own: see the
//! [README](https://github.com/tensor-op/tensor-op). [`einsum`](crate::einsum) takes one as a string.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
//! assert_eq!(x.dot(&x)?.item::<f64>()?, 5.0);
//! assert_eq!(x.outer(&x)?.to_vec::<f64>()?, [1.0, 2.0, 2.0, 4.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::{IntoFloat, IntoOptionalTensor, IntoTensor, Result, Tensor, tensor_op};

/// The sum of the products of two vectors. `torch.dot`.
#[tensor_op(method(inherent))]
pub fn dot(input: Tensor![k], tensor: Tensor![k]) -> Tensor![] {
    sum(input * tensor, k)
}

/// The sum of the products along an axis. `torch.linalg.vecdot`.
#[tensor_op(method(inherent))]
pub fn vecdot(input: Tensor, other: Tensor, #[default(-1)] dim: Axis) -> Tensor {
    sum(input * other, dim)
}

/// All products of two vectors. `torch.outer`.
#[tensor_op(method(inherent))]
pub fn outer(input: Tensor![m], vec2: Tensor![n]) -> Tensor![m, n] {
    input * vec2
}

/// All products of the elements of two matrices, in blocks. `torch.kron`.
#[tensor_op(method(inherent))]
pub fn kron(input: Tensor![m, n], other: Tensor![p, q]) -> Tensor![(m, p), (n, q)] {
    input * other
}

/// A matrix times a vector. `torch.mv`.
#[tensor_op(method(inherent))]
pub fn mv(input: Tensor![.., m, k], vec: Tensor![k]) -> Tensor![.., m] {
    sum(input * vec, k)
}

/// `beta input + alpha (mat1 mat2)`, where `input` has the size of the product. `torch.addmm`.
#[tensor_op(method(inherent))]
pub fn addmm(
    input: Tensor![m, n],
    mat1: Tensor![m, k],
    mat2: Tensor![k, n],
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Tensor![m, n] {
    select(beta == 0.0, 0.0, beta * input) + alpha * sum(mat1 * mat2, k)
}

/// `beta input + alpha (mat vec)`. `torch.addmv`.
#[tensor_op(method(inherent))]
pub fn addmv(
    input: Tensor![m],
    mat: Tensor![m, k],
    vec: Tensor![k],
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Tensor![m] {
    select(beta == 0.0, 0.0, beta * input) + alpha * sum(mat * vec, k)
}

/// `beta input + alpha` times all products of two vectors. `torch.addr`.
#[tensor_op(method(inherent))]
pub fn addr(
    input: Tensor![m, n],
    vec1: Tensor![m],
    vec2: Tensor![n],
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Tensor![m, n] {
    select(beta == 0.0, 0.0, beta * input) + alpha * vec1 * vec2
}

/// `beta input + alpha` times the products of each batch. `torch.baddbmm`.
#[tensor_op(method(inherent))]
pub fn baddbmm(
    input: Tensor![b, m, n],
    batch1: Tensor![b, m, k],
    batch2: Tensor![b, k, n],
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Tensor![b, m, n] {
    select(beta == 0.0, 0.0, beta * input) + alpha * sum(batch1 * batch2, k)
}

/// `beta input + alpha` times the sum of the products of all batches. `torch.addbmm`.
#[tensor_op(method(inherent))]
pub fn addbmm(
    input: Tensor![m, n],
    batch1: Tensor![b, m, k],
    batch2: Tensor![b, k, n],
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Tensor![m, n] {
    select(beta == 0.0, 0.0, beta * input) + alpha * sum(batch1 * batch2, (b, k))
}

/// A form that is linear in each of two vectors. `torch.nn.functional.bilinear`.
#[tensor_op(method(inherent))]
pub fn bilinear(
    input1: Tensor![.., i],
    input2: Tensor![.., j],
    weight: Tensor![o, i, j],
    bias: Option<Tensor![o]>,
) -> Tensor![.., o] {
    sum(sum(input1 * weight, i) * input2, j) + bias.unwrap_or(0.0)
}

/// The cross product of vectors with three elements. `torch.linalg.cross`.
#[tensor_op(method(inherent))]
pub fn cross(input: Tensor![.., n = 3], other: Tensor![.., n = 3]) -> Tensor![.., n = 3] {
    at(input, n = wrap(n + 1)) * at(other, n = wrap(n + 2))
        - at(input, n = wrap(n + 2)) * at(other, n = wrap(n + 1))
}

/// The Euclidean distances of the rows of two matrices. `torch.cdist`.
#[tensor_op(method(inherent))]
pub fn cdist(x1: Tensor![.., m, d], x2: Tensor![.., n, d]) -> Tensor![.., m, n] {
    norm(x1 - x2, d)
}

/// The Euclidean distances of each row and those behind it: of the rows 0 and 1, 0 and 2, .., 1 and 2, ..
/// `torch.nn.functional.pdist`.
///
/// ```
/// use tensor_op::catalogue::product::pdist;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]);
/// assert_eq!(pdist(&x)?.to_vec::<f64>()?, [5.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn pdist(input: Tensor![n, d]) -> Tensor![pairs = n * (n - 1) / 2] {
    let start = iota(n) * (2 * len(n) - iota(n) - 1) / 2;
    let first = searchsorted(start, iota(pairs), n, right = true) - 1;
    let second = first + 1 + iota(pairs) - first * (2 * len(n) - first - 1) / 2;
    norm(at(input, n = first) - at(input, n = second), d)
}

/// The covariances of variables, of which each row has the observations. A vector is one variable, and one
/// variable has its variance, without axes. `fweights` has ints: how often each observation was made;
/// `aweights` has numbers: how much it counts. The sum of products is divided by the number of observations
/// less `correction`, 1 if it is `None`. `torch.cov`.
///
/// ```
/// use tensor_op::catalogue::product::cov;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]);
/// assert_eq!(cov(&x, None, None, None)?.to_vec::<f64>()?, [1.0, -1.0, -1.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// More than two axes, and weights of another length than the observations.
pub fn cov(
    input: impl IntoTensor,
    correction: impl IntoFloat<Option<f64>>,
    fweights: impl IntoOptionalTensor,
    aweights: impl IntoOptionalTensor,
) -> Result<Tensor> {
    let input = input.into_tensor()?;
    of_variables(&input, |rows| covariance(rows, fweights, aweights, correction))
        .map_err(|error| error.renamed("cov"))
}

/// The correlations of variables, of which each row has the observations: covariances divided by both
/// standard deviations. A vector is one variable, and one variable has a result without axes.
/// `torch.corrcoef`.
///
/// # Errors
///
/// More than two axes.
pub fn corrcoef(input: impl IntoTensor) -> Result<Tensor> {
    of_variables(&input.into_tensor()?, correlation).map_err(|error| error.renamed("corrcoef"))
}

impl Tensor {
    /// [`cov`] of this tensor.
    pub fn cov(
        &self,
        correction: impl IntoFloat<Option<f64>>,
        fweights: impl IntoOptionalTensor,
        aweights: impl IntoOptionalTensor,
    ) -> Result<Tensor> {
        cov(self, correction, fweights, aweights)
    }

    /// [`corrcoef`] of this tensor.
    pub fn corrcoef(&self) -> Result<Tensor> {
        corrcoef(self)
    }
}

/// Runs an op of rows, of which one is a vector.
fn of_variables(input: &Tensor, op: impl FnOnce(Tensor) -> Result<Tensor>) -> Result<Tensor> {
    let rows = if input.rank() < 2 { input.reshape([1, input.elements()])? } else { input.clone() };
    let found = op(rows)?;
    if found.elements() == 1 { found.reshape([0_usize; 0]) } else { Ok(found) }
}

/// The covariances of rows.
#[tensor_op]
pub(crate) fn covariance(
    input: Tensor![i, n],
    fweights: Option<IntTensor![n]>,
    aweights: Option<Tensor![n]>,
    #[default(1.0)] correction: f64,
) -> Tensor![i, j = i] {
    let importance = aweights.unwrap_or(1.0);
    let weight = cast(fweights.unwrap_or(1), float) * importance + cast(0 * iota(n), float);
    let total = sum(weight, n);
    let centered = input - sum(input * weight, n) / total;
    let other = at(centered, i = iota(j = len(i)));
    let count = total - correction * sum(weight * importance, n) / total;
    sum(centered * weight * other, n) / maximum(count, 0.0)
}

/// The correlations of rows.
#[tensor_op]
pub(crate) fn correlation(input: Tensor![i, n]) -> Tensor![i, j = i] {
    let centered = input - mean(input, n);
    let other = at(centered, i = iota(j = len(i)));
    clamp(sum(centered * other, n) / norm(centered, n) / norm(other, n), -1.0, 1.0)
}
