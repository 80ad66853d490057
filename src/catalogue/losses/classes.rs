//! Losses of classes: `input` has a number for each class along axis 1.

use crate::catalogue::nn;
use crate::{IntoFloat, IntoOptionalTensor, IntoTensor, Reduction, Result, Tensor, tensor_op};
use tensor_op_spec::ir::Kind;

/// What is made of losses of targets, of which the class `ignore_index` does not count. In a mean a target
/// counts by the weight of its class.
#[tensor_op(tests = false)]
pub(crate) fn counted(
    loss: Tensor![b, ..],
    target: IntTensor![b, ..],
    weight: Option<Tensor![c]>,
    ignore_index: i64,
    reduction: Reduction,
) -> Tensor![b, ..] {
    let is_counted = target != ignore_index;
    let kept = select(is_counted, loss, 0.0);
    let importance = if weight.is_some() {
        select(is_counted, at(weight.unwrap_or(1.0), c = select(is_counted, target, 0)), 0.0)
    } else {
        cast(is_counted, float)
    };
    match reduction {
        Reduction::None => kept,
        Reduction::Mean => sum(kept, (b, ..)) / sum(importance, (b, ..)),
        Reduction::Sum => sum(kept, (b, ..)),
    }
}

/// The cross-entropy of logits and class indices, with weights of classes, an index that does not count, and
/// a share `label_smoothing` that all classes get. A mean is weighted. `torch.nn.functional.cross_entropy`.
///
/// [`nn::cross_entropy`](crate::catalogue::nn::cross_entropy) has none of these, and reads the logits fewer
/// times.
#[tensor_op(method(inherent))]
pub fn cross_entropy(
    input: Tensor![b, c, ..],
    target: IntTensor![b, ..],
    #[no_grad] weight: Option<Tensor![c]>,
    #[default(-100)] ignore_index: i64,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(0.0)] label_smoothing: f64,
) -> Tensor![b, ..] {
    let class = select(target != ignore_index, target, 0);
    let logs = log_softmax(input, c) * weight.unwrap_or(1.0);
    let share = select(label_smoothing > 0.0, label_smoothing * mean(logs, c), 0.0);
    let loss = -((1.0 - label_smoothing) * at(logs, c = class) + share);
    self::counted(loss, target, weight, ignore_index, reduction)
}

/// The cross-entropy of logits and probabilities of classes.
/// `torch.nn.functional.cross_entropy` with a target of floats.
#[tensor_op]
pub fn cross_entropy_of_probabilities(
    input: Tensor![b, c, ..],
    target: Tensor![b, c, ..],
    weight: Option<Tensor![c]>,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(0.0)] label_smoothing: f64,
) -> Tensor![b, ..] {
    let smooth = target * (1.0 - label_smoothing) + label_smoothing / len(c);
    super::reduced(-sum(log_softmax(input, c) * weight.unwrap_or(1.0) * smooth, c), reduction)
}

/// The cross-entropy of the logits that a linear layer gives: that of `input * linear_weight^T +
/// linear_bias`. The rows of `linear_weight` are the classes; it may have axes between classes and features,
/// which are those of `target` behind the batch. A `target` of ints has classes, as in [`cross_entropy`], and
/// one of floats probabilities, as in [`cross_entropy_of_probabilities`]. An `input` of one axis is a single
/// sample. `torch.nn.functional.linear_cross_entropy`.
///
/// ```
/// use tensor_op::catalogue::losses::linear_cross_entropy;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, weight) = (Tensor::from([[1.0, 2.0]]), Tensor::from([[3.0, 4.0], [3.0, 4.0]]));
/// let loss = linear_cross_entropy(&x, &weight, Tensor::from([1]), None, None, None, None, None)?;
/// assert!((loss.item::<f64>()? - std::f64::consts::LN_2).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, and targets that are no classes.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn linear_cross_entropy(
    input: impl IntoTensor,
    linear_weight: impl IntoTensor,
    target: impl IntoTensor,
    linear_bias: impl IntoOptionalTensor,
    weight: impl IntoOptionalTensor,
    reduction: impl Into<Option<Reduction>>,
    ignore_index: impl Into<Option<i64>>,
    label_smoothing: impl IntoFloat<Option<f64>>,
) -> Result<Tensor> {
    let (input, rows, target) = (input.into_tensor()?, linear_weight.into_tensor()?, target.into_tensor()?);
    let (bias, reduction) = (linear_bias.into_optional_tensor()?, reduction.into());
    let loss = || -> Result<Tensor> {
        let (is_single, classes) = (input.rank() == 1, rows.shape());
        let features = classes.last().copied().unwrap_or(1);
        let rows = rows.reshape([rows.elements() / features.max(1), features])?;
        let bias = bias.map(|bias| bias.flatten(0, -1)).transpose()?;
        let batch = |x: &Tensor| if is_single { x.unsqueeze(0) } else { Ok(x.clone()) };
        let logits = nn::linear(batch(&input)?, rows, bias)?;
        let shape =
            [&logits.shape()[..logits.rank() - 1], &classes[..classes.len().saturating_sub(1)]].concat();
        let (logits, target) = (logits.reshape(shape)?, batch(&target)?);
        let loss = if target.dtype().kind() == Kind::Float {
            cross_entropy_of_probabilities(logits, target, weight, reduction, label_smoothing)?
        } else {
            cross_entropy(logits, target, weight, ignore_index, reduction, label_smoothing)?
        };
        if is_single && reduction == Some(Reduction::None) { loss.squeeze(0) } else { Ok(loss) }
    };
    loss().map_err(|error| error.renamed("linear_cross_entropy"))
}

/// Minus the logarithms of the probabilities of the right classes, each times the weight of its class; the
/// class `ignore_index` does not count. A mean is weighted. `torch.nn.functional.nll_loss`.
#[tensor_op(method(inherent), burn = nll_loss_burn)]
pub fn nll_loss(
    input: Tensor![b, c, ..],
    target: IntTensor![b, ..],
    weight: Option<Tensor![c]>,
    #[default(-100)] ignore_index: i64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor![b, ..] {
    let class = select(target != ignore_index, target, 0);
    let loss = -at(input * weight.unwrap_or(1.0), c = class);
    self::counted(loss, target, weight, ignore_index, reduction)
}

/// How much each wrong class comes nearer to the right one than the margin, squared if `p` is 2.
/// `torch.nn.functional.multi_margin_loss`, with `squared` for `p=2`.
#[tensor_op]
pub fn multi_margin_loss(
    input: Tensor![b, c],
    target: IntTensor![b],
    #[default(false)] squared: bool,
    #[default(1.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor![b] {
    let short = relu(margin - at(input, c = target) + input);
    let cost = if squared { square(short) } else { short };
    super::reduced(sum(select(iota(c) == target, 0.0, cost), c) / len(c), reduction)
}

/// How much each wrong class comes nearer to each right one than 1, divided by the number of classes. A
/// row of `target` names the right classes, up to the first -1.
/// `torch.nn.functional.multilabel_margin_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::multilabel_margin_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 4.0, 8.0], [1, 4], &Device::default())?;
/// // Classes 3 and 0 are right; what stands behind -1 does not count.
/// let target = Tensor::from_vec(vec![3_i64, 0, -1, 1], [1, 4], &Device::default())?;
/// assert_eq!(multilabel_margin_loss(&x, &target, None)?.item::<f64>()?, 1.5);
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn multilabel_margin_loss(
    input: Tensor![.., c],
    target: IntTensor![.., k = c],
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let is_given = iota(k) < min(select(target == -1, iota(k), len(k)), k);
    let class = select(is_given, target, 0);
    let is_right = any(is_given & (iota(c) == class), k);
    let short = relu(1.0 - at(input, c = class) + input);
    super::reduced(sum(select(is_given & !is_right, short, 0.0), (k, c)) / len(c), reduction)
}

/// The mean over classes of the cross-entropy of the log-odds of each class.
/// `torch.nn.functional.multilabel_soft_margin_loss`.
#[tensor_op]
pub fn multilabel_soft_margin_loss(
    input: Tensor![.., n],
    target: Tensor![.., n],
    weight: Option<Tensor![n]>,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let loss = target * softplus(-input) + (1.0 - target) * softplus(input);
    super::reduced(mean(weight.unwrap_or(1.0) * loss, n), reduction)
}

/// Cross-entropy of which easy elements get less, by `(1 - p)^gamma`: what detectors of rare objects train
/// with. `torchvision.ops.sigmoid_focal_loss`.
///
/// Source: Lin et al., Focal Loss for Dense Object Detection, 2017.
#[tensor_op]
pub fn sigmoid_focal_loss(
    input: Tensor,
    target: Tensor,
    #[default(0.25)] alpha: f64,
    #[default(2.0)] gamma: f64,
    #[default(Reduction::None)] reduction: Reduction,
) -> Tensor {
    let p = sigmoid(input);
    let loss = (1.0 - target) * input + softplus(-input);
    let wrong = p * (1.0 - target) + (1.0 - p) * target;
    super::reduced((alpha * target + (1.0 - alpha) * (1.0 - target)) * pow(wrong, gamma) * loss, reduction)
}
