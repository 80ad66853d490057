//! The training: a step of it, and its checkpoint.

use crate::model::{Config, Gpt};
use std::path::Path;
use tensor_op::optim::{AdamW, Optimizer, clip_grad_norm, schedule};
use tensor_op::prelude::*;
use tensor_op::safetensors::SafeTensors;

/// The largest learning rate, and the last one.
const RATES: (f64, f64) = (2e-3, 1e-4);
/// The share of the steps in which the rate rises.
const WARMUP: f64 = 0.1;

/// A model while it learns.
pub(crate) struct Training {
    pub(crate) model: Gpt,
    optimizer: Optimizer<AdamW>,
    /// The loss of each step so far.
    pub(crate) losses: Vec<f64>,
}

impl Training {
    pub(crate) fn new(config: Config, dtype: DType, device: &Device) -> Result<Training> {
        let rule = AdamW { betas: (0.9, 0.95), weight_decay: 0.1, ..AdamW::default() };
        Ok(Training {
            model: Gpt::new(config, dtype, device)?,
            optimizer: Optimizer::new(rule),
            losses: vec![],
        })
    }

    /// One of `steps` steps. Returns the loss before it.
    pub(crate) fn step(&mut self, tokens: &Tensor, next: &Tensor, steps: usize) -> Result<f64> {
        let step = self.losses.len();
        let warmup = (WARMUP * steps as f64) as u64;
        let rate = schedule::warmup_cosine(step as u64, warmup, steps as u64, RATES.0, RATES.1);
        let loss = self.model.loss(tokens, next, Some(step as i64))?;
        self.learn(&loss, rate)
    }

    /// Moves the parameters against the gradient of a loss.
    pub(crate) fn learn(&mut self, loss: &Tensor, rate: f64) -> Result<f64> {
        let mut gradients = loss.backward()?;
        clip_grad_norm(&mut gradients, self.model.parameters(), 1.0)?;
        self.optimizer.rule.lr = rate;
        self.optimizer.step(self.model.parameters_mut(), &gradients)?;
        let loss = loss.item()?;
        self.losses.push(loss);
        Ok(loss)
    }

    /// Writes what [`load`](Training::load) needs to go on to the bit.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let mut file = SafeTensors { tensors: self.model.state_dict()?, ..SafeTensors::default() };
        file.tensors.extend(self.optimizer.state_dict()?);
        let losses = Tensor::from_vec(self.losses.clone(), [self.losses.len()], &Device::default())?;
        file.tensors.insert("losses".to_string(), losses);
        file.save(path)
    }

    /// Goes on from a checkpoint.
    pub(crate) fn load(&mut self, path: &Path) -> Result<()> {
        let mut tensors = SafeTensors::load(path, &self.model.device())?.tensors;
        let losses = tensors.remove("losses").map_or(Ok(vec![]), |x| x.to_vec())?;
        let (model, optimizer) = tensors.into_iter().partition(|(name, _)| name.starts_with("model."));
        self.model.load_state_dict(&model)?;
        self.optimizer.load_state_dict(&optimizer)?;
        self.losses = losses;
        Ok(())
    }
}
