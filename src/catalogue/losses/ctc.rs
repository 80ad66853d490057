//! The loss of a sequence of labels whose places in time are unknown: connectionist temporal classification.
//!
//! Source: Graves et al., Connectionist Temporal Classification, 2006.

use crate::{IntoTensor, Reduction, Result, Tensor, tensor_op};

/// Minus the logarithm of the probability that a sequence of distributions gives each sequence of labels:
/// each label once or more, with any number of blanks between. `torch.nn.functional.ctc_loss`.
///
/// `log_probs` has the times, the batch and the classes; `targets` the batch and the labels, and what stands
/// behind the length of a target does not count. The lengths are ints, one for each sequence. An input length
/// beyond the times counts as all of them. `None` stands for the blank 0, the mean and `false`. The mean is
/// that of each loss divided by the length of its target. Labels that don't fit into their times have an
/// infinite loss; `zero_infinity` makes it and its gradient zero.
///
/// The gradient is that of the loss in `log_probs`, for any numbers. PyTorch's is right only behind a
/// `log_softmax`. The function runs an op for each time.
///
/// ```
/// use tensor_op::catalogue::losses::ctc_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// // Two times, a blank and a letter: the letter is missing only if both times are blank.
/// let log_probs = Tensor::from([[[0.5, 0.5]], [[0.5, 0.5]]]).log()?;
/// let (targets, times, letters) = (Tensor::from([[1]]), Tensor::from([2]), Tensor::from([1]));
/// let loss = ctc_loss(&log_probs, &targets, &times, &letters, None, None, None)?.item::<f64>()?;
/// assert!((loss + f64::ln(0.75)).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, labels that are no classes, and lengths of targets that are
/// negative or beyond the labels.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn ctc_loss(
    log_probs: impl IntoTensor,
    targets: impl IntoTensor,
    input_lengths: impl IntoTensor,
    target_lengths: impl IntoTensor,
    blank: impl Into<Option<i64>>,
    reduction: impl Into<Option<Reduction>>,
    zero_infinity: impl Into<Option<bool>>,
) -> Result<Tensor> {
    let (log_probs, targets) = (log_probs.into_tensor()?, targets.into_tensor()?);
    let (input_lengths, target_lengths) = (input_lengths.into_tensor()?, target_lengths.into_tensor()?);
    let loss = || -> Result<Tensor> {
        let labels = ctc_labels(targets, &target_lengths, blank.into().unwrap_or(0))?;
        let emissions = ctc_emissions(log_probs, &labels)?;
        let start = ctc_start(labels.shape()[1], emissions.dtype(), &emissions.device())?;
        let mut state = start.broadcast_to(labels.shape())?;
        for (time, emission) in emissions.unbind(0)?.iter().enumerate() {
            state = ctc_step(state, emission, &labels, &input_lengths, time as i64)?;
        }
        ctc_end(state, target_lengths, reduction, zero_infinity)
    };
    loss().map_err(|error| error.renamed("ctc_loss"))
}

/// `ln(exp(x) + exp(y))`, where -inf stands for nothing and has no gradient.
#[tensor_op(tests = false)]
pub(crate) fn log_add(x: Tensor, y: Tensor) -> Tensor {
    let top = stop_grad(maximum(x, y));
    let is_nothing = top == -INFINITY;
    let base = select(is_nothing, 0.0, top);
    select(is_nothing, -INFINITY, base + ln(select(is_nothing, 1.0, exp(x - base) + exp(y - base))))
}

/// The labels with a blank before, between and behind them. Behind the length of a target there are blanks.
#[tensor_op]
pub(crate) fn ctc_labels(
    targets: IntTensor![b, s],
    target_lengths: IntTensor![b],
    blank: i64,
) -> IntTensor![b, l = 2 * s + 1] {
    let place = (iota(l) - 1) / 2;
    let is_label = (iota(l) % 2 == 1) & (place < target_lengths);
    select(is_label, at(targets, s = select(is_label, place, 0), or = blank), blank)
}

/// The log-probability of each label at each time.
#[tensor_op]
pub(crate) fn ctc_emissions(log_probs: Tensor![t, b, c], labels: IntTensor![b, l]) -> Tensor![t, b, l] {
    at(log_probs, c = labels)
}

/// The state before the first time: all probability lies at the first blank.
#[tensor_op]
pub(crate) fn ctc_start(l: usize) -> Tensor![l] {
    select(iota(l) == 0, 0.0, -INFINITY)
}

/// The logarithm of the probability of each prefix of the labels after one time more. A prefix stays, or
/// grows by one label, or by two if a blank between different labels is left out.
#[tensor_op]
pub(crate) fn ctc_step(
    state: Tensor![b, l],
    emission: Tensor![b, l],
    labels: IntTensor![b, l],
    input_lengths: IntTensor![b],
    time: i64,
) -> Tensor![b, l] {
    let leaves_out_blank = (iota(l) % 2 == 1) & (labels != at(labels, l = iota(l) - 2, or = -1));
    let one = at(state, l = iota(l) - 1, or = -INFINITY);
    let two = select(leaves_out_blank, at(state, l = iota(l) - 2, or = -INFINITY), -INFINITY);
    let next = self::log_add(self::log_add(state, one), two) + emission;
    select(time < input_lengths, next, state)
}

/// The loss of prefixes that are whole, with the last blank or without it.
#[tensor_op]
pub(crate) fn ctc_end(
    state: Tensor![b, l],
    target_lengths: IntTensor![b],
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(false)] zero_infinity: bool,
) -> Tensor![b] {
    let whole = at(state, l = 2 * target_lengths);
    let found = -self::log_add(whole, at(state, l = 2 * target_lengths - 1, or = -INFINITY));
    let loss = select(zero_infinity & (found == INFINITY), 0.0, found);
    match reduction {
        Reduction::None => loss,
        Reduction::Mean => mean(loss / cast(maximum(target_lengths, 1), float), b),
        Reduction::Sum => sum(loss, b),
    }
}
