//! The schedule of the training: batches come in a new order in each epoch, and the learning rate falls to
//! zero, so that the final result doesn't depend on rounding.

use crate::data::Split;
use crate::model::{Kind, Network};
use crate::random::SplitMix64;
use tensor_op::prelude::*;

/// How many times all rows are used.
pub(crate) const EPOCHS: usize = 20;
const BATCH: usize = 16;
const SEED: u64 = 1;

/// A network during its training.
pub(crate) struct Training<'a> {
    pub(crate) network: Network,
    rows: &'a Split,
    rate: f64,
    order: Vec<i64>,
    random: SplitMix64,
    steps: usize,
}

impl<'a> Training<'a> {
    /// An untrained network, and the rows to train it with.
    pub(crate) fn new(kind: Kind, rows: &'a Split) -> Result<Training<'a>> {
        let mut random = SplitMix64(SEED);
        let network = Network::new(kind, &mut random, rows.images.dtype(), &rows.images.device())?;
        Ok(Training {
            network,
            rows,
            rate: kind.rate(),
            order: (0..rows.count as i64).collect(),
            random,
            steps: 0,
        })
    }

    /// Uses every row once, except those that don't fill a batch. Returns the loss of each step.
    pub(crate) fn epoch(&mut self) -> Result<Vec<f64>> {
        self.random.shuffle(&mut self.order);
        let planned = EPOCHS * (self.order.len() / BATCH);
        let mut losses = vec![];
        for batch in self.order.chunks_exact(BATCH) {
            let rate = self.rate * (1.0 - self.steps as f64 / planned as f64);
            losses.push(self.network.learn(self.rows, batch, rate)?);
            self.steps += 1;
        }
        Ok(losses)
    }
}
