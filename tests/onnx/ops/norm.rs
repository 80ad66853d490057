//! Normalization.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use tensor_op::catalogue::optim::ema;
use tensor_op::catalogue::{math, nn, norm, reduce};
use tensor_op::prelude::*;

/// The axes before and from `axis` as one each.
fn rows(node: &Node, x: &Tensor) -> Outcome<(Tensor, usize)> {
    let shape = x.shape();
    let axis = shape.axis(node.int("axis", -1)?)?;
    Ok((x.reshape([shape[..axis].iter().product::<usize>(), shape[axis..].iter().product()])?, axis))
}

fn layer(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let (rows, axis) = rows(node, &x)?;
    let gamma = node.x(1)?.reshape([-1])?;
    let beta = match node.optional(2) {
        Some(beta) => beta.reshape([-1])?,
        None => Tensor::zeros(gamma.shape(), gamma.dtype(), &gamma.device())?,
    };
    let eps = node.real("epsilon", 1e-5)?;
    let (var, center) = reduce::var_mean(&rows, -1, 0.0)?;
    let (y, scale) = (nn::layer_norm(rows, gamma, beta, eps)?, math::rsqrt(var + eps)?);
    let shape = x.shape();
    let sizes: Vec<usize> = (0..shape.rank()).map(|at| if at < axis { shape[at] } else { 1 }).collect();
    Ok(vec![y.reshape(shape)?, center.reshape(sizes.clone())?, scale.reshape(sizes)?])
}

fn rms(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let (rows, _) = rows(node, &x)?;
    let y = nn::rms_norm(rows, node.x(1)?.reshape([-1])?, node.real("epsilon", 1e-5)?)?;
    Ok(vec![y.reshape(x.shape())?])
}

fn group(node: &Node) -> Outcome {
    let (groups, eps) = (node.int("num_groups", 1)? as usize, node.real("epsilon", 1e-5)?);
    Ok(vec![norm::group_norm(node.x(0)?, groups, node.x(1)?, node.x(2)?, eps)?])
}

fn instance(node: &Node) -> Outcome {
    Ok(vec![norm::instance_norm(node.x(0)?, node.x(1)?, node.x(2)?, node.real("epsilon", 1e-5)?)?])
}

fn batch(node: &Node) -> Outcome {
    let (x, eps) = (node.x(0)?, node.real("epsilon", 1e-5)?);
    let (gamma, beta, center, variance) = (node.x(1)?, node.x(2)?, node.x(3)?, node.x(4)?);
    if !node.flag("training_mode", false)? {
        return Ok(vec![norm::batch_norm(x, center, variance, gamma, beta, eps)?]);
    }
    let (y, own, spread) = norm::batch_norm_train(x, gamma, beta, eps)?;
    let momentum = node.real("momentum", 0.9)?;
    Ok(vec![y, ema(center, own, 1.0 - momentum)?, ema(variance, spread, 1.0 - momentum)?])
}

fn lp(node: &Node) -> Outcome {
    let (x, axis) = (node.x(0)?, node.int("axis", -1)?);
    if node.int("p", 2)? == 2 {
        return Ok(vec![norm::normalize(x, axis, 0.0)?]);
    }
    let length = reduce::sum(math::abs(&x), axis)?.unsqueeze(axis)?;
    Ok(vec![(x / length)?])
}

/// Of each channel by default.
fn mean_and_variance(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let axes = node.list("axes")?.unwrap_or_else(|| vec![0, 2, 3]);
    let size = |axis: usize| if axes.contains(&(axis as i64)) { 1 } else { x.shape()[axis] };
    let kept: Vec<usize> = (0..x.rank()).map(size).collect();
    let (var, mean) = reduce::var_mean(&x, &axes, 0.0)?;
    let spread = (math::sqrt(var)? + 1e-9)?.reshape(kept.clone())?;
    Ok(vec![((x - mean.reshape(kept)?)? / spread)?])
}

/// The catalogue's window has the same channels if their number is odd.
fn lrn(node: &Node) -> Outcome {
    let size = node.int("size", 1)?;
    if size % 2 == 0 {
        return Err(Stop::Skip("a window of an even number of channels"));
    }
    let (alpha, beta, bias) = (node.real("alpha", 1e-4)?, node.real("beta", 0.75)?, node.real("bias", 1.0)?);
    Ok(vec![norm::local_response_norm(node.x(0)?, size as usize, alpha, beta, bias)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("BatchNormalization", batch),
        ("GroupNormalization", group),
        ("InstanceNormalization", instance),
        ("LRN", lrn),
        ("LayerNormalization", layer),
        ("LpNormalization", lp),
        ("MeanVarianceNormalization", mean_and_variance),
        ("RMSNormalization", rms),
    ]
}
