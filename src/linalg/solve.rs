//! Systems of equations, inverses and determinants.

use super::matrices::{
    batch, broadcast, check_rows, check_same, check_square, each, ends, eye, one, transposed,
};
use super::spectral::svd;
use crate::catalogue::logic::where_;
use crate::catalogue::nn::matmul;
use crate::catalogue::reduce;
use crate::host::on_host;
use crate::{Arrived, Error, ErrorKind, Function, IntoTensor, Result, Tensor, apply};
use faer::linalg::solvers::PartialPivLu;
use faer::prelude::Solve as _;
use faer::{Mat, MatRef};

/// The solution `x` of `a x = b`, for each matrix of a batch. `torch.linalg.solve`.
///
/// `a` is `[.., n, n]`, and `b` is `[.., n, k]`, or a vector for each matrix: `[n]`, or `[.., n]` with the
/// leading axes of `a`. Leading axes are broadcast.
///
/// The gradient of `b` is the solution of the transposed system, and that of `a` its negative product with
/// `x` (Giles, "Collected matrix derivative results for forward and reverse mode", 2008).
///
/// ```
/// use tensor_op::linalg::solve;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = solve(Tensor::from([[2.0, 0.0], [0.0, 4.0]]), Tensor::from([1.0, 1.0]))?;
/// assert_eq!(x.to_vec::<f64>()?, [0.5, 0.25]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is singular or not square, shapes that do not fit, or a dtype other than f32 and f64.
pub fn solve(a: impl IntoTensor, b: impl IntoTensor) -> Result<Tensor> {
    let [x] = on_host("solve", [a.into_tensor()?, b.into_tensor()?], |[a, b]| {
        check_square("a", a)?;
        check_same(a, "b", b)?;
        let is_vector = b.rank() == 1 || (b.rank() + 1 == a.rank() && b.shape()[..] == a.shape()[..b.rank()]);
        let columns = if is_vector { b.unsqueeze(-1)? } else { b.clone() };
        let x = solved(a, &columns)?;
        Ok([if is_vector { x.squeeze(-1)? } else { x }])
    })?;
    Ok(x)
}

fn solved(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_rows(a, b)?;
    one(Solve, &broadcast(a, b)?)
}

/// The factors of a matrix, which must not be singular.
fn factors(a: MatRef<'_, f64>) -> Result<PartialPivLu<f64>> {
    let lu = a.partial_piv_lu();
    let diagonal = lu.U().diagonal().column_vector();
    match (0..diagonal.nrows()).find(|i| diagonal[*i] == 0.0) {
        None => Ok(lu),
        Some(_) => {
            let message = "has a singular matrix, which has no inverse; `pinv` and `lstsq` take it";
            Err(Error::new(ErrorKind::Unsupported, message).with_arg("a"))
        }
    }
}

struct Solve;

impl Function<Tensor> for Solve {
    fn name(&self) -> &str {
        "solve"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let [a, b] = [&inputs[0], &inputs[1]];
        each(&[a, b], [ends(b)], |m| match m[1].nrows().min(m[1].ncols()) {
            0 => Ok([m[1].to_owned()]),
            _ => Ok([factors(m[0])?.solve(m[1])]),
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None, None]) };
        let of_b = solved(&transposed(&call.inputs[0])?, gradient)?;
        let of_a =
            if call.wanted[0] { Some((-matmul(&of_b, transposed(&call.results[0])?)?)?) } else { None };
        Ok(vec![of_a, Some(of_b)])
    }
}

/// The inverse of each matrix of a batch. `torch.linalg.inv`.
///
/// `a` is `[.., n, n]`. The gradient is that of [`solve`] for the unit matrix.
///
/// ```
/// use tensor_op::linalg::inv;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = inv(Tensor::from([[2.0, 0.0], [0.0, 4.0]]))?;
/// assert_eq!(x.to_vec::<f64>()?, [0.5, 0.0, 0.0, 0.25]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is singular or not square, or a dtype other than f32 and f64.
pub fn inv(a: impl IntoTensor) -> Result<Tensor> {
    let [x] = on_host("inv", [a.into_tensor()?], |[a]| {
        check_square("a", a)?;
        Ok([solved(a, &eye(ends(a)[0], a)?).map_err(|error| error.renamed("inv"))?])
    })?;
    Ok(x)
}

/// The determinant of each matrix of a batch. `torch.linalg.det`.
///
/// `a` is `[.., n, n]`; the determinant of a matrix without elements is 1. The gradient is the transposed
/// matrix of cofactors: the determinant times the inverse (Giles 2008). The cofactors of singular matrices
/// come from the [`svd`].
///
/// ```
/// use tensor_op::linalg::det;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let a = Tensor::from([[1.0, 2.0], [2.0, 4.0]]).require_grad();
/// let d = det(&a)?;
/// assert_eq!(d.item::<f64>()?, 0.0);
/// for (found, cofactor) in d.backward()?[&a].to_vec::<f64>()?.into_iter().zip([4.0, -2.0, -2.0, 1.0]) {
///     assert!((found - cofactor).abs() < 1e-12);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is not square, or a dtype other than f32 and f64.
pub fn det(a: impl IntoTensor) -> Result<Tensor> {
    let [x] = on_host("det", [a.into_tensor()?], |[a]| {
        check_square("a", a)?;
        Ok([one(Det, std::slice::from_ref(a))?.reshape(batch(a))?])
    })?;
    Ok(x)
}

/// The sign of the determinant of each matrix of a batch, and the logarithm of its absolute value.
/// `torch.linalg.slogdet`.
///
/// `a` is `[.., n, n]`. A singular matrix has the sign 0 and the logarithm -inf. The gradient of the
/// logarithm is the transposed inverse (Giles 2008); for a singular matrix that is an error.
///
/// ```
/// use tensor_op::linalg::slogdet;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (sign, log) = slogdet(Tensor::from([[0.0, 1.0], [1.0, 0.0]]))?;
/// assert_eq!((sign.item::<f64>()?, log.item::<f64>()?), (-1.0, 0.0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A matrix that is not square, or a dtype other than f32 and f64.
pub fn slogdet(a: impl IntoTensor) -> Result<(Tensor, Tensor)> {
    let [sign, log] = on_host("slogdet", [a.into_tensor()?], |[a]| {
        check_square("a", a)?;
        let results = apply(SLogDet, std::slice::from_ref(a))?;
        Ok([results[0].reshape(batch(a))?, results[1].reshape(batch(a))?])
    })?;
    Ok((sign, log))
}

/// The diagonal of U, up to the first zero, and the sign of the permutation.
fn pivots(a: MatRef<'_, f64>) -> (Vec<f64>, f64) {
    let lu = a.partial_piv_lu();
    let diagonal = lu.U().diagonal().column_vector();
    let (order, _) = lu.P().arrays();
    let mut seen = vec![false; order.len()];
    let mut sign = 1.0;
    for start in 0..order.len() {
        let mut place = start;
        while !std::mem::replace(&mut seen[place], true) {
            place = order[place];
            // A cycle of n places is n - 1 swaps.
            sign = if place == start { sign } else { -sign };
        }
    }
    let mut pivots: Vec<f64> = (0..diagonal.nrows()).map(|i| diagonal[i]).collect();
    // faer divides by a pivot of zero, so nothing behind it is a number.
    let zero = pivots.iter().position(|pivot| *pivot == 0.0).filter(|_| a.is_all_finite());
    pivots.truncate(zero.map_or(pivots.len(), |zero| zero + 1));
    (pivots, sign)
}

struct Det;

impl Function<Tensor> for Det {
    fn name(&self) -> &str {
        "det"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        each(&[&inputs[0]], [[1, 1]], |m| {
            let (diagonal, sign) = pivots(m[0]);
            Ok([Mat::full(1, 1, diagonal.iter().fold(sign, |product, pivot| product * pivot))])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let (a, det) = (&call.inputs[0], &call.results[0]);
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let from_inverse = |a: &Tensor| det * transposed(&inv(a)?)?;
        let cofactors = if det.to_vec::<f64>()?.iter().all(|det| *det != 0.0) {
            from_inverse(a)?
        } else {
            // Each way takes unit matrices in place of those that go the other way.
            let (is_regular, unit) = (det.ne(0)?, eye(ends(a)[0], a)?);
            let regular = from_inverse(&where_(&is_regular, a, &unit)?)?;
            where_(&is_regular, regular, cofactors(&where_(&is_regular, &unit, a)?)?)?
        };
        Ok(vec![Some((gradient * cofactors)?)])
    }
}

/// The cofactors of matrices that may be singular: with `a = u s v`, they are `det(u v) u p v`, where `p` has
/// the product of all other singular values in place of each.
fn cofactors(a: &Tensor) -> Result<Tensor> {
    let (u, s, vh) = svd(a)?;
    let size = ends(a)[0];
    // Each row has all singular values, but 1 in place of its own.
    let own = eye(size, a)?;
    let others = (s.unsqueeze(-2)? * (1.0 - &own)? + own)?;
    let product = reduce::prod(others, -1)?;
    let sign = det(matmul(&u, &vh)?.detach())?.unsqueeze(-1)?.unsqueeze(-1)?;
    matmul((u * product.unsqueeze(-2)?)?, vh)? * sign
}

struct SLogDet;

impl Function<Tensor> for SLogDet {
    fn name(&self) -> &str {
        "slogdet"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        each(&[&inputs[0]], [[1, 1], [1, 1]], |m| {
            let (diagonal, sign) = pivots(m[0]);
            let signum = |pivot: &f64| if *pivot == 0.0 { 0.0 } else { pivot.signum() };
            let sign = diagonal.iter().map(signum).fold(sign, |product, one| product * one);
            let log = diagonal.iter().fold(0.0, |sum, pivot| sum + pivot.abs().ln());
            Ok([Mat::full(1, 1, sign), Mat::full(1, 1, log)])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[1] else { return Ok(vec![None]) };
        let inverse = inv(&call.inputs[0]).map_err(|error| error.renamed("slogdet"))?;
        Ok(vec![Some((gradient * transposed(&inverse)?)?)])
    }
}
