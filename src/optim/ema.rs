//! Running averages of parameters, with which models are evaluated.

use crate::catalogue::optim;
use crate::{Result, Tensor};

/// A running average of each parameter.
///
/// ```
/// use tensor_op::optim::Ema;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let mut ema = Ema::new(0.75, [&Tensor::from([0.0])]);
/// ema.update([&Tensor::from([4.0])])?;
/// assert_eq!(ema.averages()[0].to_vec::<f64>()?, [1.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Ema {
    decay: f64,
    averages: Vec<Tensor>,
}

impl Ema {
    /// Averages that begin with these parameters, and of which `decay` stays at each update.
    pub fn new<'p>(decay: f64, parameters: impl IntoIterator<Item = &'p Tensor>) -> Ema {
        Ema { decay, averages: parameters.into_iter().map(Tensor::detach).collect() }
    }

    /// Adds parameters, which come in the same order each time.
    ///
    /// # Errors
    /// A parameter has another shape, dtype or device than its average.
    pub fn update<'p>(&mut self, parameters: impl IntoIterator<Item = &'p Tensor>) -> Result<()> {
        for (average, parameter) in self.averages.iter_mut().zip(parameters) {
            *average = optim::ema(&*average, parameter.detach(), self.decay)?;
        }
        Ok(())
    }

    /// The averages, in the order of the parameters.
    pub fn averages(&self) -> &[Tensor] {
        &self.averages
    }
}
