//! The training: a step of it, and its checkpoint.

use crate::model::{Config, Gpt};
use std::path::Path;
use tensor_op::optim::{AdamW, Optimizer, clip_grad_norm, schedule};
use tensor_op::prelude::*;
use tensor_op::safetensors::SafeTensors;

/// The largest learning rate, and the last one.
const RATES: (f64, f64) = (2e-3, 1e-4);
const WARMUP: u64 = 100;

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
        let rate = schedule::warmup_cosine(step as u64, WARMUP, steps as u64, RATES.0, RATES.1);
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
    pub(crate) fn save(&self, folder: &Path) -> Result<()> {
        let weights = SafeTensors { tensors: self.model.state_dict()?, ..SafeTensors::default() };
        weights.save(folder.join("model.safetensors"))?;
        let mut memory = SafeTensors { tensors: self.optimizer.state_dict()?, ..SafeTensors::default() };
        let losses = Tensor::from_vec(self.losses.clone(), [self.losses.len()], &Device::default())?;
        memory.tensors.insert("losses".to_string(), losses);
        memory.save(folder.join("optimizer.safetensors"))
    }

    /// Goes on from a checkpoint.
    pub(crate) fn load(&mut self, folder: &Path) -> Result<()> {
        let device = self.model.device();
        let weights = SafeTensors::load(folder.join("model.safetensors"), &device)?;
        let mut memory = SafeTensors::load(folder.join("optimizer.safetensors"), &device)?;
        self.model.load_state_dict(&weights.tensors)?;
        self.losses = memory.tensors.remove("losses").map_or(Ok(vec![]), |x| x.to_vec())?;
        self.optimizer.load_state_dict(&memory.tensors)
    }
}
