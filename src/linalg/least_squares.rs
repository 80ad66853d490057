//! Systems without a solution, or with many.

use super::matrices::{broadcast, check_matrix, check_rows, check_same, each, ends, one, transposed};
use super::spectral::factors;
use crate::catalogue::nn::matmul;
use crate::host::on_host;
use crate::{Arrived, DType, Error, ErrorKind, Function, IntoTensor, Result, Tensor};
use faer::Mat;

/// The pseudoinverse of each matrix of a batch, by Moore and Penrose. `torch.linalg.pinv`.
///
/// `a` is `[.., m, n]`, the result `[.., n, m]`. Singular values up to `rtol` times the largest one count as
/// zero; `None` is PyTorch's choice, `max(m, n)` times the distance of 1 to the next number of the dtype.
/// The gradient takes the rank as constant (Golub and Pereyra, 1973).
///
/// ```
/// use tensor_op::linalg::pinv;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = pinv(Tensor::from([[2.0, 0.0], [0.0, 0.0]]), None)?;
/// assert_eq!(x.to_vec::<f64>()?, [0.5, 0.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Elements that are not finite, a dtype other than f32 and f64, or a negative or NaN `rtol`.
pub fn pinv(a: impl IntoTensor, rtol: Option<f64>) -> Result<Tensor> {
    let [x] = on_host("pinv", [a.into_tensor()?], |[a]| {
        check_matrix("a", a)?;
        let epsilon = if a.dtype() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let [rows, columns] = ends(a);
        let rtol = rtol.unwrap_or(rows.max(columns) as f64 * epsilon);
        if rtol.is_nan() || rtol < 0.0 {
            let message = format!("is {rtol}; it is a share of the largest singular value, 0 or more");
            return Err(Error::new(ErrorKind::Unsupported, message).with_arg("rtol"));
        }
        Ok([one(Pinv { rtol }, std::slice::from_ref(a))?])
    })?;
    Ok(x)
}

struct Pinv {
    rtol: f64,
}

impl Function<Tensor> for Pinv {
    fn name(&self) -> &str {
        "pinv"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let [rows, columns] = ends(&inputs[0]);
        each(&[&inputs[0]], [[columns, rows]], |m| {
            let (u, s, v) = factors(m[0])?;
            let least = self.rtol * s.iter().copied().fold(0.0, f64::max);
            let inverse = |s: f64| if s > least { 1.0 / s } else { 0.0 };
            let scaled = Mat::from_fn(v.nrows(), v.ncols(), |i, j| v[(i, j)] * inverse(s[j]));
            Ok([scaled * u.transpose()])
        })
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let (a, p) = (&call.inputs[0], &call.results[0]);
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let (g, pt) = (transposed(gradient)?, transposed(p)?);
        // p = a^+: da^+ = -p da p + p p^T da^T (1 - a p) + (1 - p a) da^T p^T p.
        let main = matmul(matmul(&pt, gradient)?, &pt)?;
        let left = matmul(&g, matmul(p, &pt)?)?;
        let left = (&left - matmul(matmul(a, p)?, &left)?)?;
        let right = matmul(matmul(&pt, p)?, &g)?;
        let right = (&right - matmul(&right, matmul(p, a)?)?)?;
        Ok(vec![Some((left + right - main)?)])
    }
}

/// The solution `x` of `a x = b` with the least squares of `a x - b`, and among these the shortest one.
/// `torch.linalg.lstsq`, of which it gives the solution.
///
/// `a` is `[.., m, n]`, `b` is `[.., m, k]`, and the result `[.., n, k]`: the product of [`pinv`] with `b`.
///
/// ```
/// use tensor_op::linalg::lstsq;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = lstsq(Tensor::from([[1.0], [1.0]]), Tensor::from([[1.0], [3.0]]), None)?;
/// assert!((x.item::<f64>()? - 2.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`pinv`], and shapes that do not fit.
pub fn lstsq(a: impl IntoTensor, b: impl IntoTensor, rcond: Option<f64>) -> Result<Tensor> {
    let [x] = on_host("lstsq", [a.into_tensor()?, b.into_tensor()?], |[a, b]| {
        check_matrix("a", a)?;
        check_same(a, "b", b)?;
        check_rows(a, b)?;
        let [a, b] = broadcast(a, b)?;
        Ok([matmul(pinv(a, rcond)?, b)?])
    })?;
    Ok(x)
}
