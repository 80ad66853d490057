//! Matrices on the host: what faer computes of each matrix of a batch.
//!
//! All of it is computed in f64. Results of f32 are rounded at the end, so they are as exact as f32 can be,
//! and faer is compiled for one type only.

use crate::host::check_float;
use crate::{Error, ErrorKind, Function, Result, Shape, Tensor, apply};
use faer::{Mat, MatRef};
use tensor_op_core::memory;

/// Runs `f` on each matrix of a batch. The inputs have the same batch. `sizes` are the rows and columns of
/// each result.
pub(super) fn each<const M: usize>(
    inputs: &[&Tensor],
    sizes: [[usize; 2]; M],
    f: impl Fn(&[MatRef<'_, f64>]) -> Result<[Mat<f64>; M]>,
) -> Result<Vec<Tensor>> {
    let batch = batch(inputs[0]);
    let count: usize = batch.iter().product();
    let mut elements = Vec::with_capacity(inputs.len());
    for input in inputs {
        elements.push((input.to_vec::<f64>()?, ends(input)));
    }
    let mut found = Vec::with_capacity(M);
    for [rows, columns] in sizes {
        let shape: Shape = batch.iter().copied().chain([rows, columns]).collect();
        found.push(memory::reserved(shape.elements()?)?);
    }
    // A batch of matrices without elements may be of any size.
    let has_elements = sizes.iter().any(|[rows, columns]| rows * columns > 0);
    for index in 0..if has_elements { count } else { 0 } {
        let matrix = |(all, [rows, columns]): &(Vec<f64>, [usize; 2])| {
            let one = &all[index * rows * columns..][..rows * columns];
            Mat::from_fn(*rows, *columns, |i, j| one[i * columns + j])
        };
        let matrices: Vec<Mat<f64>> = elements.iter().map(matrix).collect();
        let results = f(&matrices.iter().map(Mat::as_ref).collect::<Vec<_>>())?;
        for (found, result) in found.iter_mut().zip(results) {
            for i in 0..result.nrows() {
                found.extend((0..result.ncols()).map(|j| result[(i, j)]));
            }
        }
    }
    let dtype = inputs[0].dtype();
    let tensor = |(found, size): (Vec<f64>, [usize; 2])| {
        Tensor::from_vec(found, [&batch[..], &size].concat(), &inputs[0].device())?.cast(dtype)
    };
    found.into_iter().zip(sizes).map(tensor).collect()
}

/// The axes before a matrix.
pub(super) fn batch(x: &Tensor) -> Vec<usize> {
    let shape = x.shape();
    shape[..shape.rank() - 2].to_vec()
}

/// Rows and columns.
pub(super) fn ends(x: &Tensor) -> [usize; 2] {
    let shape = x.shape();
    [shape[shape.rank() - 2], shape[shape.rank() - 1]]
}

/// Returns an `Err` unless the argument has matrices of f32 or f64.
pub(super) fn check_matrix(arg: &str, x: &Tensor) -> Result<()> {
    check_float(arg, x)?;
    if x.rank() >= 2 {
        return Ok(());
    }
    let message = format!("has shape {}, and a matrix has two axes or more", x.shape());
    Err(Error::new(ErrorKind::Rank, message).with_arg(arg))
}

/// Returns an `Err` unless the argument has square matrices.
pub(super) fn check_square(arg: &str, x: &Tensor) -> Result<()> {
    check_matrix(arg, x)?;
    let [rows, columns] = ends(x);
    if rows == columns {
        return Ok(());
    }
    let message = format!("has matrices of {rows} rows and {columns} columns; they must be square");
    Err(Error::new(ErrorKind::Shape, message).with_arg(arg))
}

/// Returns an `Err` unless two arguments have one dtype.
pub(super) fn check_same(a: &Tensor, arg: &str, b: &Tensor) -> Result<()> {
    let (wanted, given) = (a.dtype(), b.dtype());
    if wanted == given {
        return Ok(());
    }
    let message = format!("has dtype {given}, and the first argument has {wanted}; cast one of them");
    Err(Error::new(ErrorKind::DType, message).with_arg(arg))
}

/// Two batches of matrices, repeated to one batch by NumPy's rule.
pub(super) fn broadcast(a: &Tensor, b: &Tensor) -> Result<[Tensor; 2]> {
    let (first, second) = (batch(a), batch(b));
    let rank = first.len().max(second.len());
    let size = |batch: &[usize], axis: usize| match (axis + batch.len()).checked_sub(rank) {
        Some(axis) => batch[axis],
        None => 1,
    };
    let mut joined = Vec::with_capacity(rank);
    for axis in 0..rank {
        joined.push(match (size(&first, axis), size(&second, axis)) {
            (1, other) => other,
            (one, other) if one == other || other == 1 => one,
            (one, other) => {
                let message = format!(
                    "has {other} matrices along a leading axis where the first argument has {one}; sizes must be equal or 1"
                );
                return Err(Error::new(ErrorKind::Shape, message).with_arg("b"));
            }
        });
    }
    let widened = |x: &Tensor| x.broadcast_to([&joined[..], &ends(x)].concat());
    Ok([widened(a)?, widened(b)?])
}

/// The rows as columns.
pub(super) fn transposed(x: &Tensor) -> Result<Tensor> {
    x.transpose(-2, -1)
}

/// The unit matrix of this size.
pub(super) fn eye(size: usize, like: &Tensor) -> Result<Tensor> {
    let ones = Tensor::ones([size], like.dtype(), &like.device())?;
    crate::catalogue::movement::diag_embed(ones, None, None, None)
}

/// Returns an `Err` if a matrix has an element that is not finite.
pub(super) fn check_finite(x: MatRef<'_, f64>) -> Result<()> {
    if x.is_all_finite() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Unsupported, "has elements that are NaN or infinite").with_arg("a"))
}

/// What faer says if it does not find the factors of finite numbers.
pub(super) fn no_convergence() -> Error {
    Error::new(ErrorKind::Unsupported, "the algorithm did not converge").with_arg("a")
}

/// Returns an `Err` unless `b` has as many rows as `a`.
pub(super) fn check_rows(a: &Tensor, b: &Tensor) -> Result<()> {
    check_matrix("b", b)?;
    let ([size, _], [rows, _]) = (ends(a), ends(b));
    if size == rows {
        return Ok(());
    }
    let message = format!("has {rows} rows, and the matrices of `a` have {size}; they must agree");
    Err(Error::new(ErrorKind::Shape, message).with_arg("b"))
}

/// The only result of a function.
pub(super) fn one(function: impl Function<Tensor>, inputs: &[Tensor]) -> Result<Tensor> {
    Ok(apply(function, inputs)?.remove(0))
}
