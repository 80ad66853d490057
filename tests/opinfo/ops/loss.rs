//! Losses: an op for the loss of an element or row, and PyTorch's `reduction` of all losses.

use super::Entry;
use super::along::Along;
use crate::call::{Argument, Call, Outcome, Stop};
use tensor_op::prelude::*;

/// Declares losses of elements with PyTorch's arguments, and lists them with `reduction`.
macro_rules! losses {
    ($($torch:literal fn $op:ident(
        $($(#[default($($default:tt)*)])? $x:ident: $kind:ident $(![$($axes:tt)*])?),* $(,)?
    ) -> $out:tt $(![$($result:tt)*])? $body:block)*) => {
        $(
            #[tensor_op(tests = false)]
            fn $op($($(#[default($($default)*)])? $x: $kind $(![$($axes)*])?),*) -> $out $(![$($result)*])? $body
        )*

        fn declared() -> Vec<Entry> {
            vec![$(Entry::new($torch, |call| {
                let mut places = 0..;
                let mut place = || places.next().unwrap_or_default();
                let loss = $op($(super::argument!(call, place(), $x: $kind $(, default $($default)*)?)),*)?;
                reduced(call, loss)
            })),*]
        }
    };
}

losses! {
    "nn.functional.l1_loss" fn l1(x: Tensor, target: Tensor) -> Tensor { abs(x - target) }
    "nn.functional.mse_loss" fn mse(x: Tensor, target: Tensor) -> Tensor { square(x - target) }
    "nn.functional.soft_margin_loss" fn soft_margin(x: Tensor, target: Tensor) -> Tensor { softplus(-target * x) }
}

#[tensor_op(tests = false)]
fn smooth_l1(x: Tensor, target: Tensor, beta: f64) -> Tensor {
    let d = abs(x - target);
    select(d < beta, 0.5 * d * d / select(beta > 0.0, beta, 1.0), d - 0.5 * beta)
}

#[tensor_op(tests = false)]
fn huber(x: Tensor, target: Tensor, delta: f64) -> Tensor {
    let d = abs(x - target);
    select(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta))
}

#[tensor_op(tests = false)]
fn hinge_embedding(x: Tensor, target: Tensor, margin: f64) -> Tensor {
    select(target == 1.0, 0.0, maximum(margin - x, 0.0)) + select(target == -1.0, 0.0, x)
}

#[tensor_op(tests = false)]
fn margin_ranking(x: Tensor, other: Tensor, target: Tensor, margin: f64) -> Tensor {
    maximum(margin - target * (x - other), 0.0)
}

#[tensor_op(tests = false)]
fn divergence(x: Tensor, target: Tensor) -> Tensor {
    select(target == 0.0, 0.0, target * ln(select(target == 0.0, 1.0, target))) - target * x
}

#[tensor_op(tests = false)]
fn divergence_of_logs(x: Tensor, target: Tensor) -> Tensor {
    exp(target) * (target - x)
}

/// Logarithms are at least -100, as in PyTorch.
#[tensor_op(tests = false)]
fn binary_cross_entropy(x: Tensor, target: Tensor, weight: Tensor) -> Tensor {
    -weight * (target * maximum(ln(x), -100.0) + (1.0 - target) * maximum(log1p(-x), -100.0))
}

#[tensor_op(tests = false)]
fn binary_cross_entropy_with_logits(x: Tensor, target: Tensor, weight: Tensor, pos_weight: Tensor) -> Tensor {
    weight * ((1.0 - target) * x + (1.0 + (pos_weight - 1.0) * target) * softplus(-x))
}

#[tensor_op(tests = false)]
fn poisson(x: Tensor, target: Tensor, log_input: bool, full: bool, eps: f64) -> Tensor {
    let loss = select(
        log_input,
        exp(select(log_input, x, 0.0)) - target * x,
        x - target * ln(select(log_input, 1.0, x + eps)),
    );
    let large = maximum(target, 1.0);
    let stirling = large * ln(large) - large + 0.5 * ln(2.0 * PI * large);
    loss + select(full & (target > 1.0), stirling, 0.0)
}

#[tensor_op(tests = false)]
fn gaussian(x: Tensor, target: Tensor, variance: Tensor, full: bool, eps: f64) -> Tensor {
    let safe = variance + stop_grad(maximum(variance, eps) - variance);
    0.5 * (ln(safe) + square(x - target) / safe) + select(full, 0.5 * ln(2.0 * PI), 0.0)
}

/// The cosine of rows that are shifted a little away from 0, as in PyTorch's loss.
#[tensor_op(tests = false)]
fn cosine_embedding(
    x: Tensor![.., n],
    y: Tensor![.., n],
    #[no_grad] target: Tensor![..],
    margin: f64,
) -> Tensor![..] {
    let lengths = (sum(x * x, n) + 1e-12) * (sum(y * y, n) + 1e-12);
    let cosine = sum(x * y, n) / sqrt(lengths);
    select(target == 1.0, 1.0 - cosine, 0.0) + select(target == -1.0, maximum(cosine - margin, 0.0), 0.0)
}

#[tensor_op(tests = false)]
fn cosine_similarity(x: Tensor, y: Tensor, axis: Axis, eps: f64) -> Tensor {
    sum(x / maximum(norm(x, axis), eps) * (y / maximum(norm(y, axis), eps)), axis)
}

#[tensor_op(tests = false)]
fn multilabel_soft_margin(x: Tensor![.., n], target: Tensor![.., n], weight: Tensor![.., n]) -> Tensor![..] {
    mean(weight * (target * softplus(-x) + (1.0 - target) * softplus(x)), n)
}

#[tensor_op(tests = false)]
fn triplet(positive: Tensor, negative: Tensor, margin: f64) -> Tensor {
    maximum(margin + positive - negative, 0.0)
}

#[tensor_op(tests = false)]
fn smaller(x: Tensor, y: Tensor) -> Tensor {
    minimum(x, y)
}

#[tensor_op(tests = false)]
fn shifted_difference(x: Tensor, y: Tensor, eps: f64) -> Tensor {
    x - y + eps
}

/// For log-probabilities [batch, class, position]: the loss of each target, and its weight.
#[tensor_op(tests = false)]
fn negative_log_likelihood(
    x: Tensor![b, c, s],
    target: IntTensor![b, s],
    #[no_grad] weight: Tensor![c],
    ignored: i64,
) -> (Tensor![b, s], Tensor![b, s]) {
    let counts = target != ignored;
    let class = select(counts, target, 0);
    let importance = select(counts, at(weight, c = class), 0.0);
    (select(counts, -at(x, c = class) * importance, 0.0), importance)
}

/// A smoothed loss, in which each class has a share.
#[tensor_op(tests = false)]
fn smoothed(
    x: Tensor![b, c, s],
    target: IntTensor![b, s],
    #[no_grad] weight: Tensor![c],
    ignored: i64,
    share: f64,
) -> Tensor![b, s] {
    select(target == ignored, 0.0, -sum(x * weight, c) * share / len(c))
}

#[tensor_op(tests = false)]
fn cross_entropy_of_probabilities(
    x: Tensor![b, c, s],
    target: Tensor![b, c, s],
    weight: Tensor![c],
    share: f64,
) -> Tensor![b, s] {
    -sum(log_softmax(x, c) * weight * (target * (1.0 - share) + share / len(c)), c)
}

#[tensor_op(tests = false)]
fn log_probabilities(x: Tensor![b, c, s]) -> Tensor![b, c, s] {
    log_softmax(x, c)
}

#[tensor_op(tests = false)]
fn total(x: Tensor![n]) -> Tensor![] {
    sum(x, n)
}

#[tensor_op(tests = false)]
fn average(x: Tensor![n]) -> Tensor![] {
    mean(x, n)
}

#[tensor_op(tests = false)]
fn weighted_average(x: Tensor![n], weight: Tensor![n]) -> Tensor![] {
    sum(x, n) / sum(weight, n)
}

fn reduced(call: &Call, loss: Tensor) -> Outcome {
    Ok(vec![match call.text(usize::MAX, "reduction", "mean")? {
        "none" => loss,
        "sum" => total(loss.reshape([-1])?)?,
        _ if loss.elements() == 0 => average(loss.reshape([0])?)?,
        _ => average(loss.reshape([-1])?)?,
    }])
}

fn or_ones(call: &Call, place: usize, name: &str) -> Outcome<Tensor> {
    call.optional(place, name)?.map_or_else(|| Ok(Tensor::scalar(1.0, &Device::default())?), Ok)
}

fn kl_div(call: &Call) -> Outcome {
    let (x, target) = (call.x()?, call.float(1, "target")?);
    let op = if call.flag(usize::MAX, "log_target", false)? { divergence_of_logs } else { divergence };
    let loss = op(x.clone(), target)?;
    if call.text(usize::MAX, "reduction", "mean")? == "batchmean" {
        return Ok(vec![(total(loss.reshape([-1])?)? / x.shape().first().copied().unwrap_or(1) as f64)?]);
    }
    reduced(call, loss)
}

fn poisson_nll(call: &Call) -> Outcome {
    let (log_input, full) = (call.flag(2, "log_input", true)?, call.flag(3, "full", false)?);
    let eps = call.number(usize::MAX, "eps")?.unwrap_or(1e-8);
    reduced(call, poisson(call.x()?, call.float(1, "target")?, log_input, full, eps)?)
}

fn gaussian_nll(call: &Call) -> Outcome {
    let (full, eps) = (call.flag(3, "full", false)?, call.number(4, "eps")?.unwrap_or(1e-6));
    reduced(call, gaussian(call.x()?, call.float(1, "target")?, call.float(2, "var")?, full, eps)?)
}

/// The `p`-norm of the difference of rows. As in PyTorch, the difference is kept away from 0.
fn distance(x: &Tensor, y: &Tensor, p: f64, eps: f64, keep: bool) -> Outcome<Tensor> {
    let difference = shifted_difference(x, y, eps)?;
    Along::axis(-1, keep).one(&difference, super::reduction::norm(p))
}

fn pairwise_distance(call: &Call) -> Outcome {
    let (p, eps) = (call.number(2, "p")?.unwrap_or(2.0), call.number(3, "eps")?.unwrap_or(1e-6));
    Ok(vec![distance(&call.x()?, &call.float(1, "x2")?, p, eps, call.flag(4, "keepdim", false)?)?])
}

fn triplet_margin(call: &Call) -> Outcome {
    let (anchor, positive, negative) = (call.x()?, call.float(1, "positive")?, call.float(2, "negative")?);
    let (margin, p) = (call.number(3, "margin")?.unwrap_or(1.0), call.number(4, "p")?.unwrap_or(2.0));
    let eps = call.number(5, "eps")?.unwrap_or(1e-6);
    let near = distance(&anchor, &positive, p, eps, false)?;
    let mut far = distance(&anchor, &negative, p, eps, false)?;
    if call.flag(6, "swap", false)? {
        far = smaller(far, distance(&positive, &negative, p, eps, false)?)?;
    }
    reduced(call, triplet(near, far, margin)?)
}

/// The tensor as rows of [batch, class, position]. A single sample has no batch.
fn by_class(x: &Tensor) -> Result<Tensor> {
    let shape = x.shape();
    match shape.rank() {
        1 => x.reshape([1, -1, 1]),
        _ => x.reshape(vec![shape[0], shape[1], shape[2..].iter().product()]),
    }
}

/// The reduced likelihood of log-probabilities. A mean is weighted.
fn likelihood(call: &Call, x: &Tensor, target: &Tensor, weight: Option<Tensor>, smoothing: f64) -> Outcome {
    let rows = by_class(x)?;
    let places = rows.shape()[0] * rows.shape()[2];
    let ids = target.reshape(vec![rows.shape()[0], rows.shape()[2]])?;
    let ones = || Ok(Tensor::ones([rows.shape()[1]], rows.dtype(), &rows.device())?);
    let weight = weight.map_or_else(ones, Outcome::Ok)?;
    let ignored = call.int(usize::MAX, "ignore_index")?.unwrap_or(-100);
    let (mut loss, importance) = negative_log_likelihood(&rows, &ids, &weight, ignored)?;
    if smoothing > 0.0 {
        loss = ((loss * (1.0 - smoothing))? + smoothed(&rows, &ids, &weight, ignored, smoothing)?)?;
    }
    let flat = loss.reshape([places])?;
    Ok(vec![match call.text(usize::MAX, "reduction", "mean")? {
        "none" => loss.reshape(target.shape())?,
        "sum" => total(flat)?,
        _ => weighted_average(flat, importance.reshape([places])?)?,
    }])
}

/// Cross-entropy of logits with class indices or with probabilities.
pub(super) fn cross_entropy_of(call: &Call, x: &Tensor, target: &Tensor, weight: Option<Tensor>) -> Outcome {
    let smoothing = call.number(usize::MAX, "label_smoothing")?.unwrap_or(0.0);
    if !crate::data::is_float(target.dtype()) {
        let logs = log_probabilities(by_class(x)?)?.reshape(x.shape())?;
        return likelihood(call, &logs, target, weight, smoothing);
    }
    let rows = by_class(x)?;
    let ones = || Ok(Tensor::ones([rows.shape()[1]], rows.dtype(), &rows.device())?);
    let weight = weight.map_or_else(ones, Outcome::Ok)?;
    let loss = cross_entropy_of_probabilities(&rows, by_class(target)?, weight, smoothing)?;
    let count = loss.elements();
    Ok(vec![match call.text(usize::MAX, "reduction", "mean")? {
        "none" => {
            let kept = (0..x.rank()).filter(|axis| *axis != if x.rank() == 1 { 0 } else { 1 });
            loss.reshape(kept.map(|axis| x.shape()[axis]).collect::<Vec<_>>())?
        }
        "sum" => total(loss.reshape([count])?)?,
        _ => average(loss.reshape([count])?)?,
    }])
}

fn cosine_similarity_of(call: &Call) -> Outcome {
    let (axis, eps) = (call.int(2, "dim")?.unwrap_or(1), call.number(3, "eps")?.unwrap_or(1e-8));
    let (x, y) = (call.x()?, call.float(1, "x2")?);
    if x.rank() == 0 && y.rank() == 0 {
        let result = cosine_similarity(x.reshape([1])?, y.reshape([1])?, 0, eps)?;
        return Ok(vec![result.reshape([0_i64; 0])?]);
    }
    Ok(vec![cosine_similarity(x, y, axis, eps)?])
}

fn multilabel(call: &Call) -> Outcome {
    let x = call.x()?;
    let ones = || Ok(Tensor::ones([x.shape()[x.rank() - 1]], x.dtype(), &x.device())?);
    let weight = call.optional(2, "weight")?.map_or_else(ones, Outcome::Ok)?;
    reduced(call, multilabel_soft_margin(&x, call.float(1, "target")?, weight)?)
}

/// An `Err` if there is a `weight`. Some losses got this argument only after the samples were made.
fn no_weight(call: &Call) -> Outcome<()> {
    match call.get(usize::MAX, "weight") {
        Argument::None => Ok(()),
        _ => Err(Stop::Argument("`weight` is not known".to_string())),
    }
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = declared();
    table.extend([
        Entry::new("nn.functional.binary_cross_entropy", |call| {
            reduced(
                call,
                binary_cross_entropy(call.x()?, call.float(1, "target")?, or_ones(call, 2, "weight")?)?,
            )
        }),
        Entry::new("nn.functional.binary_cross_entropy_with_logits", |call| {
            let (weight, pos_weight) =
                (or_ones(call, 2, "weight")?, or_ones(call, usize::MAX, "pos_weight")?);
            reduced(
                call,
                binary_cross_entropy_with_logits(call.x()?, call.float(1, "target")?, weight, pos_weight)?,
            )
        }),
        Entry::new("nn.functional.cosine_embedding_loss", |call| {
            let margin = call.number(3, "margin")?.unwrap_or(0.0);
            reduced(
                call,
                cosine_embedding(call.x()?, call.float(1, "x2")?, call.float(2, "target")?.detach(), margin)?,
            )
        }),
        Entry::new("nn.functional.cosine_similarity", cosine_similarity_of),
        Entry::new("nn.functional.cross_entropy", |call| {
            cross_entropy_of(call, &call.x()?, &call.tensor(1, "target")?, call.optional(2, "weight")?)
        }),
        Entry::new("nn.functional.gaussian_nll_loss", gaussian_nll),
        Entry::new("nn.functional.hinge_embedding_loss", |call| {
            let margin = call.number(2, "margin")?.unwrap_or(1.0);
            reduced(call, hinge_embedding(call.x()?, call.float(1, "target")?, margin)?)
        }),
        Entry::new("nn.functional.huber_loss", |call| {
            no_weight(call)?;
            let delta = call.number(usize::MAX, "delta")?.unwrap_or(1.0);
            reduced(call, huber(call.x()?, call.float(1, "target")?, delta)?)
        }),
        Entry::new("nn.functional.kl_div", kl_div),
        Entry::new("nn.functional.margin_ranking_loss", |call| {
            let (other, target) = (call.float(1, "input2")?, call.float(2, "target")?);
            reduced(call, margin_ranking(call.x()?, other, target, call.number(3, "margin")?.unwrap_or(0.0))?)
        }),
        Entry::new("nn.functional.multilabel_soft_margin_loss", multilabel),
        Entry::new("nn.functional.nll_loss", |call| {
            likelihood(call, &call.x()?, &call.ints(1, "target")?, call.optional(2, "weight")?, 0.0)
        }),
        Entry::new("nn.functional.pairwise_distance", pairwise_distance),
        Entry::new("nn.functional.poisson_nll_loss", poisson_nll),
        Entry::new("nn.functional.smooth_l1_loss", |call| {
            let beta = call.number(usize::MAX, "beta")?.unwrap_or(1.0);
            reduced(call, smooth_l1(call.x()?, call.float(1, "target")?, beta)?)
        }),
        Entry::new("nn.functional.triplet_margin_loss", triplet_margin),
    ]);
    table
}
