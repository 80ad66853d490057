//! Losses of elements: each compares one number with its target.

use crate::{IntoFloat, IntoOperand, IntoTensor, Operand, Reduction, Result, Shape, Tensor, tensor_op};

/// Squared differences. `torch.nn.functional.mse_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::mse_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, target) = (Tensor::from([1.0, 3.0]), Tensor::from([0.0, 1.0]));
/// assert_eq!(mse_loss(&x, &target, None)?.item::<f64>()?, 2.5);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = mse_loss_burn)]
pub fn mse_loss(input: Tensor, target: Tensor, #[default(Reduction::Mean)] reduction: Reduction) -> Tensor {
    super::reduced(square(input - target), reduction)
}

/// Absolute differences. `torch.nn.functional.l1_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::l1_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, target) = (Tensor::from([1.0, 3.0]), Tensor::from([0.0, 1.0]));
/// assert_eq!(l1_loss(&x, &target, None)?.item::<f64>()?, 1.5);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = l1_loss_burn)]
pub fn l1_loss(input: Tensor, target: Tensor, #[default(Reduction::Mean)] reduction: Reduction) -> Tensor {
    super::reduced(abs(input - target), reduction)
}

/// Squared differences below `beta`, and absolute ones beyond. `torch.nn.functional.smooth_l1_loss`.
#[tensor_op(method(inherent))]
pub fn smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(1.0)] beta: f64,
) -> Tensor {
    let d = abs(input - target);
    let loss = select(d < beta, 0.5 * d * d / select(beta > 0.0, beta, 1.0), d - 0.5 * beta);
    super::reduced(loss, reduction)
}

/// Squared differences up to `delta`, and beyond absolute ones times `delta`.
/// `torch.nn.functional.huber_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::huber_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, target) = (Tensor::from([1.0, 3.0]), Tensor::from([0.0, 1.0]));
/// assert_eq!(huber_loss(&x, &target, None, None)?.item::<f64>()?, 1.0);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn huber_loss(
    input: Tensor,
    target: Tensor,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(1.0)] delta: f64,
) -> Tensor {
    let d = abs(input - target);
    super::reduced(select(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)
}

/// The divergence of Kullback and Leibler: `input` are logarithms of probabilities, and so is `target` if
/// `log_target` says so. A negative probability gives NaN. `torch.nn.functional.kl_div`; for its reduction
/// `batchmean` there is [`kl_div_batchmean`].
///
/// ```
/// use tensor_op::catalogue::losses::kl_div;
/// use tensor_op::{Reduction, prelude::*};
///
/// # fn main() -> Result<()> {
/// let target = Tensor::from_vec(vec![1.0, 0.0, -1.0], [3], &Device::default())?;
/// let loss = kl_div((&target * 0.0)?, &target, Reduction::None, None)?.to_vec::<f64>()?;
/// assert!(loss[0] == 0.0 && loss[1] == 0.0 && loss[2].is_nan());
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = kl_div_burn)]
pub fn kl_div(
    input: Tensor,
    target: Tensor,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(false)] log_target: bool,
) -> Tensor {
    let loss = if log_target {
        exp(target) * (target - input)
    } else {
        select(target == 0.0, 0.0, target * ln(select(target == 0.0, 1.0, target))) - target * input
    };
    super::reduced(loss, reduction)
}

/// [`kl_div`], summed and divided by the number of rows: its mathematical definition.
/// `torch.nn.functional.kl_div(reduction="batchmean")`.
#[tensor_op(method(inherent))]
pub fn kl_div_batchmean(
    input: Tensor![b, ..],
    target: Tensor![b, ..],
    #[default(false)] log_target: bool,
) -> Tensor![] {
    self::kl_div(input, target, Reduction::Sum, log_target) / len(b)
}

/// `binary_cross_entropy` of each element. The derivative by `input` is infinite at 0 and 1; as in PyTorch,
/// its denominator is at least 1e-12.
#[tensor_op(tests = false)]
#[grad(input = grad * (input - target) / maximum((1.0 - input) * input, 1e-12))]
pub(crate) fn cross_entropy_of_yes(input: Tensor, target: Tensor) -> Tensor {
    -(target * maximum(ln(input), -100.0) + (1.0 - target) * maximum(log1p(-input), -100.0))
}

/// The cross-entropy of probabilities of a yes, with logarithms of at least -100.
/// `torch.nn.functional.binary_cross_entropy`.
#[tensor_op(method(inherent))]
pub fn binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Option<Tensor>,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    super::reduced(weight.unwrap_or(1.0) * self::cross_entropy_of_yes(input, target), reduction)
}

/// The cross-entropy of the log-odds of a yes; `pos_weight` is the weight of those that are.
/// `torch.nn.functional.binary_cross_entropy_with_logits`.
#[tensor_op(method(inherent))]
pub fn binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Option<Tensor>,
    #[default(Reduction::Mean)] reduction: Reduction,
    pos_weight: Option<Tensor>,
) -> Tensor {
    let importance = 1.0 + (pos_weight.unwrap_or(1.0) - 1.0) * target;
    let loss = (1.0 - target) * input + importance * softplus(-input);
    super::reduced(weight.unwrap_or(1.0) * loss, reduction)
}

/// `log(1 + exp(-target x))` for targets -1 and 1. `torch.nn.functional.soft_margin_loss`.
#[tensor_op(method(inherent))]
pub fn soft_margin_loss(
    input: Tensor,
    target: Tensor,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    super::reduced(softplus(-target * input), reduction)
}

/// The number itself for a target of 1, and for -1 how much it is below the margin.
/// `torch.nn.functional.hinge_embedding_loss`.
#[tensor_op(method(inherent))]
pub fn hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    #[default(1.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let loss = select(target == 1.0, 0.0, relu(margin - input)) + select(target == -1.0, 0.0, input);
    super::reduced(loss, reduction)
}

/// Minus the log-likelihood of counts, with Stirling's approximation of its constant if `full` says so.
/// `input` is the logarithm of the rate if `log_input` says so. `torch.nn.functional.poisson_nll_loss`.
#[tensor_op(method(inherent))]
pub fn poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    #[default(true)] log_input: bool,
    #[default(false)] full: bool,
    #[default(1e-8)] eps: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let loss = if log_input { exp(input) - target * input } else { input - target * ln(input + eps) };
    let large = maximum(target, 1.0);
    let stirling = large * ln(large) - large + 0.5 * ln(2.0 * PI * large);
    let whole = if full { loss + select(target > 1.0, stirling, 0.0) } else { loss };
    super::reduced(whole, reduction)
}

/// The number, or this bound if it is smaller. The gradient passes in both cases.
#[tensor_op(tests = false)]
#[grad(input = grad)]
pub(crate) fn at_least(input: Tensor, bound: f64) -> Tensor {
    maximum(input, bound)
}

/// Minus the log-likelihood of a normal distribution whose variance is given, as a number or a tensor, with
/// its constant if `full` says so. Where the variance is below `eps`, by default 1e-6, this stands for it,
/// and the variance still gets the gradient. A variance that lacks the last axis of the input is that of a
/// whole row. `torch.nn.functional.gaussian_nll_loss`, which refuses negative variances.
///
/// ```
/// use tensor_op::catalogue::losses::gaussian_nll_loss;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, y) = (Tensor::from([1.0]), Tensor::from([3.0]));
/// assert_eq!(gaussian_nll_loss(&x, &y, 1, None, None, None)?.item::<f64>()?, 2.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together.
pub fn gaussian_nll_loss(
    input: impl IntoTensor,
    target: impl IntoTensor,
    var: impl IntoOperand,
    full: impl Into<Option<bool>>,
    eps: impl IntoFloat<Option<f64>>,
    reduction: impl Into<Option<Reduction>>,
) -> Result<Tensor> {
    let (input, target, var) = (input.into_tensor()?, target.into_tensor()?, var.into_operand()?);
    let (full, eps, reduction) = (full.into(), eps.into_float(), reduction.into());
    let run = || {
        let shape = input.shape();
        let is_of_rows = |var: &Tensor| {
            shape.rank() > 0 && var.shape() != shape && var.shape()[..] == shape[..shape.rank() - 1]
        };
        let var = match var {
            Operand::Number(number) => {
                (Tensor::zeros(Shape::scalar(), input.dtype(), &input.device())? + number)?
            }
            Operand::Tensor(var) if is_of_rows(&var) => var.unsqueeze(-1)?,
            Operand::Tensor(var) => var,
        };
        gaussian_nll_loss_of_tensors(input, target, var, full, eps, reduction)
    };
    run().map_err(|error| error.renamed("gaussian_nll_loss"))
}

impl Tensor {
    /// [`catalogue::losses::gaussian_nll_loss`](gaussian_nll_loss) as a method.
    pub fn gaussian_nll_loss(
        &self,
        target: impl IntoTensor,
        var: impl IntoOperand,
        full: impl Into<Option<bool>>,
        eps: impl IntoFloat<Option<f64>>,
        reduction: impl Into<Option<Reduction>>,
    ) -> Result<Tensor> {
        self::gaussian_nll_loss(self, target, var, full, eps, reduction)
    }
}

/// [`gaussian_nll_loss`] with a variance that broadcasts.
#[tensor_op]
pub fn gaussian_nll_loss_of_tensors(
    input: Tensor,
    target: Tensor,
    var: Tensor,
    #[default(false)] full: bool,
    #[default(1e-6)] eps: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor {
    let safe = self::at_least(var, eps);
    let constant = select(full, 0.5 * ln(2.0 * PI), 0.0);
    super::reduced(0.5 * (ln(safe) + square(input - target) / safe) + constant, reduction)
}
