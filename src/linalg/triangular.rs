//! Triangular systems, and the triangular factors of positive definite matrices.

use super::matrices::{
    broadcast, check_matrix, check_rows, check_same, check_square, each, ends, eye, one, transposed,
};
use crate::catalogue::movement::{tril, triu};
use crate::catalogue::nn::matmul;
use crate::host::on_host;
use crate::{Arrived, Error, ErrorKind, Function, IntoTensor, Result, Tensor};
use faer::Mat;

/// The solution `x` of `a x = b` for triangular matrices, or of `x a = b` if not `left`.
/// `torch.linalg.solve_triangular`.
///
/// `a` is `[.., n, n]`, of which the upper or lower triangle is read, and ones in place of its diagonal if
/// `unitriangular`. `b` is `[.., n, k]`, or `[.., k, n]` if not `left`. Leading axes are broadcast. The
/// gradients are those of [`solve`](super::solve), in the triangle that is read. As in PyTorch, a zero on the
/// diagonal gives infinities or NaN.
///
/// ```
/// use tensor_op::linalg::solve_triangular;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (a, b) = (Tensor::from([[2.0, 0.0], [1.0, 1.0]]), Tensor::from([[2.0], [3.0]]));
/// let x = solve_triangular(a, b, false, true, false)?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is not square, shapes that do not fit, or a dtype other than f32 and f64.
pub fn solve_triangular(
    a: impl IntoTensor,
    b: impl IntoTensor,
    upper: bool,
    left: bool,
    unitriangular: bool,
) -> Result<Tensor> {
    let [x] = on_host("solve_triangular", [a.into_tensor()?, b.into_tensor()?], |[a, b]| {
        check_square("a", a)?;
        check_matrix("b", b)?;
        check_same(a, "b", b)?;
        if left {
            check_rows(a, b)?;
            return Ok([one(Triangle { upper, unitriangular }, &broadcast(a, b)?)?]);
        }
        let (a, b) = (transposed(a)?, transposed(b)?);
        check_rows(&a, &b)?;
        Ok([transposed(&one(Triangle { upper: !upper, unitriangular }, &broadcast(&a, &b)?)?)?])
    })?;
    Ok(x)
}

/// `solve_triangular` from the left.
struct Triangle {
    upper: bool,
    unitriangular: bool,
}

impl Function<Tensor> for Triangle {
    fn name(&self) -> &str {
        "solve_triangular"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let [a, b] = [&inputs[0], &inputs[1]];
        each(&[a, b], [ends(b)], |m| {
            let (a, mut x, size) = (m[0], m[1].to_owned(), m[0].nrows());
            for column in 0..x.ncols() {
                for step in 0..size {
                    let i = if self.upper { size - 1 - step } else { step };
                    let known = if self.upper { i + 1..size } else { 0..i };
                    let sum = known.fold(x[(i, column)], |sum, j| sum - a[(i, j)] * x[(j, column)]);
                    x[(i, column)] = if self.unitriangular { sum } else { sum / a[(i, i)] };
                }
            }
            Ok([x])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None, None]) };
        let a = transposed(&call.inputs[0])?;
        let of_b = solve_triangular(a, gradient, !self.upper, true, self.unitriangular)?;
        if !call.wanted[0] {
            return Ok(vec![None, Some(of_b)]);
        }
        let whole = (-matmul(&of_b, transposed(&call.results[0])?)?)?;
        let first = i64::from(self.unitriangular);
        let of_a = if self.upper { triu(whole, first)? } else { tril(whole, -first)? };
        Ok(vec![Some(of_a), Some(of_b)])
    }
}

/// The factor `l` of each positive definite matrix of a batch: `a = l l^T`, with a lower triangle, or
/// `a = u^T u` with an upper one. `torch.linalg.cholesky`.
///
/// `a` is `[.., n, n]`, of which the lower triangle is read, or the upper one if `upper`. The gradient is
/// symmetric (Murray, "Differentiation of the Cholesky decomposition", 2016).
///
/// ```
/// use tensor_op::linalg::cholesky;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let l = cholesky(Tensor::from([[4.0, 2.0], [2.0, 10.0]]), false)?;
/// assert_eq!(l.to_vec::<f64>()?, [2.0, 0.0, 1.0, 3.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is not positive definite or not square, or a dtype other than f32 and f64.
pub fn cholesky(a: impl IntoTensor, upper: bool) -> Result<Tensor> {
    let [l] = on_host("cholesky", [a.into_tensor()?], |[a]| {
        check_square("a", a)?;
        if upper {
            Ok([transposed(&one(Cholesky, &[transposed(a)?])?)?])
        } else {
            Ok([one(Cholesky, std::slice::from_ref(a))?])
        }
    })?;
    Ok(l)
}

struct Cholesky;

impl Function<Tensor> for Cholesky {
    fn name(&self) -> &str {
        "cholesky"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let a = &inputs[0];
        each(&[a], [ends(a)], |m| {
            let size = m[0].nrows();
            let lower = Mat::from_fn(size, size, |i, j| if i >= j { m[0][(i, j)] } else { 0.0 });
            let wrong = || {
                let message = "has a matrix that is not positive definite";
                Error::new(ErrorKind::Unsupported, message).with_arg("a")
            };
            if !lower.is_all_finite() {
                return Err(wrong());
            }
            let found = lower.llt(faer::Side::Lower).map_err(|_| wrong())?;
            let l = found.L();
            Ok([Mat::from_fn(size, size, |i, j| if i >= j { l[(i, j)] } else { 0.0 })])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let l = &call.results[0];
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let half = (1.0 - (0.5 * eye(ends(l)[0], l)?)?)?;
        let inner = (tril(matmul(transposed(l)?, gradient)?, 0)? * half)?;
        let rows = solve_triangular(transposed(l)?, inner, true, true, false)?;
        let whole = solve_triangular(l, rows, false, false, false)?;
        Ok(vec![Some((0.5 * (&whole + transposed(&whole)?)?)?)])
    }
}

/// The solution `x` of `a x = b`, where `l` is the factor of `a` that [`cholesky`] gives.
/// `torch.cholesky_solve`.
///
/// `b` is `[.., n, k]`, and `l` is `[.., n, n]`. The gradients are those of two [`solve_triangular`], so that
/// of `l` is zero in the triangle that is not read; PyTorch has numbers there.
///
/// ```
/// use tensor_op::linalg::cholesky_solve;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = cholesky_solve(Tensor::from([[8.0], [9.0]]), Tensor::from([[2.0, 0.0], [0.0, 3.0]]), false)?;
/// assert_eq!(x.to_vec::<f64>()?, [2.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`solve_triangular`].
pub fn cholesky_solve(b: impl IntoTensor, l: impl IntoTensor, upper: bool) -> Result<Tensor> {
    let (b, l) = (b.into_tensor()?, l.into_tensor()?);
    let solve = || {
        check_square("l", &l)?;
        check_same(&l, "b", &b)?;
        let turned = transposed(&l)?;
        let (first, second) = if upper { (turned, l) } else { (l, turned) };
        let inner = solve_triangular(first, b, false, true, false)?;
        solve_triangular(second, inner, true, true, false)
    };
    solve().map_err(|error: Error| error.with_op("cholesky_solve").renamed("cholesky_solve"))
}
