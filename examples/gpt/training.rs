//! How the model learns.

use crate::model::Gpt;
use tensor_op::optim::{AdamW, Optimizer, clip_grad_norm};
use tensor_op::prelude::*;

pub(crate) fn optimizer() -> Optimizer<AdamW> {
    Optimizer::new(AdamW { betas: (0.9, 0.95), weight_decay: 0.1, ..AdamW::default() })
}

/// Moves the parameters against the gradient of a loss, whose number it returns.
pub(crate) fn learn(model: &mut Gpt, optimizer: &mut Optimizer<AdamW>, loss: &Tensor) -> Result<f64> {
    let mut gradients = loss.backward()?;
    clip_grad_norm(&mut gradients, model.parameters(), 1.0)?;
    optimizer.step(model.parameters_mut(), &gradients)?;
    loss.item()
}
