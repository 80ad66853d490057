//! Gradients that are not larger than a bound, each number alone or all together.

use crate::catalogue::{math, optim, reduce};
use crate::{DType, Device, Error, ErrorKind, Gradients, Result, Shape, Tensor};

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
    let device = found[0].1.device();
    let norms = device.foreach(&found, |(_, gradient)| reduce::norm(gradient.cast(dtype)?, ..))?;
    let total = reduce::norm(Tensor::stack(&norms, 0)?, ..)?;
    let clipped = device.foreach(found, |(parameter, gradient)| {
        let clipped = optim::clip_to_norm(gradient.cast(dtype)?, &total, max_norm)?;
        Ok((parameter, clipped.cast(gradient.dtype())?))
    })?;
    for (parameter, clipped) in clipped {
        gradients.replace(parameter, clipped)?;
    }
    Ok(total)
}

/// Brings each number of the gradients of these parameters between `-clip_value` and `clip_value`.
/// `torch.nn.utils.clip_grad_value_`.
///
/// ```
/// use tensor_op::optim::clip_grad_value;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([3.0, -0.25]).require_grad();
/// let mut gradients = x.square()?.sum(..)?.backward()?;
/// clip_grad_value(&mut gradients, [&x], 1.0)?;
/// assert_eq!(gradients[&x].to_vec::<f64>()?, [1.0, -0.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The bound is negative or NaN. The gradients are as before then.
pub fn clip_grad_value<'p>(
    gradients: &mut Gradients,
    parameters: impl IntoIterator<Item = &'p Tensor>,
    clip_value: f64,
) -> Result<()> {
    if clip_value.is_nan() || clip_value < 0.0 {
        let message = format!("`clip_value` is {clip_value}: it is a number from 0 on");
        return Err(Error::new(ErrorKind::Unsupported, message).with_op("clip_grad_value"));
    }
    let mut parameters = parameters.into_iter().peekable();
    let Some(first) = parameters.peek() else { return Ok(()) };
    first.device().foreach(parameters, |parameter| match gradients.get(parameter) {
        Some(gradient) => gradients.replace(parameter, math::clamp(gradient, -clip_value, clip_value)?),
        None => Ok(None),
    })?;
    Ok(())
}
