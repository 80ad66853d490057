//! Normalizations, and statistics of rows.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::{math, nn, norm, reduce};
use tensor_op::prelude::*;

/// An argument that may be left out, or ones of this shape.
fn or_ones(call: &Call, place: usize, name: &str, shape: &[i64]) -> Outcome<Tensor> {
    let ones = || {
        let sizes: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
        Ok(Tensor::ones(sizes, DType::F64, &Device::default())?)
    };
    call.optional(place, name)?.map_or_else(ones, Ok)
}

/// One over the standard deviation, as PyTorch's results have it.
fn scale(variance: Tensor, eps: f64) -> Result<Tensor> {
    math::rsqrt(variance + eps)
}

/// A tensor of one axis has channels only.
fn with_batch(x: &Tensor, op: impl Fn(Tensor) -> Result<Tensor>) -> Result<Tensor> {
    if x.rank() > 1 { op(x.clone()) } else { op(x.unsqueeze(0)?)?.squeeze(0) }
}

fn batch_norm(call: &Call) -> Outcome {
    let (x, eps) = (call.x()?, call.number(7, "eps")?);
    let (weight, bias) = (call.optional(3, "weight")?, call.optional(4, "bias")?);
    if call.flag(5, "training", false)? {
        return Ok(vec![norm::batch_norm_train(x, weight, bias, eps)?.0]);
    }
    let (mean, var) = (call.float(1, "running_mean")?, call.float(2, "running_var")?);
    Ok(vec![with_batch(&x, |x| norm::batch_norm(x, &mean, &var, &weight, &bias, eps))?])
}

/// `(input, weight, bias, running_mean, running_var, training, momentum, eps)`. The statistics are empty if
/// they aren't computed.
fn native_batch_norm(call: &Call) -> Outcome {
    // There is also a form without running statistics.
    let training = if matches!(call.get(3, ""), Argument::Bool(_)) { 3 } else { 5 };
    let (x, eps) = (call.x()?, call.number(training + 2, "eps")?.unwrap_or(1e-5));
    let (weight, bias) = (call.optional(1, "weight")?, call.optional(2, "bias")?);
    if call.flag(training, "training", false)? {
        let (y, mean, var) = norm::batch_norm_train(x, weight, bias, eps)?;
        return Ok(vec![y, mean, scale(var, eps)?]);
    }
    let (mean, var) = (call.float(3, "running_mean")?, call.float(4, "running_var")?);
    let empty = Tensor::zeros([0], x.dtype(), &x.device())?;
    Ok(vec![norm::batch_norm(x, mean, var, weight, bias, eps)?, empty.clone(), empty])
}

fn instance_norm(call: &Call) -> Outcome {
    let (x, eps) = (call.x()?, call.number(8, "eps")?);
    let (weight, bias) = (call.optional(3, "weight")?, call.optional(4, "bias")?);
    if call.flag(5, "use_input_stats", true)? {
        return Ok(vec![norm::instance_norm(x, weight, bias, eps)?]);
    }
    let (mean, var) = (call.float(1, "running_mean")?, call.float(2, "running_var")?);
    Ok(vec![norm::batch_norm(x, mean, var, weight, bias, eps)?])
}

fn group_norm(call: &Call) -> Outcome {
    let (groups, eps) = (call.int(1, "num_groups")?.unwrap_or(1) as usize, call.number(4, "eps")?);
    let (weight, bias) = (call.optional(2, "weight")?, call.optional(3, "bias")?);
    Ok(vec![norm::group_norm(call.x()?, groups, weight, bias, eps)?])
}

/// `(input, weight, bias, batch, channels, inner, groups, eps)`.
fn native_group_norm(call: &Call) -> Outcome {
    let (x, groups) = (call.x()?, call.int(6, "group")?.unwrap_or(1) as usize);
    let (weight, bias) = (call.optional(1, "weight")?, call.optional(2, "bias")?);
    let eps = call.number(7, "eps")?.unwrap_or(1e-5);
    let inner = x.shape()[1..].iter().product::<usize>() / groups;
    let (var, mean) = reduce::var_mean(x.reshape([x.shape()[0], groups, inner])?, -1, 0.0)?;
    Ok(vec![norm::group_norm(x, groups, weight, bias, eps)?, mean, scale(var, eps)?])
}

/// The tensor with its last axes as one, and how many axes there are before them.
fn rows(x: &Tensor, inner: &[i64]) -> Result<(Tensor, usize)> {
    let (outer, shape) = (x.rank() - inner.len(), x.shape());
    let last = shape[outer..].iter().product();
    Ok((x.reshape([&shape[..outer], &[last]].concat())?, outer))
}

fn layer_norm(call: &Call) -> Outcome<Tensor> {
    let (x, inner) = (call.x()?, call.list(1, "normalized_shape")?.unwrap_or_default());
    let gamma = or_ones(call, 2, "weight", &inner)?.reshape([-1])?;
    let beta = match call.optional(3, "bias")? {
        Some(bias) => bias.reshape([-1])?,
        None => Tensor::zeros(gamma.shape(), gamma.dtype(), &gamma.device())?,
    };
    let y = nn::layer_norm(rows(&x, &inner)?.0, gamma, beta, call.number(4, "eps")?)?;
    Ok(y.reshape(x.shape())?)
}

/// PyTorch's statistics have no gradient.
fn native_layer_norm(call: &Call) -> Outcome {
    let (x, inner) = (call.x()?.detach(), call.list(1, "normalized_shape")?.unwrap_or_default());
    let (rows, outer) = rows(&x, &inner)?;
    let (var, mean) = reduce::var_mean(rows, -1, 0.0)?;
    let kept: Vec<usize> = (0..x.rank()).map(|axis| if axis < outer { x.shape()[axis] } else { 1 }).collect();
    let scale = scale(var, call.number(4, "eps")?.unwrap_or(1e-5))?;
    Ok(vec![layer_norm(call)?, mean.reshape(kept.clone())?, scale.reshape(kept)?])
}

fn rms_norm(call: &Call) -> Outcome {
    let (x, inner) = (call.x()?, call.list(1, "normalized_shape")?.unwrap_or_default());
    let gamma = or_ones(call, 2, "weight", &inner)?.reshape([-1])?;
    let eps = call.number(3, "eps")?.unwrap_or(f64::EPSILON);
    Ok(vec![nn::rms_norm(rows(&x, &inner)?.0, gamma, eps)?.reshape(x.shape())?])
}

fn local_response_norm(call: &Call) -> Outcome {
    let (size, alpha) = (call.int(1, "size")?.unwrap_or(1) as usize, call.number(2, "alpha")?);
    let (beta, k) = (call.number(3, "beta")?, call.number(4, "k")?);
    Ok(vec![norm::local_response_norm(call.x()?, size, alpha, beta, k)?])
}

/// Divides by the norm of this order, at least by `eps`.
pub(super) fn normalized(x: Tensor, order: f64, axis: i64, eps: f64) -> Outcome<Tensor> {
    if order == 2.0 {
        return Ok(norm::normalize(x, axis, eps)?);
    }
    let length = Along::axis(axis, true).over(&x, super::reduction::norm(order))?;
    Ok((x / math::clamp_min(length, eps))?)
}

fn normalize(call: &Call) -> Outcome {
    let (order, axis) = (call.number(1, "p")?.unwrap_or(2.0), call.int(2, "dim")?.unwrap_or(1));
    Ok(vec![normalized(call.x()?, order, axis, call.number(3, "eps")?.unwrap_or(1e-12))?])
}

/// Each row is a variable. A single variable has no axis.
pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("_native_batch_norm_legit", native_batch_norm),
        Entry::new("native_batch_norm", native_batch_norm),
        Entry::new("native_group_norm", native_group_norm),
        Entry::new("native_layer_norm", native_layer_norm),
        Entry::new("nn.functional.batch_norm", batch_norm).constants(&["1", "2"]),
        Entry::new("nn.functional.group_norm", group_norm),
        Entry::new("nn.functional.instance_norm", instance_norm).constants(&["running_mean", "running_var"]),
        Entry::new("nn.functional.layer_norm", |call| Ok(vec![layer_norm(call)?])),
        Entry::new("nn.functional.local_response_norm", local_response_norm),
        Entry::new("nn.functional.normalize", normalize),
        Entry::new("nn.functional.rms_norm", rms_norm),
    ]
}
