//! A step of the training, and its checkpoint.

use crate::model::{Config, Gpt};
use std::path::Path;
use tensor_op::optim::{AdamW, Optimizer, checkpoint, clip_grad_norm, schedule};
use tensor_op::prelude::*;

/// The model of the example, whose tokens are the letters of ASCII.
#[rustfmt::skip]
pub(crate) const CONFIG: Config = Config {
    vocabulary: 128, width: 128, hidden: 352, layers: 4, heads: 4, groups: 2, dropout: 0.05,
};

pub(crate) struct Training {
    pub(crate) model: Gpt,
    optimizer: Optimizer<AdamW>,
}

impl Training {
    pub(crate) fn new(config: Config, dtype: DType, device: &Device) -> Result<Training> {
        let rule = AdamW { betas: (0.9, 0.95), weight_decay: 0.1, ..AdamW::default() };
        Ok(Training { model: Gpt::new(config, dtype, device)?, optimizer: Optimizer::new(rule) })
    }

    /// How many steps it has made.
    pub(crate) fn steps(&self) -> usize {
        self.optimizer.steps().first().map_or(0, |steps| *steps as usize)
    }

    /// One of `steps` steps. Returns the loss before it.
    pub(crate) fn step(&mut self, tokens: &Tensor, next: &Tensor, steps: usize) -> Result<f64> {
        let step = self.steps() as u64;
        let rate = schedule::warmup_cosine(step, steps as u64 / 10, steps as u64, 2e-3, 1e-4);
        let loss = self.model.loss(tokens, next, Some(step as i64))?;
        self.learn(&loss, rate)
    }

    /// Moves the parameters against the gradient of a loss.
    pub(crate) fn learn(&mut self, loss: &Tensor, rate: f64) -> Result<f64> {
        let mut gradients = loss.backward()?;
        clip_grad_norm(&mut gradients, self.model.parameters(), 1.0)?;
        self.optimizer.rule.lr = rate;
        self.optimizer.step(self.model.parameters_mut(), &gradients)?;
        loss.item()
    }

    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        checkpoint::save(path, &self.model, &self.optimizer)
    }

    /// Goes on from a checkpoint, to the bit.
    pub(crate) fn load(&mut self, path: &Path) -> Result<()> {
        checkpoint::load(path, &mut self.model, &mut self.optimizer)
    }
}
