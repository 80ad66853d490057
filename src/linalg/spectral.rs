//! Orthogonal factors: of columns, of symmetric matrices, and of any matrix.

use super::matrices::{
    batch, check_finite, check_matrix, check_square, each, ends, eye, no_convergence, transposed,
};
use super::triangular::solve_triangular;
use crate::catalogue::movement::{diag_embed, triu};
use crate::catalogue::nn::matmul;
use crate::catalogue::{math, reduce};
use crate::host::on_host;
use crate::{Arrived, Function, IntoTensor, Result, Tensor, apply};
use faer::{Mat, MatRef, Side};

/// The factors `q` and `r` of each matrix of a batch: `a = q r`, where the columns of `q` are orthogonal and
/// have length 1, and `r` is an upper triangle. `torch.linalg.qr`, with `mode="reduced"`.
///
/// `a` is `[.., m, n]`, `q` is `[.., m, k]` and `r` is `[.., k, n]`, where `k` is the smaller of `m` and `n`.
/// The signs of the columns of `q` are free, so use only what does not depend on them. The gradient needs
/// that the first `k` columns of `a` are independent (Roberts and Roberts, "QR and LQ decomposition matrix
/// backpropagation algorithms", 2020); else it has infinities or NaN, as in PyTorch.
///
/// ```
/// use tensor_op::catalogue::nn::matmul;
/// use tensor_op::linalg::qr;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (q, r) = qr(Tensor::from([[3.0, 1.0], [4.0, 2.0]]))?;
/// let product = matmul(q, &r)?.to_vec::<f64>()?;
/// assert!(product.iter().zip([3.0, 1.0, 4.0, 2.0]).all(|(found, a)| (found - a).abs() < 1e-12));
/// assert!((r.to_vec::<f64>()?[0].abs() - 5.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A tensor with fewer than two axes, or a dtype other than f32 and f64.
pub fn qr(a: impl IntoTensor) -> Result<(Tensor, Tensor)> {
    let [q, r] = on_host("qr", [a.into_tensor()?], |[a]| {
        check_matrix("a", a)?;
        let [rows, columns] = ends(a);
        if rows >= columns {
            return factored(Qr, a);
        }
        // The columns behind the square part are products with its `q`.
        let [q, r] = factored(Qr, &a.slice(-1, ..rows as i64)?)?;
        let rest = matmul(transposed(&q)?, a.slice(-1, rows as i64..)?)?;
        Ok([q, Tensor::cat(&[r, rest], -1)?])
    })?;
    Ok((q, r))
}

/// All results of a function of one matrix.
fn factored<const M: usize>(function: impl Function<Tensor>, a: &Tensor) -> Result<[Tensor; M]> {
    let results = apply(function, std::slice::from_ref(a))?;
    let Ok(results) = results.try_into() else { unreachable!("the function gives {M} results") };
    Ok(results)
}

/// The columns are at most as many as the rows.
struct Qr;

impl Function<Tensor> for Qr {
    fn name(&self) -> &str {
        "qr"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let [rows, columns] = ends(&inputs[0]);
        each(&[&inputs[0]], [[rows, columns], [columns, columns]], |m| {
            let found = m[0].qr();
            let (q, r) = (found.compute_thin_Q(), found.thin_R());
            Ok([q, Mat::from_fn(columns, columns, |i, j| if i <= j { r[(i, j)] } else { 0.0 })])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let (q, r) = (&call.results[0], &call.results[1]);
        let (of_q, of_r) = (&call.gradients[0], &call.gradients[1]);
        let from_q = of_q.as_ref().map(|of_q| matmul(transposed(q)?, of_q)).transpose()?;
        let from_r = of_r.as_ref().map(|of_r| matmul(of_r, transposed(r)?)).transpose()?;
        let inner = match (from_r, from_q) {
            (Some(from_r), Some(from_q)) => (from_r - from_q)?,
            (Some(from_r), None) => from_r,
            (None, Some(from_q)) => (-from_q)?,
            (None, None) => return Ok(vec![None]),
        };
        let symmetric = (triu(&inner, 0)? + transposed(&triu(inner, 1)?)?)?;
        let product = matmul(q, symmetric)?;
        let sum = match of_q {
            Some(of_q) => (product + of_q)?,
            None => product,
        };
        Ok(vec![Some(solve_triangular(transposed(r)?, sum, false, false, false)?)])
    }
}

/// The eigenvalues of each symmetric matrix of a batch, in ascending order, and its eigenvectors, which are
/// the columns of the second result. `torch.linalg.eigh`.
///
/// `a` is `[.., n, n]`, of which the lower triangle is read, or the upper one if `upper` (PyTorch's
/// `UPLO="U"`). The values are `[.., n]`, the vectors `[.., n, n]`. The signs of the vectors are free, so use
/// only what does not depend on them.
///
/// The gradient is that of Giles 2008, and symmetric. Where two eigenvalues are equal, their vectors have no
/// gradient: it is infinite or NaN, as in PyTorch. The gradient of the values alone is always finite.
///
/// ```
/// use tensor_op::linalg::eigh;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (values, _) = eigh(Tensor::from([[2.0, 1.0], [1.0, 2.0]]), false)?;
/// let values = values.to_vec::<f64>()?;
/// assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 3.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is not square or has elements that are not finite, or a dtype other than f32 and f64.
pub fn eigh(a: impl IntoTensor, upper: bool) -> Result<(Tensor, Tensor)> {
    let [values, vectors] = on_host("eigh", [a.into_tensor()?], |[a]| {
        check_square("a", a)?;
        let [values, vectors] = factored(Eigh { upper }, a)?;
        Ok([values.squeeze(-1)?, vectors])
    })?;
    Ok((values, vectors))
}

/// The eigenvalues of [`eigh`]. `torch.linalg.eigvalsh`.
///
/// ```
/// use tensor_op::linalg::eigvalsh;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(eigvalsh(Tensor::from([[3.0, 0.0], [0.0, 2.0]]), false)?.to_vec::<f64>()?, [2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`eigh`].
pub fn eigvalsh(a: impl IntoTensor, upper: bool) -> Result<Tensor> {
    Ok(eigh(a, upper).map_err(|error| error.renamed("eigvalsh"))?.0)
}

struct Eigh {
    upper: bool,
}

impl Function<Tensor> for Eigh {
    fn name(&self) -> &str {
        "eigh"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let [size, _] = ends(&inputs[0]);
        each(&[&inputs[0]], [[size, 1], [size, size]], |m| {
            let is_read = |i: usize, j: usize| if self.upper { i <= j } else { i >= j };
            if size == 0 {
                return Ok([Mat::zeros(0, 1), Mat::zeros(0, 0)]);
            }
            let element = |i, j| if is_read(i, j) { m[0][(i, j)] } else { m[0][(j, i)] };
            let a = Mat::from_fn(size, size, element);
            check_finite(a.as_ref())?;
            let found = a.self_adjoint_eigen(Side::Lower).map_err(|_| no_convergence())?;
            let values = found.S().column_vector();
            Ok([Mat::from_fn(size, 1, |i, _| values[i]), found.U().to_owned()])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let (values, v) = (call.results[0].squeeze(-1)?, &call.results[1]);
        let from_values = match &call.gradients[0] {
            Some(gradient) => Some(diag_embed(gradient.squeeze(-1)?, None, None, None)?),
            None => None,
        };
        let from_vectors = match &call.gradients[1] {
            Some(gradient) => {
                let turned = matmul(transposed(v)?, gradient)?;
                // Both triangles have the same share of the gradient.
                Some(over_gaps(&(0.5 * (&turned - transposed(&turned)?)?)?, &values)?)
            }
            None => None,
        };
        let Some(inner) = sum([from_values, from_vectors])? else { return Ok(vec![None]) };
        Ok(vec![Some(matmul(matmul(v, inner)?, transposed(v)?)?)])
    }
}

/// Each element off the diagonal over the difference of two values: that of its column minus that of its row.
fn over_gaps(x: &Tensor, values: &Tensor) -> Result<Tensor> {
    let own = eye(ends(x)[0], x)?;
    let gaps = (values.unsqueeze(-2)? - values.unsqueeze(-1)?)?;
    (x * (1.0 - &own)?)? / (gaps + own)?
}

/// The sum of those that are there.
fn sum<const N: usize>(parts: [Option<Tensor>; N]) -> Result<Option<Tensor>> {
    let mut parts = parts.into_iter().flatten();
    let Some(first) = parts.next() else { return Ok(None) };
    parts.try_fold(first, |sum, part| sum + part).map(Some)
}

/// The factors `u`, `s` and `vh` of each matrix of a batch: `a = u diag(s) vh`, where `s` is not negative and
/// descends, and the columns of `u` and the rows of `vh` are orthogonal and have length 1.
/// `torch.linalg.svd`, with `full_matrices=False`.
///
/// `a` is `[.., m, n]`, `u` is `[.., m, k]`, `s` is `[.., k]` and `vh` is `[.., k, n]`, where `k` is the
/// smaller of `m` and `n`. The signs of the vectors are free, so use only what does not depend on them.
///
/// The gradient is that of Giles 2008. Where two singular values are equal, or one is zero, the vectors have
/// no gradient: it is infinite or NaN, as in PyTorch. The gradient of the values alone is always finite.
///
/// ```
/// use tensor_op::linalg::svd;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (_, s, _) = svd(Tensor::from([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]))?;
/// assert_eq!(s.to_vec::<f64>()?, [3.0, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Elements that are not finite, or a dtype other than f32 and f64.
pub fn svd(a: impl IntoTensor) -> Result<(Tensor, Tensor, Tensor)> {
    let [u, s, vh] = on_host("svd", [a.into_tensor()?], |[a]| {
        check_matrix("a", a)?;
        let [u, s, vh] = factored(Svd, a)?;
        Ok([u, s.squeeze(-1)?, vh])
    })?;
    Ok((u, s, vh))
}

/// The singular values of [`svd`]. `torch.linalg.svdvals`.
///
/// ```
/// use tensor_op::linalg::svdvals;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(svdvals(Tensor::from([[0.0, 2.0], [3.0, 0.0]]))?.to_vec::<f64>()?, [3.0, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`svd`].
pub fn svdvals(a: impl IntoTensor) -> Result<Tensor> {
    Ok(svd(a).map_err(|error| error.renamed("svdvals"))?.1)
}

/// The factors of one matrix: `u`, the singular values, and `v`.
pub(super) fn factors(a: MatRef<'_, f64>) -> Result<(Mat<f64>, Vec<f64>, Mat<f64>)> {
    check_finite(a)?;
    let count = a.nrows().min(a.ncols());
    if count == 0 {
        return Ok((Mat::zeros(a.nrows(), 0), vec![], Mat::zeros(a.ncols(), 0)));
    }
    let found = a.thin_svd().map_err(|_| no_convergence())?;
    let s = found.S().column_vector();
    Ok((found.U().to_owned(), (0..count).map(|i| s[i]).collect(), found.V().to_owned()))
}

struct Svd;

impl Function<Tensor> for Svd {
    fn name(&self) -> &str {
        "svd"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let [rows, columns] = ends(&inputs[0]);
        let count = rows.min(columns);
        each(&[&inputs[0]], [[rows, count], [count, 1], [count, columns]], |m| {
            let (u, s, v) = factors(m[0])?;
            Ok([u, Mat::from_fn(count, 1, |i, _| s[i]), v.transpose().to_owned()])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let (u, s, vh) = (&call.results[0], call.results[1].squeeze(-1)?, &call.results[2]);
        let (v, squares) = (transposed(vh)?, (&s * &s)?);
        let from_s = match &call.gradients[1] {
            Some(gradient) => Some(diag_embed(gradient.squeeze(-1)?, None, None, None)?),
            None => None,
        };
        let (mut inner, mut outer) = ([from_s, None, None], [None, None, None]);
        if let Some(gradient) = &call.gradients[0] {
            let turned = matmul(transposed(u)?, gradient)?;
            let skew = over_gaps(&(&turned - transposed(&turned)?)?, &squares)?;
            inner[1] = Some((skew * s.unsqueeze(-2)?)?);
            if is_tall(u) {
                let rest = ((gradient - matmul(u, turned)?)? / s.unsqueeze(-2)?)?;
                outer[1] = Some(matmul(rest, vh)?);
            }
        }
        if let Some(gradient) = &call.gradients[2] {
            let turned = matmul(vh, transposed(gradient)?)?;
            let skew = over_gaps(&(&turned - transposed(&turned)?)?, &squares)?;
            inner[2] = Some((skew * s.unsqueeze(-1)?)?);
            if is_tall(&v) {
                let rest = ((gradient - matmul(transposed(&turned)?, vh)?)? / s.unsqueeze(-1)?)?;
                outer[2] = Some(matmul(u, rest)?);
            }
        }
        outer[0] = match sum(inner)? {
            Some(inner) => Some(matmul(matmul(u, inner)?, vh)?),
            None => None,
        };
        Ok(vec![sum(outer)?])
    }
}

/// Whether there are vectors that are orthogonal to all columns.
fn is_tall(x: &Tensor) -> bool {
    let [rows, columns] = ends(x);
    rows > columns
}

/// The norms that [`matrix_norm`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixNorm {
    /// The square root of the sum of the squares, by Frobenius: `"fro"`.
    Frobenius,
    /// The sum of the singular values: `"nuc"`.
    Nuclear,
    /// The largest singular value: `2`.
    Two,
    /// The smallest singular value: `-2`.
    MinusTwo,
    /// The largest sum of the absolute values of a column: `1`.
    One,
    /// The smallest sum of the absolute values of a column: `-1`.
    MinusOne,
    /// The largest sum of the absolute values of a row: `inf`.
    Infinity,
    /// The smallest sum of the absolute values of a row: `-inf`.
    MinusInfinity,
}

/// The norm of each matrix of a batch. `torch.linalg.matrix_norm`.
///
/// `a` is `[.., m, n]`, and the result has its leading axes. The gradient of the nuclear norm of a matrix
/// with a singular value of zero is that of PyTorch, which is one of many.
///
/// ```
/// use tensor_op::linalg::{MatrixNorm, matrix_norm};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let a = Tensor::from([[0.0, 2.0], [3.0, 0.0]]);
/// assert_eq!(matrix_norm(&a, MatrixNorm::Nuclear)?.item::<f64>()?, 5.0);
/// assert_eq!(matrix_norm(&a, MatrixNorm::Two)?.item::<f64>()?, 3.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A tensor with fewer than two axes, a dtype other than f32 and f64, a matrix without elements for a norm
/// that is a largest or smallest value, and those of [`svd`] for norms of singular values.
pub fn matrix_norm(a: impl IntoTensor, ord: MatrixNorm) -> Result<Tensor> {
    let [norm] = on_host("matrix_norm", [a.into_tensor()?], |[a]| {
        check_matrix("a", a)?;
        let rows = || reduce::sum(math::abs(a)?, -1);
        let columns = || reduce::sum(math::abs(a)?, -2);
        let norm = match ord {
            MatrixNorm::Frobenius => {
                let elements = a.reshape([batch(a), vec![ends(a).iter().product()]].concat())?;
                reduce::norm(elements, -1)
            }
            MatrixNorm::Nuclear => reduce::sum(svdvals(a)?, -1),
            MatrixNorm::Two => reduce::amax(svdvals(a)?, -1),
            MatrixNorm::MinusTwo => reduce::amin(svdvals(a)?, -1),
            MatrixNorm::One => reduce::amax(columns()?, -1),
            MatrixNorm::MinusOne => reduce::amin(columns()?, -1),
            MatrixNorm::Infinity => reduce::amax(rows()?, -1),
            MatrixNorm::MinusInfinity => reduce::amin(rows()?, -1),
        };
        Ok([norm?])
    })?;
    Ok(norm)
}
