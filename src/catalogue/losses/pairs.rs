//! Losses of pairs and triples: how near embeddings are.

use crate::{Reduction, tensor_op};

/// The cosine of the angle between rows, with lengths of at least `eps`.
/// `torch.nn.functional.cosine_similarity`.
#[tensor_op(method(inherent))]
pub fn cosine_similarity(
    x1: Tensor,
    x2: Tensor,
    #[default(1)] dim: Axis,
    #[default(1e-8)] eps: f64,
) -> Tensor {
    sum(x1 / maximum(norm(x1, dim), eps) * (x2 / maximum(norm(x2, dim), eps)), dim)
}

/// The Euclidean distance of rows, whose difference is kept away from 0 by `eps`.
/// `torch.nn.functional.pairwise_distance`.
#[tensor_op(method(inherent))]
pub fn pairwise_distance(x1: Tensor![.., n], x2: Tensor![.., n], #[default(1e-6)] eps: f64) -> Tensor![..] {
    norm(x1 - x2 + eps, n)
}

/// One minus the cosine for a target of 1, and for -1 how much the cosine exceeds the margin.
/// `torch.nn.functional.cosine_embedding_loss`.
#[tensor_op]
pub fn cosine_embedding_loss(
    input1: Tensor![.., n],
    input2: Tensor![.., n],
    #[no_grad] target: Tensor![..],
    #[default(0.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let lengths = (sum(input1 * input1, n) + 1e-12) * (sum(input2 * input2, n) + 1e-12);
    let cosine = sum(input1 * input2, n) / sqrt(lengths);
    let far = select(target == -1.0, relu(cosine - margin), 0.0);
    super::reduced(select(target == 1.0, 1.0 - cosine, 0.0) + far, reduction)
}

/// How much less than the margin the first number is above the second, where the target is 1; below, where it
/// is -1. `torch.nn.functional.margin_ranking_loss`.
#[tensor_op]
pub fn margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    #[no_grad] target: Tensor,
    #[default(0.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    super::reduced(relu(margin - target * (input1 - input2)), reduction)
}

/// How much less than the margin the negative example is farther away than the positive one, in Euclidean
/// distance. `torch.nn.functional.triplet_margin_loss`.
#[tensor_op]
pub fn triplet_margin_loss(
    anchor: Tensor![.., n],
    positive: Tensor![.., n],
    negative: Tensor![.., n],
    #[default(1.0)] margin: f64,
    #[default(1e-6)] eps: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let near = norm(anchor - positive + eps, n);
    let far = norm(anchor - negative + eps, n);
    super::reduced(relu(margin + near - far), reduction)
}

/// [`triplet_margin_loss`] that may swap the anchor and the positive example: with `swap` the distance to
/// the negative one is the smaller of those from the two.
/// `torch.nn.functional.triplet_margin_with_distance_loss` with its default distance,
/// [`pairwise_distance`]. For another distance write its formula in the place of `near` and `far`:
///
/// ```
/// use tensor_op::catalogue::losses::{cosine_similarity, triplet_margin_with_distance_loss};
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn cosine_triplet_loss(x: Tensor![b, n], near: Tensor![b, n], far: Tensor![b, n]) -> Tensor![] {
///     let closer = losses::cosine_similarity(x, near, n) - losses::cosine_similarity(x, far, n);
///     mean(relu(1.0 - closer), b)
/// }
/// # use tensor_op::catalogue::losses;
/// # fn main() -> Result<()> {
/// let [x, y] = [[0.0, 0.0], [0.0, 4.0]].map(|row| Tensor::from([row]));
/// let loss = |swap: bool| triplet_margin_with_distance_loss(&x, &y, (&y * 2.0)?, 8, swap, None)?.item::<f64>();
/// assert!((loss(false)? - 4.0).abs() < 1e-5 && (loss(true)? - 8.0).abs() < 1e-5);
/// assert_eq!(cosine_triplet_loss(&y, &y, &x)?.item::<f64>()?, 0.0);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn triplet_margin_with_distance_loss(
    anchor: Tensor![.., n],
    positive: Tensor![.., n],
    negative: Tensor![.., n],
    #[default(1.0)] margin: f64,
    #[default(false)] swap: bool,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let near = self::pairwise_distance(anchor, positive, 1e-6);
    let far = self::pairwise_distance(anchor, negative, 1e-6);
    let farther = if swap { minimum(far, self::pairwise_distance(positive, negative, 1e-6)) } else { far };
    super::reduced(relu(margin + near - farther), reduction)
}

/// The contrastive loss of two views of a batch: row `i` of one belongs to row `i` of the other. The cosines,
/// divided by the temperature, are logits; the loss is the mean of both directions.
///
/// Source: Radford et al., Learning Transferable Visual Models From Natural Language Supervision, 2021.
#[tensor_op]
pub fn info_nce(x: Tensor![n, d], y: Tensor![m = n, d], #[default(0.07)] temperature: f64) -> Tensor![] {
    let unit = x / maximum(norm(x, d), 1e-12);
    let logits = sum(unit * (y / maximum(norm(y, d), 1e-12)), d) / temperature;
    let right = select(iota(n) == iota(m), logits, 0.0);
    (sum(logsumexp(logits, m), n) + sum(logsumexp(logits, n), m) - 2.0 * sum(right, (n, m))) / (2 * len(n))
}
