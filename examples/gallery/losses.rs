//! What is minimized.

use tensor_op::prelude::*;

/// Cross entropy in which classes that are easy count less.
///
/// Paper: Lin, Goyal, Girshick, He and Dollár, *Focal Loss for Dense Object Detection*, 2017,
/// arXiv:1708.02002.
#[tensor_op]
pub(crate) fn focal_loss(
    logits: Tensor![b, c],
    target: IntTensor![b],
    #[default(2.0)] gamma: f64,
) -> Tensor![b] {
    let log_p = at(log_softmax(logits, c), c = target);
    -pow(-expm1(log_p), gamma) * log_p
}

/// Preference optimization without a reference model: the log-probabilities of two answers, each averaged
/// over its tokens, should differ by a margin.
///
/// Paper: Meng, Xia and Chen, *SimPO: Simple Preference Optimization with a Reference-Free Reward*, 2024,
/// arXiv:2405.14734.
#[tensor_op]
pub(crate) fn simpo_loss(
    chosen: Tensor![b, t],
    rejected: Tensor![b, s],
    #[no_grad] chosen_mask: Tensor![b, t],
    #[no_grad] rejected_mask: Tensor![b, s],
    #[default(2.0)] beta: f64,
    #[default(0.5)] margin: f64,
) -> Tensor![b] {
    let better = sum(chosen * chosen_mask, t) / maximum(sum(chosen_mask, t), 1.0);
    let worse = sum(rejected * rejected_mask, s) / maximum(sum(rejected_mask, s), 1.0);
    softplus(margin - beta * (better - worse))
}

/// GRPO as DAPO has it: rewards relative to their group, a clip that is higher above than below, and the mean
/// over all tokens of the group.
///
/// Paper: Yu and others, *DAPO: An Open-Source LLM Reinforcement Learning System at Scale*, 2025,
/// arXiv:2503.14476.
#[tensor_op]
pub(crate) fn dapo_loss(
    policy: Tensor![g, t],
    #[no_grad] old: Tensor![g, t],
    #[no_grad] rewards: Tensor![g],
    #[no_grad] mask: Tensor![g, t],
) -> Tensor![] {
    let advantage = (rewards - mean(rewards, g)) / (std(rewards, g) + 1e-4);
    let ratio = exp(policy - old);
    let gain = minimum(ratio * advantage, clamp(ratio, 0.8, 1.28) * advantage);
    -sum(gain * mask, (g, t)) / maximum(sum(mask, (g, t)), 1.0)
}
