//! Normalization.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use tensor_op::catalogue::optim::ema;
use tensor_op::catalogue::{math, norm, reduce};
use tensor_op::prelude::*;

/// The sizes from `axis` on.
fn last(node: &Node, x: &Tensor) -> Outcome<Vec<usize>> {
    let shape = x.shape();
    Ok(shape[shape.axis(node.int("axis", -1)?)?..].to_vec())
}

fn layer(node: &Node) -> Outcome {
    let (x, eps) = (node.x(0)?, node.real("epsilon", 1e-5)?);
    let (y, mean, scale) = norm::native_layer_norm(&x, last(node, &x)?, node.x(1)?, node.optional(2), eps)?;
    Ok(vec![y, mean, scale])
}

fn rms(node: &Node) -> Outcome {
    let (x, eps) = (node.x(0)?, node.real("epsilon", 1e-5)?);
    Ok(vec![norm::rms_norm(&x, last(node, &x)?, node.x(1)?, eps)?])
}

fn group(node: &Node) -> Outcome {
    let (groups, eps) = (node.int("num_groups", 1)? as usize, node.real("epsilon", 1e-5)?);
    Ok(vec![norm::group_norm(node.x(0)?, groups, node.x(1)?, node.x(2)?, eps)?])
}

fn instance(node: &Node) -> Outcome {
    let (weight, bias, eps) = (node.x(1)?, node.x(2)?, node.real("epsilon", 1e-5)?);
    Ok(vec![norm::instance_norm(node.x(0)?, None, None, weight, bias, None, None, eps)?.0])
}

fn batch(node: &Node) -> Outcome {
    let (x, eps) = (node.x(0)?, node.real("epsilon", 1e-5)?);
    let (gamma, beta, center, variance) = (node.x(1)?, node.x(2)?, node.x(3)?, node.x(4)?);
    if !node.flag("training_mode", false)? {
        return Ok(vec![norm::batch_norm(x, center, variance, gamma, beta, None, None, eps)?.0]);
    }
    // ONNX's running variance moves to one that is divided by the number of elements.
    let (y, own, spread) = norm::batch_norm_train(x, gamma, beta, eps)?;
    let momentum = node.real("momentum", 0.9)?;
    Ok(vec![y, ema(center, own, 1.0 - momentum)?, ema(variance, spread, 1.0 - momentum)?])
}

fn lp(node: &Node) -> Outcome {
    let (x, axis) = (node.x(0)?, node.int("axis", -1)?);
    Ok(vec![norm::normalize(x, node.int("p", 2)? as f64, axis, 0.0)?])
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
