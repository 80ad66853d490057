//! Losses of classes: `input` has a number for each class along axis 1.

use crate::{
    DType, Error, ErrorKind, IntoFloat, IntoOptionalTensor, IntoTensor, Reduction, Result, Tensor, tensor_op,
};

/// The cross-entropy of logits and classes. A target of ints has the index of a class; one of floats has the
/// probability of each class. `torch.nn.functional.cross_entropy`.
///
/// Classes lie along axis 1, and a sample without a batch has them along axis 0. Each class has a `weight`,
/// by which it counts in a mean; the index `ignore_index` does not count, by default -100; and all classes
/// get the share `label_smoothing`. In a formula call [`cross_entropy_of_classes`] or
/// [`cross_entropy_of_probabilities`]. [`nn::cross_entropy`](crate::catalogue::nn::cross_entropy) has no
/// options, and reads the logits fewer times.
///
/// ```
/// use tensor_op::catalogue::losses::cross_entropy;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, class) = (Tensor::from([0.0, 0.0]), Tensor::scalar(1_i64, &Device::default())?);
/// let loss = cross_entropy(&x, class, None, None, None, None)?;
/// assert_eq!(loss.item::<f64>()?, std::f64::consts::LN_2);
/// let soft = cross_entropy(&x, Tensor::from([0.5, 0.5]), None, None, None, None)?;
/// assert_eq!(soft.item::<f64>()?, std::f64::consts::LN_2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, a class out of range, and an `ignore_index` of 0 or more beside
/// probabilities.
pub fn cross_entropy(
    input: impl IntoTensor,
    target: impl IntoTensor,
    weight: impl IntoOptionalTensor,
    ignore_index: impl Into<Option<i64>>,
    reduction: impl Into<Option<Reduction>>,
    label_smoothing: impl IntoFloat<Option<f64>>,
) -> Result<Tensor> {
    let (input, target, weight) =
        (input.into_tensor()?, target.into_tensor()?, weight.into_optional_tensor()?);
    let (ignored, smoothing) = (ignore_index.into(), label_smoothing.into_float());
    let reduction = reduction.into().unwrap_or(Reduction::Mean);
    let run = |input, target: Tensor| match target.dtype() {
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 if ignored.is_some_and(|index| index >= 0) => {
            let message = "is of classes, and `target` has probabilities: write `None`";
            Err(Error::new(ErrorKind::Unsupported, message).with_arg("ignore_index"))
        }
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 => {
            cross_entropy_of_probabilities(input, target, weight, reduction, smoothing)
        }
        _ => cross_entropy_of_classes(input, target, weight, ignored, reduction, smoothing),
    };
    of_batch(input, target, reduction, run).map_err(|error| error.renamed("cross_entropy"))
}

/// Minus the logarithms of the probabilities of the right classes, each times the weight of its class; the
/// class `ignore_index` does not count, by default -100. A mean is weighted. Classes lie along axis 1, and a
/// sample without a batch has them along axis 0. `torch.nn.functional.nll_loss`.
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, and a class out of range.
pub fn nll_loss(
    input: impl IntoTensor,
    target: impl IntoTensor,
    weight: impl IntoOptionalTensor,
    ignore_index: impl Into<Option<i64>>,
    reduction: impl Into<Option<Reduction>>,
) -> Result<Tensor> {
    let (input, target, weight) =
        (input.into_tensor()?, target.into_tensor()?, weight.into_optional_tensor()?);
    let (ignored, reduction) = (ignore_index.into(), reduction.into().unwrap_or(Reduction::Mean));
    let run = |input, target| nll_loss_of_batch(input, target, weight, ignored, reduction);
    of_batch(input, target, reduction, run).map_err(|error| error.renamed("nll_loss"))
}

/// How much each wrong class comes nearer to the right one than the margin, to the power `p`, 1 or 2, and
/// times the weight of the right class. By default `p` and the margin are 1. A sample may have no batch.
/// `torch.nn.functional.multi_margin_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::multi_margin_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, class) = (Tensor::from([[1.0, 2.5]]), Tensor::from([0]));
/// assert_eq!(multi_margin_loss(&x, &class, None, None, None, None)?.item::<f64>()?, 1.25);
/// assert_eq!(multi_margin_loss(&x, &class, 2, None, None, None)?.item::<f64>()?, 3.125);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, a class out of range, and a `p` that is neither 1 nor 2.
pub fn multi_margin_loss(
    input: impl IntoTensor,
    target: impl IntoTensor,
    p: impl Into<Option<i64>>,
    margin: impl IntoFloat<Option<f64>>,
    weight: impl IntoOptionalTensor,
    reduction: impl Into<Option<Reduction>>,
) -> Result<Tensor> {
    let (input, target, weight) =
        (input.into_tensor()?, target.into_tensor()?, weight.into_optional_tensor()?);
    let (p, margin) = (p.into().unwrap_or(1), margin.into_float());
    let reduction = reduction.into().unwrap_or(Reduction::Mean);
    let run = |input, target| match p {
        1 | 2 => multi_margin_loss_of_batch(input, target, weight, p == 2, margin, reduction),
        _ => {
            let message = format!("is {p}, and 1 or 2 is wanted");
            Err(Error::new(ErrorKind::Unsupported, message).with_arg("p"))
        }
    };
    of_batch(input, target, reduction, run).map_err(|error| error.renamed("multi_margin_loss"))
}

impl Tensor {
    /// [`catalogue::losses::cross_entropy`](cross_entropy) as a method.
    pub fn cross_entropy(
        &self,
        target: impl IntoTensor,
        weight: impl IntoOptionalTensor,
        ignore_index: impl Into<Option<i64>>,
        reduction: impl Into<Option<Reduction>>,
        label_smoothing: impl IntoFloat<Option<f64>>,
    ) -> Result<Tensor> {
        self::cross_entropy(self, target, weight, ignore_index, reduction, label_smoothing)
    }

    /// [`catalogue::losses::nll_loss`](nll_loss) as a method.
    pub fn nll_loss(
        &self,
        target: impl IntoTensor,
        weight: impl IntoOptionalTensor,
        ignore_index: impl Into<Option<i64>>,
        reduction: impl Into<Option<Reduction>>,
    ) -> Result<Tensor> {
        self::nll_loss(self, target, weight, ignore_index, reduction)
    }

    /// [`catalogue::losses::multi_margin_loss`](multi_margin_loss) as a method.
    pub fn multi_margin_loss(
        &self,
        target: impl IntoTensor,
        p: impl Into<Option<i64>>,
        margin: impl IntoFloat<Option<f64>>,
        weight: impl IntoOptionalTensor,
        reduction: impl Into<Option<Reduction>>,
    ) -> Result<Tensor> {
        self::multi_margin_loss(self, target, p, margin, weight, reduction)
    }
}

/// Runs a loss of a batch. A single sample, which has classes only, has a loss without the axis of the batch.
fn of_batch(
    input: Tensor,
    target: Tensor,
    reduction: Reduction,
    run: impl FnOnce(Tensor, Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    if input.rank() != 1 {
        return run(input, target);
    }
    let loss = run(input.unsqueeze(0)?, target.unsqueeze(0)?)?;
    if reduction == Reduction::None { loss.squeeze(0) } else { Ok(loss) }
}

/// Reduces the losses of targets. Targets of the class `ignore_index` are left out, and in a mean a target
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

/// [`cross_entropy`] of class indices.
#[tensor_op]
pub fn cross_entropy_of_classes(
    input: Tensor![b, c, ..],
    target: IntTensor![b, ..],
    #[no_grad] weight: Option<Tensor![c]>,
    #[default(-100)] ignore_index: i64,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(0.0)] label_smoothing: Fraction,
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
    #[default(0.0)] label_smoothing: Fraction,
) -> Tensor![b, ..] {
    let smooth = target * (1.0 - label_smoothing) + label_smoothing / len(c);
    super::reduced(-sum(log_softmax(input, c) * weight.unwrap_or(1.0) * smooth, c), reduction)
}

/// [`nll_loss`] of a batch.
#[tensor_op(burn = nll_loss_burn)]
pub fn nll_loss_of_batch(
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

/// [`multi_margin_loss`] of a batch; `squared` is a `p` of 2.
#[tensor_op]
pub fn multi_margin_loss_of_batch(
    input: Tensor![b, c],
    target: IntTensor![b],
    weight: Option<Tensor![c]>,
    #[default(false)] squared: bool,
    #[default(1.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor![b] {
    let short = relu(margin - at(input, c = target) + input);
    let power = select(squared, square(short), short);
    let cost = if weight.is_some() { power * at(weight.unwrap_or(1.0), c = target) } else { power };
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
#[tensor_op(method(inherent))]
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
#[tensor_op(method(inherent))]
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
