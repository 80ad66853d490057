//! Optimizers: the steps of [`catalogue::optim`](crate::catalogue::optim) for all parameters of a model.
//!
//! A rule, such as [`AdamW`], says how one parameter moves; an [`Optimizer`] keeps what the rule remembers of
//! each parameter, and [`Groups`] have a rule for each group of names. Learning rates of training are in
//! [`schedule`], and files from which a training goes on in `checkpoint`.
//!
//! ```
//! use tensor_op::optim::{AdamW, Optimizer, clip_grad_norm, schedule};
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let mut x = Tensor::from([3.0, -2.0]).require_grad();
//! let mut optimizer = Optimizer::new(AdamW { weight_decay: 0.0, ..AdamW::default() });
//! for step in 0..400 {
//!     optimizer.rule.lr = schedule::warmup_cosine(step, 20, 400, 0.1, 0.0);
//!     let loss = x.square()?.sum(..)?;
//!     let mut gradients = loss.backward()?;
//!     drop(loss);
//!     clip_grad_norm(&mut gradients, [&x], 1.0)?;
//!     optimizer.step([&mut x], &gradients)?;
//! }
//! assert!(x.abs()?.amax(..)?.item::<f64>()? < 1e-2);
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod rules;
mod adaptive;
#[cfg(feature = "safetensors")]
pub mod checkpoint;
mod clip;
mod ema;
mod groups;
pub mod schedule;
mod state;

pub use adaptive::{Adadelta, Adamax, Lamb, NAdam, RAdam, RmsProp};
pub use clip::{clip_grad_norm, clip_grad_value};
pub use ema::Ema;
pub use groups::Groups;
pub use rules::{Adafactor, Adagrad, Adam, AdamW, Lion, Muon, Rule, Sgd};

use crate::{DType, Device, Error, ErrorKind, Gradients, Result, Shape, Tensor};

/// A rule, and what it remembers of each parameter.
#[derive(Clone, Debug)]
pub struct Optimizer<R> {
    /// The rule. Its numbers may change between steps.
    pub rule: R,
    steps: Vec<i64>,
    state: Vec<Vec<Tensor>>,
}

impl<R: Rule> Optimizer<R> {
    /// An optimizer that has made no step.
    pub fn new(rule: R) -> Optimizer<R> {
        Optimizer { rule, steps: vec![], state: vec![] }
    }

    /// How many steps each parameter has made since something is remembered of it. If the rule remembers
    /// nothing, such as [`Sgd`] without momentum, all steps count.
    pub fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// Moves the parameters that have a gradient. They come in the same order each time, by which the
    /// optimizer knows them. A parameter whose elements nothing else shares moves in place, so drop the loss
    /// before.
    ///
    /// A parameter without a gradient stays. Gradients are of the tensor that was differentiated, and the
    /// moved parameter is another one: a second step with the same gradients moves nothing, so take new ones
    /// from the moved parameters.
    ///
    /// # Errors
    /// A gradient, or what is remembered, does not fit its parameter. This one and those after it have not
    /// moved then. If a device fails on the way, the parameter that was moving is empty.
    pub fn step<'p>(
        &mut self,
        parameters: impl IntoIterator<Item = &'p mut Tensor>,
        gradients: &Gradients,
    ) -> Result<()> {
        let mut parameters = parameters.into_iter().enumerate().peekable();
        let Some((_, first)) = parameters.peek() else { return Ok(()) };
        first.device().foreach(parameters, |(place, parameter)| {
            self.steps.resize(self.steps.len().max(place + 1), 0);
            self.state.resize(self.state.len().max(place + 1), vec![]);
            match gradients.get(parameter) {
                Some(gradient) => self.one_step(place, parameter, gradient),
                None => Ok(()),
            }
        })?;
        Ok(())
    }

    fn one_step(&mut self, place: usize, parameter: &mut Tensor, gradient: &Tensor) -> Result<()> {
        let shapes = self.rule.state(&parameter.shape());
        // The rule may have changed, and remember a parameter no longer, or from now on.
        if self.state[place].is_empty() || shapes.is_empty() {
            let zeros = |shape| Tensor::zeros(shape, parameter.dtype(), &parameter.device());
            self.state[place] = shapes.iter().cloned().map(zeros).collect::<Result<_>>()?;
            // A memory of zeros is that of the first step.
            if !shapes.is_empty() {
                self.steps[place] = 0;
            }
        }
        let state = &mut self.state[place];
        let fits = |x: &Tensor, shape: &Shape| {
            x.shape() == *shape && x.dtype() == parameter.dtype() && x.device() == parameter.device()
        };
        let is_known =
            state.len() == shapes.len() && state.iter().zip(&shapes).all(|(x, shape)| fits(x, shape));
        if !is_known || !fits(gradient, &parameter.shape()) {
            let what = if is_known { "its gradient" } else { "what is remembered of it" };
            let message = format!(
                "parameter {place} is {} {}, and {what} does not fit it: pass parameters in the same order each time",
                parameter.dtype(),
                parameter.shape()
            );
            return Err(error(ErrorKind::Shape, message));
        }
        let (step, tracking) = (self.steps[place] + 1, parameter.tracking());
        let (moved, next) = self.rule.step(take(parameter)?, gradient, std::mem::take(state), step)?;
        *parameter = moved.tracked_as(tracking)?;
        (*state, self.steps[place]) = (next, step);
        Ok(())
    }
}

/// The elements of a parameter, which is empty until it moved, so that nothing else has its buffer.
fn take(parameter: &mut Tensor) -> Result<Tensor> {
    let empty = Tensor::zeros([0], DType::F32, &Device::default())?;
    Ok(std::mem::replace(parameter, empty).detach())
}

fn error(kind: ErrorKind, message: String) -> Error {
    Error::new(kind, message).with_op("step")
}
