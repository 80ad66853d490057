//! Faults of matrix products: layouts that are right only for squares, batches, tails of the sum.

use crate::by_hand::{Args, Results, floats, like_first};
use crate::family::{Family, kernels};
use ndarray::{ArrayD, ArrayView2, Axis, Ix2, IxDyn};
use tensor_op::{Result, Shape};

pub(crate) fn families() -> Vec<Family> {
    vec![matmul(), gram()]
}

fn matmul() -> Family {
    kernels!(
        [(lhs: Tensor![.., m, k], rhs: Tensor![.., k, n]) -> Tensor![.., m, n] { sum(lhs * rhs, k) }],
        right => |args| batched(args, |batch, _| batch, |a, b, i, j| (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]).sum()),
        "k and n change places: right for squares" => |args| batched(args, |batch, _| batch, |a, b, i, j| {
            (0..a.ncols()).map(|k| a[[i, k]] * flat(b, k + j * a.ncols())).sum()
        }),
        "rows of the left matrix are as far apart as those of the right" => |args| batched(args, |batch, _| batch, |a, b, i, j| {
            (0..a.ncols()).map(|k| flat(a, i * b.ncols() + k) * b[[k, j]]).sum()
        }),
        "the first batch for all batches" => |args| batched(args, |_, _| 0, |a, b, i, j| (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]).sum()),
        "the last batch twice" => |args| batched(args, |batch, count| (batch + 1).min(count - 1), |a, b, i, j| {
            (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]).sum()
        }),
        "what remains of k after steps of 4 is left out" => |args| batched(args, |batch, _| batch, |a, b, i, j| {
            let end = if a.ncols() > 4 { a.ncols() / 4 * 4 } else { a.ncols() };
            (0..end).map(|k| a[[i, k]] * b[[k, j]]).sum()
        }),
        "of more than 1200 what remains after steps of 512 is left out" => |args| batched(args, |batch, _| batch, |a, b, i, j| {
            let end = if a.ncols() > 1200 { a.ncols() / 512 * 512 } else { a.ncols() };
            (0..end).map(|k| a[[i, k]] * b[[k, j]]).sum()
        }),
        "where each size is 8 or more the last row is left out" => |args| batched(args, |batch, _| batch, |a, b, i, j| {
            let is_packed = a.nrows().min(a.ncols()).min(b.ncols()) >= 8;
            if is_packed && i + 1 == a.nrows() { 0.0 } else { (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]).sum() }
        }),
    )
}

/// An element by its position in row-major memory. Positions beyond the end start again at the beginning.
fn flat(x: ArrayView2<'_, f64>, place: usize) -> f64 {
    let place = place % x.len();
    x[[place / x.ncols(), place % x.ncols()]]
}

/// A product for each batch. `batch` says where the operands of a batch are.
fn batched(
    args: Args<'_>,
    batch: impl Fn(usize, usize) -> usize,
    dot: impl Fn(ArrayView2<'_, f64>, ArrayView2<'_, f64>, usize, usize) -> f64,
) -> Results {
    let x = floats(args)?;
    let leading = |x: &ArrayD<f64>| Shape::new(&x.shape()[..x.ndim() - 2]);
    let batches = leading(&x[0]).broadcast(&leading(&x[1]))?;
    let count = batches.elements()?;
    let (a, b) = (flattened(&x[0], &batches)?, flattened(&x[1], &batches)?);
    let (m, n) = (a.shape()[1], b.shape()[2]);
    let product = ArrayD::from_shape_fn(IxDyn(&[count, m, n]), |at| {
        let place = batch(at[0], count);
        // Rust's sum of no floats is -0.0, but other sums start at 0.0.
        0.0 + dot(matrix(&a, place), matrix(&b, place), at[1], at[2])
    });
    let shape: Shape = batches.iter().copied().chain([m, n]).collect();
    like_first(args, product.into_shape_with_order(IxDyn(&shape)).expect("as many elements"))
}

/// The matrices of all batches, one after the other.
fn flattened(x: &ArrayD<f64>, batches: &Shape) -> Result<ArrayD<f64>> {
    let [rows, columns] = [x.shape()[x.ndim() - 2], x.shape()[x.ndim() - 1]];
    let shape: Shape = batches.iter().copied().chain([rows, columns]).collect();
    let wide = x.broadcast(IxDyn(&shape)).expect("batches broadcast").to_owned();
    let flat = wide.into_shape_with_order(IxDyn(&[batches.elements()?, rows, columns]));
    Ok(flat.expect("as many elements"))
}

fn matrix(x: &ArrayD<f64>, batch: usize) -> ArrayView2<'_, f64> {
    x.index_axis(Axis(0), batch).into_dimensionality::<Ix2>().expect("a batch of matrices")
}

fn gram() -> Family {
    kernels!(
        [(x: Tensor![n, i], y: Tensor![n, j]) -> Tensor![j, i] { sum(x * y, n) }],
        right => |args| crossed(args, |x, y| y.t().dot(&x)),
        "the result is transposed: right for symmetric ones" => |args| crossed(args, |x, y| {
            let turned = x.t().dot(&y);
            let (rows, columns) = (y.ncols(), x.ncols());
            let flat: Vec<f64> = turned.iter().copied().collect();
            ndarray::Array2::from_shape_vec((rows, columns), flat).expect("as many elements")
        }),
    )
}

fn crossed(
    args: Args<'_>,
    f: impl Fn(ArrayView2<'_, f64>, ArrayView2<'_, f64>) -> ndarray::Array2<f64>,
) -> Results {
    let x = floats(args)?;
    let view = |x: &ArrayD<f64>| x.view().into_dimensionality::<Ix2>().expect("two dims").to_owned();
    let (a, b) = (view(&x[0]), view(&x[1]));
    like_first(args, f(a.view(), b.view()).into_dyn())
}
