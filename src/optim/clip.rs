//! Gradients that together are not larger than a norm.

use crate::catalogue::{optim, reduce};
use crate::{Gradients, Result, Tensor};

/// Makes the gradients of these parameters smaller, all by one factor, so that together they have the
/// Euclidean norm `max_norm` if it was larger. Returns the norm that they had, as a tensor of one element, so
/// that nothing waits for the device. `torch.nn.utils.clip_grad_norm_`.
///
/// # Errors
/// The gradients have several dtypes or devices.
pub fn clip_grad_norm<'p>(
    gradients: &mut Gradients,
    parameters: impl IntoIterator<Item = &'p Tensor>,
    max_norm: f64,
) -> Result<Tensor> {
    let parameters: Vec<&Tensor> =
        parameters.into_iter().filter(|parameter| gradients.get(parameter).is_some()).collect();
    let mut norms = Vec::with_capacity(parameters.len());
    for parameter in &parameters {
        norms.push(reduce::norm(&gradients[parameter], ..)?);
    }
    let total = if norms.is_empty() {
        Tensor::from([0.0]).sum(..)?
    } else {
        reduce::norm(Tensor::stack(&norms, 0)?, ..)?
    };
    for parameter in parameters {
        let Some(gradient) = gradients.remove(parameter) else { continue };
        gradients.replace(parameter, optim::clip_to_norm(gradient, &total, max_norm)?)?;
    }
    Ok(total)
}
