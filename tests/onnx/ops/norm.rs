//! Normalization.

use super::Entry;
use super::reduction::over;
use crate::node::{Node, Outcome};
use crate::windows::on_last;
use tensor_op::catalogue::nn::rms_norm;
use tensor_op::prelude::*;

/// The norm, the mean, and the reciprocal of the deviation.
#[tensor_op(tests = false)]
fn layer_norm(
    x: Tensor![m, n],
    gamma: Tensor![n],
    beta: Tensor![n],
    eps: f64,
) -> (Tensor![m, n], Tensor![m], Tensor![m]) {
    let center = mean(x, n);
    let scale = rsqrt(mean(square(x - center), n) + eps);
    ((x - center) * scale * gamma + beta, center, scale)
}

#[tensor_op(tests = false)]
fn group_norm(
    x: Tensor![b, (g, c), s],
    gamma: Tensor![(g, c)],
    beta: Tensor![(g, c)],
    g: usize,
    eps: f64,
) -> Tensor![b, (g, c), s] {
    let centered = x - mean(x, (c, s));
    centered * rsqrt(mean(square(centered), (c, s)) + eps) * gamma + beta
}

#[tensor_op(tests = false)]
fn batch_norm(
    x: Tensor![b, c, s],
    gamma: Tensor![c],
    beta: Tensor![c],
    center: Tensor![c],
    variance: Tensor![c],
    eps: f64,
) -> Tensor![b, c, s] {
    (x - center) * rsqrt(variance + eps) * gamma + beta
}

#[tensor_op(tests = false)]
fn batch_statistics(x: Tensor![b, c, s]) -> (Tensor![c], Tensor![c]) {
    (mean(x, (b, s)), var(x, (b, s)))
}

#[tensor_op(tests = false)]
fn running(old: Tensor, new: Tensor, momentum: f64) -> Tensor {
    old * momentum + new * (1.0 - momentum)
}

#[tensor_op(tests = false)]
fn by_l1(x: Tensor![.., n]) -> Tensor![.., n] {
    x / sum(abs(x), n)
}

#[tensor_op(tests = false)]
fn by_l2(x: Tensor![.., n]) -> Tensor![.., n] {
    x / norm(x, n)
}

#[tensor_op(tests = false)]
fn mean_variance(x: Tensor![m, n]) -> Tensor![m, n] {
    let centered = x - mean(x, n);
    centered / (sqrt(mean(square(centered), n)) + 1e-9)
}

#[tensor_op(tests = false)]
fn local_response(
    x: Tensor![b, c, s],
    size: usize,
    alpha: f64,
    beta: f64,
    bias: f64,
    left: i64,
) -> Tensor![b, c, s] {
    let near = sum(at(square(x), c = c + iota(size) - left, or = 0.0), size);
    x / pow(bias + alpha / cast(len(size), float) * near, beta)
}

/// The image as `[b, c, s]`.
fn flat(x: &Tensor) -> Result<Tensor> {
    let shape = x.shape();
    x.reshape([shape[0], shape[1], shape[2..].iter().product()])
}

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
    let (y, center, scale) = layer_norm(rows, gamma, beta, node.real("epsilon", 1e-5)?)?;
    let shape = x.shape();
    let sizes: Vec<usize> = (0..shape.rank()).map(|at| if at < axis { shape[at] } else { 1 }).collect();
    Ok(vec![y.reshape(shape)?, center.reshape(sizes.clone())?, scale.reshape(sizes)?])
}

fn rms(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let (rows, _) = rows(node, &x)?;
    let y = rms_norm(rows, node.x(1)?.reshape([-1])?, node.real("epsilon", 1e-5)?)?;
    Ok(vec![y.reshape(x.shape())?])
}

fn groups(node: &Node, groups: usize) -> Outcome {
    let (x, eps) = (node.x(0)?, node.real("epsilon", 1e-5)?);
    let y = group_norm(flat(&x)?, node.x(1)?, node.x(2)?, groups, eps)?;
    Ok(vec![y.reshape(x.shape())?])
}

fn batch(node: &Node) -> Outcome {
    let (x, eps) = (node.x(0)?, node.real("epsilon", 1e-5)?);
    let (gamma, beta, center, variance) = (node.x(1)?, node.x(2)?, node.x(3)?, node.x(4)?);
    let image = flat(&x)?;
    if !node.flag("training_mode", false)? {
        return Ok(vec![batch_norm(image, gamma, beta, center, variance, eps)?.reshape(x.shape())?]);
    }
    let (own, spread) = batch_statistics(&image)?;
    let momentum = node.real("momentum", 0.9)?;
    let (center, variance) = (running(center, &own, momentum)?, running(variance, &spread, momentum)?);
    Ok(vec![batch_norm(image, gamma, beta, own, spread, eps)?.reshape(x.shape())?, center, variance])
}

fn lp(node: &Node) -> Outcome {
    let op: fn(Tensor) -> Result<Tensor> = if node.int("p", 2)? == 1 { |x| by_l1(x) } else { |x| by_l2(x) };
    Ok(vec![on_last(&node.x(0)?, node.int("axis", -1)?, op)?])
}

/// Of each channel by default.
fn mean_and_variance(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let axes = node.list("axes")?.unwrap_or_else(|| vec![0, 2, 3]);
    let others: Vec<i64> = (0..x.rank() as i64).filter(|axis| !axes.contains(axis)).collect();
    let order = [&others[..], &axes].concat();
    let moved = x.permute(&order)?;
    let y = over(&x, &axes, false, |rows| {
        let shape = rows.shape();
        let n = shape[shape.rank() - 1];
        mean_variance(rows.reshape([shape.iter().product::<usize>() / n.max(1), n])?)
    })?;
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, axis)| back[*axis as usize] = at as i64);
    Ok(vec![y.reshape(moved.shape())?.permute(back)?])
}

fn lrn(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let size = node.int("size", 1)?;
    let (alpha, beta, bias) = (node.real("alpha", 1e-4)?, node.real("beta", 0.75)?, node.real("bias", 1.0)?);
    let y = local_response(flat(&x)?, size as usize, alpha, beta, bias, (size - 1) / 2)?;
    Ok(vec![y.reshape(x.shape())?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("BatchNormalization", batch),
        ("GroupNormalization", |node| groups(node, node.int("num_groups", 1)? as usize)),
        ("InstanceNormalization", |node| groups(node, node.x(0)?.shape()[1])),
        ("LRN", lrn),
        ("LayerNormalization", layer),
        ("LpNormalization", lp),
        ("MeanVarianceNormalization", mean_and_variance),
        ("RMSNormalization", rms),
    ]
}
