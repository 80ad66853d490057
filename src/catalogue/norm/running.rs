//! Batch norm and instance norm, in training and by running statistics.

use crate::{Error, ErrorKind, IntoFloat, IntoOptionalTensor, IntoTensor, Result, Tensor, tensor_op};

/// Normalizes each channel: in training by its mean and variance over the batch and all positions, and else
/// by running statistics. `torch.nn.functional.batch_norm`.
///
/// The second and the third result are the running mean and variance after the call, where PyTorch changes
/// them in place. In training they move by `momentum` to the statistics of the tensor, whose variance is
/// divided by one less than the number of elements. Otherwise they are those that were passed.
///
/// A tensor of one axis has channels only. By default `training` is false, `momentum` 0.1 and `eps` 1e-5.
///
/// ```
/// use tensor_op::catalogue::norm::batch_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0], [3.0]]);
/// let (mean, var) = (Tensor::from([0.0]), Tensor::from([1.0]));
/// let (y, mean, var) = batch_norm(&x, mean, var, None, None, true, 0.5, 0.0)?;
/// assert_eq!(y.to_vec::<f64>()?, [-1.0, 1.0]);
/// // Half of the mean 2, and of the variance 2.
/// assert_eq!(mean.map(|mean| mean.item::<f64>()).transpose()?, Some(1.0));
/// assert_eq!(var.map(|var| var.item::<f64>()).transpose()?, Some(1.5));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, and one running statistic without the other. In training there
/// must be two elements or more in a channel, and else there must be running statistics.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn batch_norm(
    input: impl IntoTensor,
    running_mean: impl IntoOptionalTensor,
    running_var: impl IntoOptionalTensor,
    weight: impl IntoOptionalTensor,
    bias: impl IntoOptionalTensor,
    training: impl Into<Option<bool>>,
    momentum: impl IntoFloat<Option<f64>>,
    eps: impl IntoFloat<Option<f64>>,
) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
    let (input, eps) = (input.into_tensor()?, eps.into_float());
    let running = Running::new("batch_norm", running_mean, running_var, momentum)?;
    let (weight, bias) = (weight.into_optional_tensor()?, bias.into_optional_tensor()?);
    let is_training = training.into().unwrap_or(false);
    let run = || {
        let is_row = input.rank() == 1;
        let input = if is_row { input.unsqueeze(0)? } else { input };
        let (y, running) = if is_training {
            let count = elements(&input, 0)?;
            let (y, mean, var) = batch_norm_train(input, weight, bias, eps)?;
            (y, running.moved(mean, var, count)?)
        } else {
            (running.evaluated(input, weight, bias, eps)?, running)
        };
        let y = if is_row { y.squeeze(0)? } else { y };
        let (mean, var) = running.statistics.unzip();
        Ok((y, mean, var))
    };
    run().map_err(|error: Error| error.renamed("batch_norm"))
}

/// Normalizes each channel of each sample: by its mean and variance over all positions, or if
/// `use_input_stats` is false by running statistics. `torch.nn.functional.instance_norm`.
///
/// The second and the third result are the running mean and variance after the call, where PyTorch changes
/// them in place: they move by `momentum` to the mean over all samples, where variances are divided by one
/// less than the number of elements. By default `use_input_stats` is true, `momentum` 0.1 and `eps` 1e-5.
///
/// ```
/// use tensor_op::catalogue::norm::instance_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[[1.0, 3.0], [5.0, 9.0]]]);
/// let (y, ..) = instance_norm(&x, None, None, None, None, None, None, 0.0)?;
/// assert_eq!(y.to_vec::<f64>()?, [-1.0, 1.0, -1.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, and one running statistic without the other. A channel of a
/// sample must have two elements or more if its own statistics are used, and else there must be running ones.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn instance_norm(
    input: impl IntoTensor,
    running_mean: impl IntoOptionalTensor,
    running_var: impl IntoOptionalTensor,
    weight: impl IntoOptionalTensor,
    bias: impl IntoOptionalTensor,
    use_input_stats: impl Into<Option<bool>>,
    momentum: impl IntoFloat<Option<f64>>,
    eps: impl IntoFloat<Option<f64>>,
) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
    let (input, eps) = (input.into_tensor()?, eps.into_float());
    let running = Running::new("instance_norm", running_mean, running_var, momentum)?;
    let (weight, bias) = (weight.into_optional_tensor()?, bias.into_optional_tensor()?);
    let uses_own = use_input_stats.into().unwrap_or(true);
    let run = || {
        let (y, running) = if uses_own {
            let count = elements(&input, 1)?;
            let (y, mean, var) = instance_norm_train(input, weight, bias, eps)?;
            (y, running.moved(mean.mean(0)?, var.mean(0)?, count)?)
        } else {
            (running.evaluated(input, weight, bias, eps)?, running)
        };
        let (mean, var) = running.statistics.unzip();
        Ok((y, mean, var))
    };
    run().map_err(|error: Error| error.renamed("instance_norm"))
}

impl Tensor {
    /// [`catalogue::norm::batch_norm`](batch_norm) as a method.
    #[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
    pub fn batch_norm(
        &self,
        running_mean: impl IntoOptionalTensor,
        running_var: impl IntoOptionalTensor,
        weight: impl IntoOptionalTensor,
        bias: impl IntoOptionalTensor,
        training: impl Into<Option<bool>>,
        momentum: impl IntoFloat<Option<f64>>,
        eps: impl IntoFloat<Option<f64>>,
    ) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
        self::batch_norm(self, running_mean, running_var, weight, bias, training, momentum, eps)
    }

    /// [`catalogue::norm::instance_norm`](instance_norm) as a method.
    #[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
    pub fn instance_norm(
        &self,
        running_mean: impl IntoOptionalTensor,
        running_var: impl IntoOptionalTensor,
        weight: impl IntoOptionalTensor,
        bias: impl IntoOptionalTensor,
        use_input_stats: impl Into<Option<bool>>,
        momentum: impl IntoFloat<Option<f64>>,
        eps: impl IntoFloat<Option<f64>>,
    ) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
        self::instance_norm(self, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
    }
}

/// The running mean and variance, and how far they move.
struct Running {
    statistics: Option<(Tensor, Tensor)>,
    momentum: Option<f64>,
}

impl Running {
    fn new(
        op: &str,
        mean: impl IntoOptionalTensor,
        var: impl IntoOptionalTensor,
        momentum: impl IntoFloat<Option<f64>>,
    ) -> Result<Running> {
        let statistics = match (mean.into_optional_tensor()?, var.into_optional_tensor()?) {
            (Some(mean), Some(var)) => Some((mean, var)),
            (None, None) => None,
            (mean, _) => {
                let (given, missing) = if mean.is_some() { ("mean", "var") } else { ("var", "mean") };
                let message =
                    format!("`running_{given}` is there without `running_{missing}`: pass both or none");
                return Err(Error::new(ErrorKind::Length, message).with_op(op));
            }
        };
        Ok(Running { statistics, momentum: momentum.into_float() })
    }

    /// The statistics after a tensor with these, of so many elements each.
    fn moved(self, mean: Tensor, var: Tensor, count: i64) -> Result<Running> {
        let Running { statistics, momentum } = self;
        let moved = statistics.map(|(running_mean, running_var)| {
            running_statistics(running_mean.detach(), running_var.detach(), mean, var, count, momentum)
        });
        Ok(Running { statistics: moved.transpose()?, momentum })
    }

    fn evaluated(
        &self,
        input: Tensor,
        weight: Option<Tensor>,
        bias: Option<Tensor>,
        eps: Option<f64>,
    ) -> Result<Tensor> {
        let Some((mean, var)) = &self.statistics else {
            let message = "there are no running statistics: pass `running_mean` and `running_var`";
            return Err(Error::new(ErrorKind::Length, message));
        };
        batch_norm_eval(input, mean.detach(), var.detach(), weight, bias, eps)
    }
}

/// How many elements a channel has: of the whole batch, or if `kept` is 1 of a sample.
fn elements(input: &Tensor, kept: usize) -> Result<i64> {
    let shape = input.shape();
    let batch = if kept == 0 { shape.first().copied().unwrap_or(1) } else { 1 };
    let count = batch * shape.iter().skip(2).product::<usize>();
    if count > 1 || shape.rank() < 2 {
        return Ok(count as i64);
    }
    let of = if kept == 0 { "channel" } else { "channel of a sample" };
    let message =
        format!("`input` has shape {shape}, with {count} elements in a {of}; two or more have a variance");
    Err(Error::new(ErrorKind::Empty, message))
}

/// [`batch_norm`] in training. The second and the third result are the mean and the variance of each channel,
/// divided by the number of elements.
#[tensor_op]
pub fn batch_norm_train(
    input: Tensor![b, c, ..],
    weight: Option<Tensor![c]>,
    bias: Option<Tensor![c]>,
    #[default(1e-5)] eps: f64,
) -> (Tensor![b, c, ..], Tensor![c], Tensor![c]) {
    let mu = mean(input, (b, ..));
    let centered = input - mu;
    let variance = mean(square(centered), (b, ..));
    let y = centered * rsqrt(variance + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0);
    (y, stop_grad(mu), stop_grad(variance))
}

/// [`batch_norm`] in evaluation: each channel by running statistics.
#[tensor_op]
pub fn batch_norm_eval(
    input: Tensor![b, c, ..],
    #[no_grad] running_mean: Tensor![c],
    #[no_grad] running_var: Tensor![c],
    weight: Option<Tensor![c]>,
    bias: Option<Tensor![c]>,
    #[default(1e-5)] eps: f64,
) -> Tensor![b, c, ..] {
    (input - running_mean) * rsqrt(running_var + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0)
}

/// [`instance_norm`] by the statistics of each channel of each sample, which are the second and the third
/// result. The variance is divided by the number of elements.
#[tensor_op]
pub fn instance_norm_train(
    input: Tensor![b, c, ..],
    weight: Option<Tensor![c]>,
    bias: Option<Tensor![c]>,
    #[default(1e-5)] eps: f64,
) -> (Tensor![b, c, ..], Tensor![b, c], Tensor![b, c]) {
    let mu = mean(input, ..);
    let centered = input - mu;
    let variance = mean(square(centered), ..);
    let y = centered * rsqrt(variance + eps) * weight.unwrap_or(1.0) + bias.unwrap_or(0.0);
    (y, stop_grad(mu), stop_grad(variance))
}

/// The running mean and variance, nearer to those of a tensor by the share `momentum`. The variance that is
/// passed was divided by the number of elements `count`; the running one is divided by one less.
#[tensor_op]
#[no_grad]
pub fn running_statistics(
    running_mean: Tensor![c],
    running_var: Tensor![c],
    mean: Tensor![c],
    var: Tensor![c],
    count: i64,
    #[default(0.1)] momentum: f64,
) -> (Tensor![c], Tensor![c]) {
    let unbiased = var * (cast(count, float) / cast(count - 1, float));
    (running_mean + momentum * (mean - running_mean), running_var + momentum * (unbiased - running_var))
}
