//! Gradients that together are not larger than a norm.

use crate::catalogue::{optim, reduce};
use crate::{DType, Device, Gradients, Result, Shape, Tensor};

/// Makes the gradients of these parameters smaller, all by one factor, so that together they have the
/// Euclidean norm `max_norm` if it was larger. Returns the norm that they had, as a tensor of one element, so
/// that nothing waits for the device. `torch.nn.utils.clip_grad_norm_`.
///
/// The norm is f64 if a gradient is, and else f32. Without gradients it is 0.
///
/// # Errors
/// The gradients are on several devices. They all are as before then.
pub fn clip_grad_norm<'p>(
    gradients: &mut Gradients,
    parameters: impl IntoIterator<Item = &'p Tensor>,
    max_norm: f64,
) -> Result<Tensor> {
    let parameters: Vec<&Tensor> = parameters.into_iter().collect();
    let found: Vec<(&Tensor, &Tensor)> =
        parameters.iter().filter_map(|parameter| Some((*parameter, gradients.get(parameter)?))).collect();
    if found.is_empty() {
        let device = parameters.first().map_or_else(Device::default, |parameter| parameter.device());
        return Tensor::zeros(Shape::scalar(), DType::F32, &device);
    }
    let has_f64 = found.iter().any(|(_, gradient)| gradient.dtype() == DType::F64);
    let dtype = if has_f64 { DType::F64 } else { DType::F32 };
    let norms = found.iter().map(|(_, gradient)| reduce::norm(gradient.cast(dtype)?, ..));
    let total = reduce::norm(Tensor::stack(&norms.collect::<Result<Vec<_>>>()?, 0)?, ..)?;
    let clipped = found.into_iter().map(|(parameter, gradient)| {
        let clipped = optim::clip_to_norm(gradient.cast(dtype)?, &total, max_norm)?;
        Ok((parameter, clipped.cast(gradient.dtype())?))
    });
    for (parameter, clipped) in clipped.collect::<Result<Vec<_>>>()? {
        gradients.replace(parameter, clipped)?;
    }
    Ok(total)
}
