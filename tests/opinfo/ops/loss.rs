//! Losses.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::Reduction;
use tensor_op::catalogue::losses;
use tensor_op::prelude::*;

// PyTorch has older arguments before `reduction`, so this one and those behind it have names.
super::known! {
    "nn.functional.binary_cross_entropy" losses::binary_cross_entropy(
        x: Tensor, target: Tensor, weight: Option, reduction: Reduction
    )
    "nn.functional.binary_cross_entropy_with_logits" losses::binary_cross_entropy_with_logits(
        x: Tensor, target: Tensor, weight: Option, reduction: Reduction, pos_weight: Option
    )
    "nn.functional.hinge_embedding_loss" losses::hinge_embedding_loss(
        x: Tensor, target: Tensor, margin: f64 = 1.0, reduction: Reduction
    )
    "nn.functional.huber_loss" losses::huber_loss(
        x: Tensor, target: Tensor, reduction: Reduction, delta: f64 = 1.0
    )
    "nn.functional.l1_loss" losses::l1_loss(x: Tensor, target: Tensor, reduction: Reduction)
    "nn.functional.margin_ranking_loss" losses::margin_ranking_loss(
        x: Tensor, input2: Tensor, target: Tensor, margin: f64 = 0.0, reduction: Reduction
    )
    "nn.functional.mse_loss" losses::mse_loss(x: Tensor, target: Tensor, reduction: Reduction)
    "nn.functional.multilabel_soft_margin_loss" losses::multilabel_soft_margin_loss(
        x: Tensor, target: Tensor, weight: Option, reduction: Reduction
    )
    "nn.functional.smooth_l1_loss" losses::smooth_l1_loss(
        x: Tensor, target: Tensor, reduction: Reduction, beta: f64 = 1.0
    )
    "nn.functional.soft_margin_loss" losses::soft_margin_loss(x: Tensor, target: Tensor, reduction: Reduction)
}

/// What the call makes of the losses of all elements.
pub(super) fn reduction(call: &Call) -> Outcome<Reduction> {
    match call.text(usize::MAX, "reduction", "mean")? {
        "none" => Ok(Reduction::None),
        "sum" => Ok(Reduction::Sum),
        "mean" => Ok(Reduction::Mean),
        _ => Err(call.wrong("reduction", "known")),
    }
}

fn kl_div(call: &Call) -> Outcome {
    let (x, target) = (call.x()?, call.float(1, "target")?);
    let log_target = call.flag(usize::MAX, "log_target", false)?;
    Ok(vec![match call.text(usize::MAX, "reduction", "mean")? {
        "batchmean" => losses::kl_div_batchmean(x, target, log_target)?,
        _ => losses::kl_div(x, target, reduction(call)?, log_target)?,
    }])
}

fn poisson_nll(call: &Call) -> Outcome {
    let (log_input, full) = (call.flag(2, "log_input", true)?, call.flag(3, "full", false)?);
    let (target, eps) = (call.float(1, "target")?, call.number(usize::MAX, "eps")?);
    Ok(vec![losses::poisson_nll_loss(call.x()?, target, log_input, full, eps, reduction(call)?)?])
}

fn gaussian_nll(call: &Call) -> Outcome {
    let (x, target, reduction) = (call.x()?, call.float(1, "target")?, reduction(call)?);
    let (full, eps) = (call.flag(3, "full", false)?, call.number(4, "eps")?);
    Ok(vec![match call.get(2, "var") {
        Argument::Float(var) => losses::gaussian_nll_loss(x, target, *var, full, eps, reduction)?,
        _ => losses::gaussian_nll_loss(x, target, call.float(2, "var")?, full, eps, reduction)?,
    }])
}

fn pairwise_distance(call: &Call) -> Outcome {
    let (p, eps, keep) = (call.number(2, "p")?, call.number(3, "eps")?, call.flag(4, "keepdim", false)?);
    Ok(vec![losses::pairwise_distance(call.x()?, call.float(1, "x2")?, p, eps, keep)?])
}

fn triplet_margin(call: &Call) -> Outcome {
    let (anchor, positive, negative) = (call.x()?, call.float(1, "positive")?, call.float(2, "negative")?);
    let (margin, p, eps) = (call.number(3, "margin")?, call.number(4, "p")?, call.number(5, "eps")?);
    let (swap, reduction) = (call.flag(6, "swap", false)?, reduction(call)?);
    Ok(vec![losses::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)?])
}

fn nll(call: &Call) -> Outcome {
    let (target, weight) = (call.ints(1, "target")?, call.optional(2, "weight")?);
    let (ignored, reduction) = (call.int(usize::MAX, "ignore_index")?, reduction(call)?);
    Ok(vec![losses::nll_loss(call.x()?, target, weight, ignored, reduction)?])
}

/// Cross-entropy of logits with class indices or with probabilities.
fn cross_entropy(call: &Call) -> Outcome {
    let (x, target, weight) = (&call.x()?, &call.tensor(1, "target")?, call.optional(2, "weight")?);
    let (smoothing, reduction) = (call.number(usize::MAX, "label_smoothing")?, reduction(call)?);
    let ignored = call.int(usize::MAX, "ignore_index")?;
    Ok(vec![losses::cross_entropy(x, target, weight, ignored, reduction, smoothing)?])
}

/// Targets are compared with 1 and -1, so they have no gradient.
fn cosine_embedding(call: &Call) -> Outcome {
    let (other, target) = (call.float(1, "x2")?, call.float(2, "target")?.detach());
    let (margin, reduction) = (call.number(3, "margin")?, reduction(call)?);
    Ok(vec![losses::cosine_embedding_loss(call.x()?, other, target, margin, reduction)?])
}

fn cosine_similarity(call: &Call) -> Outcome {
    let (axis, eps) = (call.int(2, "dim")?.unwrap_or(1), call.number(3, "eps")?.unwrap_or(1e-8));
    let (x, y) = (call.x()?, call.float(1, "x2")?);
    if x.rank() == 0 && y.rank() == 0 {
        return Ok(vec![losses::cosine_similarity(x.unsqueeze(0)?, y.unsqueeze(0)?, 0, eps)?]);
    }
    Ok(vec![losses::cosine_similarity(x, y, axis, eps)?])
}

pub(super) fn table() -> Vec<Entry> {
    let mut table = known();
    table.extend([
        Entry::new("nn.functional.cosine_embedding_loss", cosine_embedding),
        Entry::new("nn.functional.cosine_similarity", cosine_similarity),
        Entry::new("nn.functional.cross_entropy", cross_entropy),
        Entry::new("nn.functional.gaussian_nll_loss", gaussian_nll),
        Entry::new("nn.functional.kl_div", kl_div),
        Entry::new("nn.functional.nll_loss", nll),
        Entry::new("nn.functional.pairwise_distance", pairwise_distance),
        Entry::new("nn.functional.poisson_nll_loss", poisson_nll),
        Entry::new("nn.functional.triplet_margin_loss", triplet_margin),
    ]);
    table
}
