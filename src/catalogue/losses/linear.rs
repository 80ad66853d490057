//! The cross-entropy of a linear layer.

use super::cross_entropy;
use crate::catalogue::nn;
use crate::{IntoFloat, IntoOptionalTensor, IntoTensor, Reduction, Result, Tensor};

/// The cross-entropy of the logits that a linear layer gives: that of `input * linear_weight^T +
/// linear_bias`. The rows of `linear_weight` are the classes; it may have axes between classes and
/// features, which are those of `target` behind the batch. A `target` of ints has classes, and one of
/// floats probabilities, as in [`cross_entropy`]. An `input` of one axis is a single sample.
/// `torch.nn.functional.linear_cross_entropy`.
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
        let loss = cross_entropy(logits, target, weight, ignore_index, reduction, label_smoothing)?;
        if is_single && reduction == Some(Reduction::None) { loss.squeeze(0) } else { Ok(loss) }
    };
    loss().map_err(|error| error.renamed("linear_cross_entropy"))
}
