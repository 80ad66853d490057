//! `rms_norm` and its gradient as loops over rows, in place of what is composed. The arguments of a backward
//! op, and the values that an op saves for it, stand in the docs of `rms_norm` under "Gradient".

use super::backend::{Mine, MineTensor};
use tensor_op::backend::{Args, Backend};
use tensor_op::{DType, Result, Shape};

/// `out = x * saved * gamma`, where `saved` is one over the root of the mean of squares of a row.
pub(crate) fn forward(args: &Args<'_, MineTensor>) -> Result<Vec<MineTensor>> {
    let (input, gamma, eps) =
        (args.tensor("x")?, args.tensor("gamma")?.floats()?, args.scalar::<f64>("eps")?);
    let (shape, dtype, x, n) = (shape(input), dtype(input), input.floats()?, gamma.len());
    let (mut out, mut saved) = (Vec::with_capacity(x.len()), vec![]);
    for row in rows(x, &shape) {
        let squares: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
        let scale = 1.0 / (squares / n as f64 + eps).sqrt();
        out.extend(row.iter().zip(gamma).map(|(x, gamma)| (f64::from(*x) * scale) as f32 * gamma));
        saved.push(scale as f32);
    }
    let outer = Shape::new(&shape[..shape.rank() - 1]);
    Ok(vec![MineTensor::of_floats(out, &shape, dtype), MineTensor::of_floats(saved, &outer, DType::F32)])
}

/// The gradients of `x` and of `gamma`.
pub(crate) fn backward(args: &Args<'_, MineTensor>) -> Result<Vec<MineTensor>> {
    let (input, scale, seed) = (args.tensor("x")?, args.tensor("gamma")?, args.tensor("grad_out")?);
    let (shape, gamma) = (shape(input), scale.floats()?);
    let (x, saved, seed) = (input.floats()?, args.tensor("saved")?.floats()?, seed.floats()?);
    let (mut of_x, mut of_gamma) = (Vec::with_capacity(x.len()), vec![0.0_f64; gamma.len()]);
    for ((x, seed), saved) in rows(x, &shape).zip(rows(seed, &shape)).zip(saved) {
        let saved = f64::from(*saved);
        let row =
            || x.iter().zip(seed).zip(gamma).map(|((x, s), g)| (f64::from(*x), f64::from(*s), f64::from(*g)));
        let along: f64 = row().map(|(x, seed, gamma)| seed * gamma * x).sum::<f64>() / x.len() as f64;
        of_x.extend(row().map(|(x, s, g)| (saved * (s * g - x * saved * saved * along)) as f32));
        of_gamma.iter_mut().zip(row()).for_each(|(sum, (x, seed, _))| *sum += seed * x * saved);
    }
    let of_gamma = of_gamma.into_iter().map(|x| x as f32).collect();
    Ok(vec![
        MineTensor::of_floats(of_x, &shape, dtype(input)),
        MineTensor::of_floats(of_gamma, &Mine::shape(scale), dtype(scale)),
    ])
}

/// The rows along the last axis, which may be empty.
fn rows<'a>(x: &'a [f32], shape: &Shape) -> impl Iterator<Item = &'a [f32]> {
    let (outer, n) = shape.split_at(shape.rank() - 1);
    let n = n[0];
    (0..outer.iter().product()).map(move |row: usize| &x[row * n..][..n])
}

fn shape(tensor: &MineTensor) -> Shape {
    Mine::shape(tensor)
}

fn dtype(tensor: &MineTensor) -> DType {
    Mine::dtype(tensor)
}
