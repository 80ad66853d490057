//! Dims that a formula makes by `iota(m = size)`. Each op is generated with its tests, and the examples are
//! compared with loops.

use tensor_op::prelude::*;

#[tensor_op]
pub fn cumsum(x: Tensor![.., n]) -> Tensor![.., n] {
    sum(select(iota(m = n) <= iota(n), at(x, n = m), 0.0), m)
}

/// Along an axis that the caller chooses.
#[tensor_op]
fn cumsum_along(x: Tensor, #[default(-1)] axis: Axis) -> Tensor {
    sum(select(iota(m = axis) <= iota(axis), at(x, axis = iota(m)), 0.0), m)
}

/// The squared distances of all rows to each other.
#[tensor_op]
pub fn distances(x: Tensor![.., n, d]) -> Tensor![.., n, m = n] {
    sum(square(x - at(x, n = m)), d)
}

/// The contrastive loss of SimCLR: `z` has two views of each image, next to each other.
#[tensor_op]
fn nt_xent(z: Tensor![n, d], temperature: f64) -> Tensor![] {
    let unit = z / maximum(norm(z, d), 1e-12);
    let other = at(unit, n = iota(m = len(n)));
    let scores = select(iota(m) == iota(n), -INFINITY, sum(unit * other, d) / temperature);
    let partner = iota(n) + 1 - iota(n) % 2 * 2;
    mean(logsumexp(scores, m) - at(scores, m = minimum(partner, len(n) - 1)), n)
}

/// Two dims, of which one has the size of the other and more.
#[tensor_op]
fn smoothed(x: Tensor![b, n], reach: usize) -> Tensor![b, n] {
    let near = at(x, n = n + iota(w = 2 * reach + 1) - reach, or = 0.0);
    sum(near * cast(1 + iota(w), float), w) / cast(sum(iota(v = w + 1), v), float)
}

/// Calls with dims of their own, which have nothing to do with the dim `m` here.
#[tensor_op]
fn cumsums(x: Tensor![m, n], y: Tensor![n, m]) -> (Tensor![m, n], Tensor![m, n]) {
    (self::cumsum(x) + self::cumsum(y), self::cumsum(x * self::cumsum(x, n = m), n = m))
}

/// The called op has a dim in its result that is made here.
#[tensor_op]
fn nearest(x: Tensor![n, d]) -> Tensor![n] {
    let all = self::distances(x, m = iota(other = n));
    min(select(iota(other) == iota(n), INFINITY, all), other)
}

fn numbers(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 37 + i / 5) % 23) as f64 / 4.0 - 1.0).collect();
    Tensor::from_vec(values, shape.to_vec(), &Device::default()).expect("as many values as the shape")
}

fn close(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-11, "{found} and {wanted}");
    }
}

/// Sums along the first axis of a matrix with so many columns.
fn running(x: &[f64], columns: usize) -> Vec<f64> {
    let mut sums = x.to_vec();
    (columns..x.len()).for_each(|at| sums[at] += sums[at - columns]);
    sums
}

#[test]
fn cumulative_sums() -> Result<()> {
    let x = numbers(&[7]);
    close(&cumsum(&x)?.to_vec::<f64>()?, &running(&x.to_vec::<f64>()?, 1));
    let y = numbers(&[5, 3]);
    close(&cumsum_along(&y, 0)?.to_vec::<f64>()?, &running(&y.to_vec::<f64>()?, 3));
    close(&cumsum_along(&y, None)?.to_vec::<f64>()?, &cumsum(&y)?.to_vec::<f64>()?);
    assert!(cumsum(numbers(&[0]))?.to_vec::<f64>()?.is_empty());
    let x = x.require_grad();
    let gradients = cumsum(&x)?.backward_with(&Tensor::ones([7], DType::F64, &Device::default())?)?;
    let gradient = gradients.get(&x).expect("a gradient").to_vec::<f64>()?;
    assert_eq!(gradient, [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    Ok(())
}

#[test]
fn distances_of_rows() -> Result<()> {
    let (n, d) = (4, 3);
    let x = numbers(&[n, d]);
    let found = distances(&x)?.to_vec::<f64>()?;
    let x = x.to_vec::<f64>()?;
    let distance = |i: usize, j: usize| (0..d).map(|k| (x[i * d + k] - x[j * d + k]).powi(2)).sum::<f64>();
    close(&found, &(0..n * n).map(|at| distance(at / n, at % n)).collect::<Vec<_>>());
    let others = |i: usize| (0..n).filter(move |j| *j != i);
    let least = |i: usize| others(i).map(|j| distance(i, j)).fold(f64::INFINITY, f64::min);
    close(&nearest(numbers(&[n, d]))?.to_vec::<f64>()?, &(0..n).map(least).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn a_contrastive_loss() -> Result<()> {
    let (n, d) = (6, 3);
    let z = numbers(&[n, d]);
    let found = nt_xent(&z, 0.5)?.item::<f64>()?;
    let z = z.to_vec::<f64>()?;
    let norm = |i: usize| (0..d).map(|k| z[i * d + k].powi(2)).sum::<f64>().sqrt();
    let score = |i: usize, j: usize| {
        (0..d).map(|k| z[i * d + k] * z[j * d + k]).sum::<f64>() / norm(i) / norm(j) / 0.5
    };
    let loss = |i: usize| {
        let all: f64 = (0..n).filter(|j| *j != i).map(|j| score(i, j).exp()).sum();
        all.ln() - score(i, i ^ 1)
    };
    close(&[found], &[(0..n).map(loss).sum::<f64>() / n as f64]);
    Ok(())
}

#[test]
fn sizes_of_arguments() -> Result<()> {
    let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [1, 3], &Device::default())?;
    close(&smoothed(&x, 1)?.to_vec::<f64>()?, &[8.0 / 6.0, 14.0 / 6.0, 8.0 / 6.0]);
    Ok(())
}

#[test]
fn a_called_op_keeps_its_dims() -> Result<()> {
    let (x, y) = (numbers(&[3, 2]), numbers(&[2, 3]));
    let (first, second) = cumsums(&x, &y)?;
    let wanted = (cumsum(&x)? + cumsum_along(&y, 0)?.permute([1, 0])?)?;
    close(&first.to_vec::<f64>()?, &wanted.to_vec::<f64>()?);
    let wanted = cumsum_along((&x * cumsum_along(&x, 0)?)?, 0)?;
    close(&second.to_vec::<f64>()?, &wanted.to_vec::<f64>()?);
    Ok(())
}
