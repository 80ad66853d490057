//! The schedule: batches in a new order each epoch, at a rate that falls to zero, so that the end doesn't
//! depend on rounding.

use crate::data::Split;
use crate::model::Network;
use crate::random::SplitMix64;
use tensor_op::prelude::*;

/// Times that all rows are seen.
pub(crate) const EPOCHS: usize = 20;
const BATCH: usize = 16;
const RATE: f64 = 0.1;
const SEED: u64 = 1;

/// A network on its way.
pub(crate) struct Training<'a> {
    pub(crate) network: Network,
    rows: &'a Split,
    order: Vec<i64>,
    random: SplitMix64,
    steps: usize,
}

impl<'a> Training<'a> {
    /// A network that has seen nothing, and the rows that it is to see.
    pub(crate) fn new(rows: &'a Split) -> Result<Training<'a>> {
        let mut random = SplitMix64(SEED);
        let network = Network::new(&mut random, rows.images.dtype(), &rows.images.device())?;
        Ok(Training { network, rows, order: (0..rows.count as i64).collect(), random, steps: 0 })
    }

    /// Sees every row once, less what doesn't fill a batch; gives the loss of each step.
    pub(crate) fn epoch(&mut self) -> Result<Vec<f64>> {
        self.random.shuffle(&mut self.order);
        let planned = EPOCHS * (self.order.len() / BATCH);
        let mut losses = vec![];
        for batch in self.order.chunks_exact(BATCH) {
            let rate = RATE * (1.0 - self.steps as f64 / planned as f64);
            losses.push(self.network.learn(self.rows, batch, rate)?);
            self.steps += 1;
        }
        Ok(losses)
    }
}
