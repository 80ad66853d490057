//! Normalizations, and statistics of rows.

use super::{Entry, Outputs};
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::{math, norm, reduce};
use tensor_op::prelude::*;

/// One over the standard deviation, as PyTorch's results have it.
fn scale(variance: Tensor, eps: f64) -> Result<Tensor> {
    math::rsqrt(variance + eps)
}

fn batch_norm(call: &Call) -> Outcome {
    let (mean, var) = (call.optional(1, "running_mean")?, call.optional(2, "running_var")?);
    let (weight, bias) = (call.optional(3, "weight")?, call.optional(4, "bias")?);
    let (training, momentum) = (call.flag(5, "training", false)?, call.number(6, "momentum")?);
    let eps = call.number(7, "eps")?;
    Ok(vec![norm::batch_norm(call.x()?, mean, var, weight, bias, training, momentum, eps)?.0])
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
    let (y, ..) = norm::batch_norm(x, mean, var, weight, bias, false, None, eps)?;
    Ok(vec![y, empty.clone(), empty])
}

fn instance_norm(call: &Call) -> Outcome {
    let (mean, var) = (call.optional(1, "running_mean")?, call.optional(2, "running_var")?);
    let (weight, bias) = (call.optional(3, "weight")?, call.optional(4, "bias")?);
    let (own, momentum) = (call.flag(5, "use_input_stats", true)?, call.number(6, "momentum")?);
    let eps = call.number(7, "eps")?;
    Ok(vec![norm::instance_norm(call.x()?, mean, var, weight, bias, own, momentum, eps)?.0])
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

/// `normalized_shape`.
fn last(call: &Call) -> Outcome<Vec<usize>> {
    let sizes = call.list(1, "normalized_shape")?.unwrap_or_default();
    Ok(sizes.into_iter().map(|size| size as usize).collect())
}

fn layer_norm(call: &Call) -> Outcome<(Tensor, Tensor, Tensor)> {
    let (weight, bias) = (call.optional(2, "weight")?, call.optional(3, "bias")?);
    Ok(norm::native_layer_norm(call.x()?, last(call)?, weight, bias, call.number(4, "eps")?)?)
}

fn rms_norm(call: &Call) -> Outcome {
    let (weight, eps) = (call.optional(2, "weight")?, call.number(3, "eps")?);
    Ok(vec![norm::rms_norm(call.x()?, last(call)?, weight, eps)?])
}

fn local_response_norm(call: &Call) -> Outcome {
    let (size, alpha) = (call.int(1, "size")?.unwrap_or(1) as usize, call.number(2, "alpha")?);
    let (beta, k) = (call.number(3, "beta")?, call.number(4, "k")?);
    Ok(vec![norm::local_response_norm(call.x()?, size, alpha, beta, k)?])
}

fn normalize(call: &Call) -> Outcome {
    let (p, axis, eps) = (call.number(1, "p")?, call.int(2, "dim")?, call.number(3, "eps")?);
    Ok(vec![norm::normalize(call.x()?, p, axis, eps)?])
}

/// Each row is a variable. A single variable has no axis.
pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("_native_batch_norm_legit", native_batch_norm),
        Entry::new("native_batch_norm", native_batch_norm),
        Entry::new("native_group_norm", native_group_norm),
        Entry::new("native_layer_norm", |call| layer_norm(call)?.outputs()),
        Entry::new("nn.functional.batch_norm", batch_norm).constants(&["1", "2"]),
        Entry::new("nn.functional.group_norm", group_norm),
        Entry::new("nn.functional.instance_norm", instance_norm).constants(&["running_mean", "running_var"]),
        Entry::new("nn.functional.layer_norm", |call| Ok(vec![layer_norm(call)?.0])),
        Entry::new("nn.functional.local_response_norm", local_response_norm),
        Entry::new("nn.functional.normalize", normalize),
        Entry::new("nn.functional.rms_norm", rms_norm),
    ]
}
