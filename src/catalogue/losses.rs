//! Losses. Names and arguments are PyTorch's: `reduction` says what is made of the losses of all elements.

use crate::{Reduction, tensor_op};

/// Squared differences. `torch.nn.functional.mse_loss`.
///
/// ```
/// use tensor_op::catalogue::losses::mse_loss;
/// use tensor_op::{Reduction, prelude::*};
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &Device::default())?;
/// let y = Tensor::ones([3], DType::F64, &Device::default())?;
/// assert_eq!(mse_loss(&x, &y, Reduction::None)?.to_vec::<f64>()?, [0.0, 1.0, 4.0]);
/// assert_eq!(mse_loss(&x, &y, Reduction::Sum)?.item::<f64>()?, 5.0);
/// // `None` is the default, `Reduction::Mean`.
/// assert_eq!(mse_loss(&x, &y, None)?.item::<f64>()?, 5.0 / 3.0);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent), burn = mse_loss_burn)]
pub fn mse_loss(input: Tensor, target: Tensor, #[default(Reduction::Mean)] reduction: Reduction) -> Tensor {
    let loss = square(input - target);
    match reduction {
        Reduction::None => loss,
        Reduction::Mean => mean(loss, ..),
        Reduction::Sum => sum(loss, ..),
    }
}

/// Absolute differences. `torch.nn.functional.l1_loss`.
#[tensor_op(method(inherent), burn = l1_loss_burn)]
pub fn l1_loss(input: Tensor, target: Tensor, #[default(Reduction::Mean)] reduction: Reduction) -> Tensor {
    let loss = abs(input - target);
    match reduction {
        Reduction::None => loss,
        Reduction::Mean => mean(loss, ..),
        Reduction::Sum => sum(loss, ..),
    }
}

/// The divergence of Kullback and Leibler: `input` are logarithms of probabilities, and so is `target` if
/// `log_target` says so. `torch.nn.functional.kl_div`.
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
        select(target > 0.0, target * ln(select(target > 0.0, target, 1.0)), 0.0) - target * input
    };
    match reduction {
        Reduction::None => loss,
        Reduction::Mean => mean(loss, ..),
        Reduction::Sum => sum(loss, ..),
    }
}

/// Minus the logarithms of the probabilities of the right classes, each times the weight of its class.
/// `torch.nn.functional.nll_loss`.
#[tensor_op(method(inherent), burn = nll_loss_burn)]
pub fn nll_loss(
    input: Tensor![b, v],
    target: IntTensor![b],
    weight: Option<Tensor![v]>,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Tensor![b] {
    let loss = -at(input * weight.unwrap_or(1.0), v = target);
    match reduction {
        Reduction::None => loss,
        Reduction::Mean => {
            if weight.is_some() {
                sum(loss, b) / sum(at(weight.unwrap_or(1.0), v = target), b)
            } else {
                mean(loss, b)
            }
        }
        Reduction::Sum => sum(loss, b),
    }
}
