//! Losses of classes out of ops of the catalogue, for the exams of other libraries.

use tensor_op::catalogue::losses;
use tensor_op::{Reduction, prelude::*};

/// The loss of logarithms of probabilities, `[b, c, ..]`. If no target is ignored, the number
/// that is ignored is no class.
pub(crate) fn nll_loss(
    x: &Tensor,
    target: &Tensor,
    weight: &Option<Tensor>,
    ignored: Option<i64>,
    reduction: Reduction,
) -> Result<Tensor> {
    losses::nll_loss(x, target, weight, ignored.unwrap_or(i64::MIN), reduction)
}
