//! Losses of language models: from preferences and rewards, and what keeps logits small.

use crate::{Reduction, tensor_op};

/// Direct preference optimization: `-log sigmoid(beta (chosen - rejected))`, of the log-probabilities that
/// the policy gives to two answers, each less that of the reference.
///
/// Source: Rafailov et al., Direct Preference Optimization, 2023.
#[tensor_op]
pub fn dpo_loss(
    policy_chosen: Tensor![b],
    policy_rejected: Tensor![b],
    #[no_grad] reference_chosen: Tensor![b],
    #[no_grad] reference_rejected: Tensor![b],
    #[default(0.1)] beta: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor![b] {
    let gain = policy_chosen - reference_chosen - (policy_rejected - reference_rejected);
    super::reduced(softplus(-beta * gain), reduction)
}

/// The advantages of the answers of one group: rewards, less their mean, by their standard deviation.
///
/// Source: Shao et al., DeepSeekMath, 2024.
#[tensor_op]
#[no_grad]
pub fn group_advantages(rewards: Tensor![b, g], #[default(1e-4)] eps: f64) -> Tensor![b, g] {
    (rewards - mean(rewards, g)) / (std(rewards, g) + eps)
}

/// Group relative policy optimization: the clipped gain of each token, and how far the policy went from the
/// reference. The mean is over the tokens of an answer, and then over answers; `mask` is 1 for its tokens.
///
/// Source: Shao et al., DeepSeekMath, 2024.
#[tensor_op]
pub fn grpo_loss(
    policy: Tensor![b, t],
    #[no_grad] old: Tensor![b, t],
    #[no_grad] reference: Tensor![b, t],
    #[no_grad] advantages: Tensor![b],
    #[no_grad] mask: Tensor![b, t],
    #[default(0.2)] epsilon: f64,
    #[default(0.04)] beta: f64,
) -> Tensor![] {
    let ratio = exp(policy - old);
    let gain = minimum(ratio * advantages, clamp(ratio, 1.0 - epsilon, 1.0 + epsilon) * advantages);
    let away = expm1(reference - policy) - (reference - policy);
    mean(sum((beta * away - gain) * mask, t) / maximum(sum(mask, t), 1.0), b)
}

/// The square of the logarithm of the softmax's denominator, which keeps logits from drifting.
///
/// Source: Chowdhery et al., PaLM, 2022.
#[tensor_op]
pub fn z_loss(
    logits: Tensor![.., n],
    #[default(1e-4)] weight: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    super::reduced(weight * square(logsumexp(logits, n)), reduction)
}
