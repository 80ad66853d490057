//! Running averages of parameters, with which models are evaluated.

use crate::catalogue::optim;
use crate::{Error, ErrorKind, Result, Tensor};

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
    /// There are as many parameters as averages, and each has the shape, dtype and device of its own; else no
    /// average has changed.
    pub fn update<'p>(&mut self, parameters: impl IntoIterator<Item = &'p Tensor>) -> Result<()> {
        let parameters: Vec<&Tensor> = parameters.into_iter().collect();
        if parameters.len() != self.averages.len() {
            let (found, known) = (parameters.len(), self.averages.len());
            let message = format!("{found} parameters for {known} averages: pass all of them each time");
            return Err(error(ErrorKind::Length, message));
        }
        for (place, (average, parameter)) in self.averages.iter().zip(&parameters).enumerate() {
            let of = |x: &Tensor| (x.shape(), x.dtype(), x.device());
            if of(average) != of(parameter) {
                return Err(misfit(place, average, parameter));
            }
        }
        let Some(first) = parameters.first() else { return Ok(()) };
        let pairs = self.averages.iter().zip(&parameters);
        self.averages = first
            .device()
            .foreach(pairs, |(average, x)| optim::ema(average, x.detach(), 1.0 - self.decay))?;
        Ok(())
    }

    /// The averages, in the order of the parameters.
    pub fn averages(&self) -> &[Tensor] {
        &self.averages
    }
}

fn misfit(place: usize, average: &Tensor, parameter: &Tensor) -> Error {
    let of = |x: &Tensor| format!("{} {} on {}", x.dtype(), x.shape(), x.device());
    let message = format!(
        "parameter {place} is {}, and its average {}: pass parameters in the same order each time",
        of(parameter),
        of(average)
    );
    error(ErrorKind::Shape, message)
}

fn error(kind: ErrorKind, message: String) -> Error {
    Error::new(kind, message).with_op("update")
}
