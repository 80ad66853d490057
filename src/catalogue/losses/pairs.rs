//! Losses of pairs and triples: how near embeddings are.

use crate::catalogue::norm::of_order;
use crate::{Axes, IntoFloat, IntoTensor, Reduction, Result, Tensor, tensor_op};

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

/// The distance of rows: the norm of the order `p`, by default 2, of their difference, to which `eps` is
/// added, by default 1e-6. With `keepdim` the last axis stays with size 1.
/// `torch.nn.functional.pairwise_distance`.
///
/// # Errors
///
/// Shapes and dtypes that don't fit together.
pub fn pairwise_distance(
    x1: impl IntoTensor,
    x2: impl IntoTensor,
    p: impl IntoFloat<Option<f64>>,
    eps: impl IntoFloat<Option<f64>>,
    keepdim: impl Into<Option<bool>>,
) -> Result<Tensor> {
    let (x1, x2, p) = (x1.into_tensor()?, x2.into_tensor()?, p.into_float().unwrap_or(2.0));
    let (eps, is_kept) = (eps.into_float().unwrap_or(1e-6), keepdim.into().unwrap_or(false));
    let run = || {
        let found = if p == 2.0 {
            pairwise_distance_l2(x1, x2, eps)?
        } else {
            of_order(&((x1 - x2)? + eps)?, p, Axes::of(&[-1]))?
        };
        if is_kept { found.unsqueeze(-1) } else { Ok(found) }
    };
    run().map_err(|error| error.renamed("pairwise_distance"))
}

/// How much less than the margin the negative example is farther away than the positive one. The distance is
/// [`pairwise_distance`] of the order `p`. With `swap` the distance to the negative example is the smaller of
/// those from the anchor and from the positive example. By default the margin is 1, `p` 2 and `eps` 1e-6.
/// `torch.nn.functional.triplet_margin_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::triplet_margin_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let [a, p, n] = [[0.0, 0.0], [3.0, 4.0], [5.0, 5.0]].map(|row| Tensor::from([row]));
/// let loss = |order, swap| triplet_margin_loss(&a, &p, &n, None, order, None, swap, None)?.item::<f64>();
/// assert!((loss(1, false)? - (1.0 + 7.0 - 10.0_f64).max(0.0)).abs() < 1e-5);
/// assert!((loss(1, true)? - (1.0 + 7.0 - 3.0)).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn triplet_margin_loss(
    anchor: impl IntoTensor,
    positive: impl IntoTensor,
    negative: impl IntoTensor,
    margin: impl IntoFloat<Option<f64>>,
    p: impl IntoFloat<Option<f64>>,
    eps: impl IntoFloat<Option<f64>>,
    swap: impl Into<Option<bool>>,
    reduction: impl Into<Option<Reduction>>,
) -> Result<Tensor> {
    let (anchor, positive, negative) =
        (anchor.into_tensor()?, positive.into_tensor()?, negative.into_tensor()?);
    let (margin, p) = (margin.into_float().unwrap_or(1.0), p.into_float().unwrap_or(2.0));
    let (eps, is_swapped) = (eps.into_float().unwrap_or(1e-6), swap.into().unwrap_or(false));
    let reduction = reduction.into();
    let run = || {
        if p == 2.0 {
            return triplet_margin_loss_l2(anchor, positive, negative, margin, eps, is_swapped, reduction);
        }
        let near = pairwise_distance(&anchor, &positive, p, eps, None)?;
        let far = pairwise_distance(&anchor, &negative, p, eps, None)?;
        let far = if is_swapped {
            far.minimum(pairwise_distance(&positive, &negative, p, eps, None)?)?
        } else {
            far
        };
        let order = far.ones_like()?;
        margin_ranking_loss(far, near, order, margin, reduction)
    };
    run().map_err(|error| error.renamed("triplet_margin_loss"))
}

impl Tensor {
    /// [`catalogue::losses::pairwise_distance`](pairwise_distance) as a method.
    pub fn pairwise_distance(
        &self,
        x2: impl IntoTensor,
        p: impl IntoFloat<Option<f64>>,
        eps: impl IntoFloat<Option<f64>>,
        keepdim: impl Into<Option<bool>>,
    ) -> Result<Tensor> {
        self::pairwise_distance(self, x2, p, eps, keepdim)
    }

    /// [`catalogue::losses::triplet_margin_loss`](triplet_margin_loss) as a method.
    #[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
    pub fn triplet_margin_loss(
        &self,
        positive: impl IntoTensor,
        negative: impl IntoTensor,
        margin: impl IntoFloat<Option<f64>>,
        p: impl IntoFloat<Option<f64>>,
        eps: impl IntoFloat<Option<f64>>,
        swap: impl Into<Option<bool>>,
        reduction: impl Into<Option<Reduction>>,
    ) -> Result<Tensor> {
        self::triplet_margin_loss(self, positive, negative, margin, p, eps, swap, reduction)
    }
}

/// [`pairwise_distance`] of order 2.
#[tensor_op]
pub fn pairwise_distance_l2(
    x1: Tensor![.., n],
    x2: Tensor![.., n],
    #[default(1e-6)] eps: f64,
) -> Tensor![..] {
    norm(x1 - x2 + eps, n)
}

/// One minus the cosine for a target of 1, and for -1 how much the cosine exceeds the margin.
/// `torch.nn.functional.cosine_embedding_loss`.
#[tensor_op(method(inherent))]
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
#[tensor_op(method(inherent))]
pub fn margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    #[no_grad] target: Tensor,
    #[default(0.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    super::reduced(relu(margin - target * (input1 - input2)), reduction)
}

/// [`triplet_margin_loss`] of order 2.
#[tensor_op]
pub fn triplet_margin_loss_l2(
    anchor: Tensor![.., n],
    positive: Tensor![.., n],
    negative: Tensor![.., n],
    #[default(1.0)] margin: f64,
    #[default(1e-6)] eps: f64,
    #[default(false)] swap: bool,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let near = self::pairwise_distance_l2(anchor, positive, eps);
    let far = self::pairwise_distance_l2(anchor, negative, eps);
    let farther = if swap { minimum(far, self::pairwise_distance_l2(positive, negative, eps)) } else { far };
    super::reduced(relu(margin + near - farther), reduction)
}

/// [`triplet_margin_loss`] with the default distance of
/// `torch.nn.functional.triplet_margin_with_distance_loss`, which is [`pairwise_distance`]. For another
/// distance write its formula in the place of `near` and `far`:
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
#[tensor_op(method(inherent))]
pub fn triplet_margin_with_distance_loss(
    anchor: Tensor![.., n],
    positive: Tensor![.., n],
    negative: Tensor![.., n],
    #[default(1.0)] margin: f64,
    #[default(false)] swap: bool,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    self::triplet_margin_loss_l2(anchor, positive, negative, margin, 1e-6, swap, reduction)
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
