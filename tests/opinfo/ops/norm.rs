//! Normalizations, and statistics of rows.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;

/// Normalizes over the last axis. The mean and the reciprocal of the deviation are results too.
#[tensor_op(tests = false)]
fn normalized(x: Tensor![.., n], eps: f64) -> (Tensor![.., n], Tensor![..], Tensor![..]) {
    let mu = mean(x, n);
    let centered = x - mu;
    let scale = rsqrt(mean(square(centered), n) + eps);
    (centered * scale, mu, scale)
}

#[tensor_op(tests = false)]
fn normalized_by(x: Tensor, mu: Tensor, variance: Tensor, eps: f64) -> Tensor {
    (x - mu) * rsqrt(variance + eps)
}

#[tensor_op(tests = false)]
fn affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor {
    x * weight + bias
}

#[tensor_op(tests = false)]
fn rms(x: Tensor![.., n], eps: f64) -> Tensor![.., n] {
    x * rsqrt(mean(square(x), n) + eps)
}

/// Normalizes over a window of channels around each channel. Each position of the window has a weight.
#[tensor_op(tests = false)]
fn local_response(
    x: Tensor![b, c, s],
    window: Tensor![w],
    alpha: f64,
    beta: f64,
    k: f64,
) -> Tensor![b, c, s] {
    let place = iota(c) + iota(w) - len(w) / 2;
    let near = at(x, c = minimum(maximum(place, 0), len(c) - 1));
    let squares = select((place >= 0) & (place < len(c)), square(near), 0.0);
    x / pow(k + alpha * sum(squares * window, w), beta)
}

#[tensor_op(tests = false)]
fn scaled_down(x: Tensor, length: Tensor, eps: f64) -> Tensor {
    x / maximum(length, eps)
}

/// The covariance of rows. Each column has a weight; `factor` accounts for the sum of the weights.
#[tensor_op(tests = false)]
fn covariance(x: Tensor![i, n], y: Tensor![j, n], weight: Tensor![n], factor: Tensor![]) -> Tensor![i, j] {
    let total = sum(weight, n);
    let a = x - sum(x * weight, n) / total;
    let b = y - sum(y * weight, n) / total;
    sum(a * weight * b, n) / factor
}

#[tensor_op(tests = false)]
fn degrees_of_freedom(weight: Tensor![n], aweight: Tensor![n], correction: f64) -> Tensor![] {
    maximum(sum(weight, n) - correction * sum(weight * aweight, n) / sum(weight, n), 0.0)
}

#[tensor_op(tests = false)]
fn correlation(x: Tensor![i, n], y: Tensor![j, n]) -> Tensor![i, j] {
    let a = x - mean(x, n);
    let b = y - mean(y, n);
    clamp(sum(a * b, n) / norm(a, n) / norm(b, n), -1.0, 1.0)
}

/// Applies weight and bias, if there are any, in a shape that is broadcast.
fn with_affine(x: Tensor, weight: Option<Tensor>, bias: Option<Tensor>, shape: &[i64]) -> Outcome<Tensor> {
    if weight.is_none() && bias.is_none() {
        return Ok(x);
    }
    let device = x.device();
    let weight = weight.map_or_else(|| Tensor::scalar(1.0, &device), |weight| weight.reshape(shape))?;
    let bias = bias.map_or_else(|| Tensor::scalar(0.0, &device), |bias| bias.reshape(shape))?;
    Ok(affine(x, weight, bias)?)
}

/// A shape with one value for each channel.
fn per_channel(x: &Tensor) -> Vec<i64> {
    (0..x.rank()).map(|axis| if axis == 1.min(x.rank() - 1) { -1 } else { 1 }).collect()
}

/// Normalizes over all axes except the channels. The statistics have one element for each channel.
fn over_batch(x: &Tensor, eps: f64) -> Outcome<[Tensor; 3]> {
    if x.rank() == 1 {
        let [y, mean, scale] = over_batch(&x.unsqueeze(0)?, eps)?;
        return Ok([y.squeeze(0)?, mean, scale]);
    }
    let (shape, channels) = (x.shape(), x.shape()[1]);
    let order: Vec<i64> = (0..x.rank() as i64)
        .map(|axis| {
            if axis == 0 {
                1
            } else if axis == 1 {
                0
            } else {
                axis
            }
        })
        .collect();
    let rows = x.permute(&order)?;
    let moved = rows.shape();
    let (y, mean, scale) =
        normalized(rows.reshape(vec![channels, shape.iter().product::<usize>() / channels.max(1)])?, eps)?;
    Ok([y.reshape(moved)?.permute(&order)?, mean, scale])
}

/// Normalizes over the last axes, beginning with this one.
fn over_last(x: &Tensor, outer: usize, eps: f64) -> Outcome<[Tensor; 3]> {
    let shape = x.shape();
    let mut sizes = shape[..outer].to_vec();
    sizes.push(shape[outer..].iter().product());
    let (y, mean, scale) = normalized(x.reshape(sizes)?, eps)?;
    Ok([y.reshape(shape)?, mean, scale])
}

fn batch_norm(call: &Call) -> Outcome {
    let (x, eps) = (call.x()?, call.number(7, "eps")?.unwrap_or(1e-5));
    let training = call.flag(5, "training", false)?;
    let y = if training {
        over_batch(&x, eps)?[0].clone()
    } else {
        let shape = per_channel(&x);
        let mean = call.float(1, "running_mean")?.reshape(&shape[..])?;
        normalized_by(&x, mean, call.float(2, "running_var")?.reshape(&shape[..])?, eps)?
    };
    let (weight, bias) = (call.optional(3, "weight")?, call.optional(4, "bias")?);
    Ok(vec![with_affine(y, weight, bias, &per_channel(&x))?])
}

/// `(input, weight, bias, running_mean, running_var, training, momentum, eps)`. The statistics are empty if
/// they aren't computed.
fn native_batch_norm(call: &Call) -> Outcome {
    // There is also a form without running statistics.
    let training = if matches!(call.get(3, ""), Argument::Bool(_)) { 3 } else { 5 };
    let (x, eps) = (call.x()?, call.number(training + 2, "eps")?.unwrap_or(1e-5));
    let shape = per_channel(&x);
    let [y, mean, scale] = if call.flag(training, "training", false)? {
        let [y, mean, scale] = over_batch(&x, eps)?;
        // PyTorch's statistics have no gradient.
        [y, mean.detach(), scale.detach()]
    } else {
        let mean = call.float(3, "running_mean")?.reshape(&shape[..])?;
        let empty = Tensor::zeros([0], x.dtype(), &x.device())?;
        let y = normalized_by(&x, mean, call.float(4, "running_var")?.reshape(&shape[..])?, eps)?;
        [y, empty.clone(), empty]
    };
    Ok(vec![with_affine(y, call.optional(1, "weight")?, call.optional(2, "bias")?, &shape)?, mean, scale])
}

fn instance_norm(call: &Call) -> Outcome {
    let (x, eps) = (call.x()?, call.number(8, "eps")?.unwrap_or(1e-5));
    let y = if call.flag(5, "use_input_stats", true)? {
        over_last(&x, 2, eps)?[0].clone()
    } else {
        let shape = per_channel(&x);
        let mean = call.float(1, "running_mean")?.reshape(&shape[..])?;
        normalized_by(&x, mean, call.float(2, "running_var")?.reshape(&shape[..])?, eps)?
    };
    Ok(vec![with_affine(y, call.optional(3, "weight")?, call.optional(4, "bias")?, &per_channel(&x))?])
}

/// Treats each group of channels as a row.
fn grouped(x: &Tensor, groups: i64, eps: f64) -> Outcome<[Tensor; 3]> {
    let shape = x.shape();
    let inner = shape[1..].iter().product::<usize>() / groups as usize;
    let (y, mean, scale) = normalized(x.reshape(vec![shape[0] as i64, groups, inner as i64])?, eps)?;
    Ok([y.reshape(shape)?, mean, scale])
}

fn group_norm(call: &Call) -> Outcome {
    let (x, groups) = (call.x()?, call.int(1, "num_groups")?.unwrap_or(1));
    let [y, ..] = grouped(&x, groups, call.number(4, "eps")?.unwrap_or(1e-5))?;
    Ok(vec![with_affine(y, call.optional(2, "weight")?, call.optional(3, "bias")?, &per_channel(&x))?])
}

/// `(input, weight, bias, batch, channels, inner, groups, eps)`.
fn native_group_norm(call: &Call) -> Outcome {
    let x = call.x()?;
    let [y, mean, scale] =
        grouped(&x, call.int(6, "group")?.unwrap_or(1), call.number(7, "eps")?.unwrap_or(1e-5))?;
    Ok(vec![
        with_affine(y, call.optional(1, "weight")?, call.optional(2, "bias")?, &per_channel(&x))?,
        mean,
        scale,
    ])
}

fn layer_norm(call: &Call, default_eps: f64) -> Outcome<[Tensor; 3]> {
    let (x, inner) = (call.x()?, call.list(1, "normalized_shape")?.unwrap_or_default());
    let outer = x.rank() - inner.len();
    let [y, mean, scale] = over_last(&x, outer, call.number(4, "eps")?.unwrap_or(default_eps))?;
    let kept: Vec<usize> = (0..x.rank()).map(|axis| if axis < outer { x.shape()[axis] } else { 1 }).collect();
    let y = with_affine(y, call.optional(2, "weight")?, call.optional(3, "bias")?, &inner)?;
    Ok([y, mean.reshape(kept.clone())?, scale.reshape(kept)?])
}

fn rms_norm(call: &Call) -> Outcome {
    let (x, inner) = (call.x()?, call.list(1, "normalized_shape")?.unwrap_or_default());
    let outer = x.rank() - inner.len();
    let mut sizes = x.shape()[..outer].to_vec();
    sizes.push(x.shape()[outer..].iter().product());
    let y = rms(x.reshape(sizes)?, call.number(3, "eps")?.unwrap_or(f64::EPSILON))?.reshape(x.shape())?;
    Ok(vec![with_affine(y, call.optional(2, "weight")?, None, &inner)?])
}

fn local_response_norm(call: &Call) -> Outcome {
    let (x, size) = (call.x()?, call.int(1, "size")?.unwrap_or(1));
    let rows = x.reshape(vec![x.shape()[0], x.shape()[1], x.shape()[2..].iter().product()])?;
    let (alpha, beta) = (call.number(2, "alpha")?.unwrap_or(1e-4), call.number(3, "beta")?.unwrap_or(0.75));
    let window = Tensor::full([size as usize], 1.0 / size as f64, &x.device())?;
    let y = local_response(rows, window, alpha, beta, call.number(4, "k")?.unwrap_or(1.0))?;
    Ok(vec![y.reshape(x.shape())?])
}

fn normalize(call: &Call) -> Outcome {
    let (x, order) = (call.x()?, call.number(1, "p")?.unwrap_or(2.0));
    let along = Along::axis(call.int(2, "dim")?.unwrap_or(1), true);
    let length = along.one(&x, super::reduction::norm(order))?;
    Ok(vec![scaled_down(x, length, call.number(3, "eps")?.unwrap_or(1e-12))?])
}

/// Each row is a variable. A single variable has no axis.
fn cov(call: &Call) -> Outcome {
    let x = call.x()?;
    let rows = if x.rank() < 2 { x.reshape([1, -1])? } else { x.clone() };
    let ones = Tensor::ones([rows.shape()[1]], DType::F64, &x.device())?;
    let weights = |place, name| match call.get(place, name) {
        Argument::None => Outcome::Ok(ones.clone()),
        _ => Ok(call.float(place, name)?.cast(DType::F64)?),
    };
    let (counts, importance) = (weights(2, "fweights")?, weights(3, "aweights")?);
    let weight = (&counts * &importance)?;
    let correction = call.number(1, "correction")?.unwrap_or(1.0);
    let factor = degrees_of_freedom(&weight, importance, correction)?;
    let result = covariance(&rows, &rows, weight, factor)?;
    Ok(vec![if x.rank() < 2 { result.reshape([0_i64; 0])? } else { result.squeezed()? }])
}

fn corrcoef(call: &Call) -> Outcome {
    let x = call.x()?;
    let rows = if x.rank() < 2 { x.reshape([1, -1])? } else { x };
    Ok(vec![correlation(&rows, &rows)?.squeezed()?])
}

/// Removes the axes of a matrix with one element.
trait Squeezed {
    fn squeezed(self) -> Result<Tensor>;
}

impl Squeezed for Tensor {
    fn squeezed(self) -> Result<Tensor> {
        if self.shape().iter().all(|size| *size == 1) { self.reshape([0_i64; 0]) } else { Ok(self) }
    }
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("_native_batch_norm_legit", native_batch_norm),
        Entry::new("corrcoef", corrcoef),
        Entry::new("cov", cov).within(1e-4, "PyTorch multiplies weights of f32 in f32"),
        Entry::new("native_batch_norm", native_batch_norm),
        Entry::new("native_group_norm", native_group_norm),
        Entry::new("native_layer_norm", |call| {
            // PyTorch's statistics have no gradient.
            let [y, mean, scale] = layer_norm(call, 1e-5)?;
            Ok(vec![y, mean.detach(), scale.detach()])
        }),
        Entry::new("nn.functional.batch_norm", batch_norm).constants(&["1", "2"]),
        Entry::new("nn.functional.group_norm", group_norm),
        Entry::new("nn.functional.instance_norm", instance_norm).constants(&["running_mean", "running_var"]),
        Entry::new("nn.functional.layer_norm", |call| Ok(vec![layer_norm(call, 1e-5)?[0].clone()])),
        Entry::new("nn.functional.local_response_norm", local_response_norm),
        Entry::new("nn.functional.normalize", normalize),
        Entry::new("nn.functional.rms_norm", rms_norm),
    ]
}
