//! The rules of optimizers, with the names and defaults of `torch.optim`.

use crate::catalogue::optim as ops;
use crate::{DType, Result, Shape, Tensor};
use tensor_op_core::{bf16, f16};

/// How one parameter moves.
pub trait Rule {
    /// The name of the rule, by which [`Optimizer::load_state_dict`](super::Optimizer::load_state_dict)
    /// refuses what another rule remembers.
    fn name(&self) -> &'static str;

    /// The shapes of what is remembered of a parameter of this shape. It is 0 before the first step.
    fn state(&self, parameter: &Shape) -> Vec<Shape>;

    /// The parameter after a step, and what is remembered for the next one. Steps are counted from 1.
    fn step(
        &self,
        parameter: Tensor,
        gradient: &Tensor,
        state: Vec<Tensor>,
        step: i64,
    ) -> Result<(Tensor, Vec<Tensor>)>;
}

impl<R: Rule + ?Sized> Rule for Box<R> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        (**self).state(parameter)
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        (**self).step(p, g, state, step)
    }
}

/// Defines a rule: its numbers with their defaults.
macro_rules! rule {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $ty:ty = $default:expr),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[$of])* pub $field: $ty),*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default),* }
            }
        }
    };
}

rule! {
    /// Stochastic gradient descent, [`ops::sgd`] and [`ops::sgd_momentum`].
    Sgd {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// How much of the last direction stays.
        momentum: f64 = 0.0,
        /// How much less the gradient counts beside it.
        dampening: f64 = 0.0,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
        /// Whether the gradient counts again after the momentum.
        nesterov: bool = false,
    }
}

rule! {
    /// Adam with decoupled weight decay, [`ops::adamw`] and [`ops::adamw_amsgrad`].
    AdamW {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decays of the averages of gradients and of their squares.
        betas: (f64, f64) = (0.9, 0.999),
        /// What is added to the root of the average of squares.
        eps: f64 = 1e-8,
        /// How much of the parameter goes with each step, times the learning rate.
        weight_decay: f64 = 1e-2,
        /// Whether the largest average of squares so far counts.
        amsgrad: bool = false,
        /// Whether the loss is to grow.
        maximize: bool = false,
    }
}

rule! {
    /// Adam, [`ops::adam`] and [`ops::adam_amsgrad`].
    Adam {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decays of the averages of gradients and of their squares.
        betas: (f64, f64) = (0.9, 0.999),
        /// What is added to the root of the average of squares.
        eps: f64 = 1e-8,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
        /// Whether the largest average of squares so far counts.
        amsgrad: bool = false,
        /// Whether the loss is to grow.
        maximize: bool = false,
    }
}

rule! {
    /// The sign of an average, [`ops::lion`].
    Lion {
        /// The learning rate.
        lr: f64 = 1e-4,
        /// The decays of the average in the direction and in the memory.
        betas: (f64, f64) = (0.9, 0.99),
        /// How much of the parameter goes with each step, times the learning rate.
        weight_decay: f64 = 0.0,
    }
}

rule! {
    /// Gradients by the root of the sum of squares, [`ops::adagrad`].
    Adagrad {
        /// The learning rate.
        lr: f64 = 1e-2,
        /// How much the rate falls: after `n` steps it is divided by `1 + n lr_decay`.
        lr_decay: f64 = 0.0,
        /// What is added to the root.
        eps: f64 = 1e-10,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
    }
}

rule! {
    /// Averages of squares for the rows and columns of matrices, which are the last two axes,
    /// [`ops::adafactor`]; for fewer axes [`ops::adafactor_unfactored`].
    Adafactor {
        /// The largest step relative to the size of the parameter.
        lr: f64 = 1e-2,
        /// The power of the number of steps by which a new square counts.
        beta2_decay: f64 = -0.8,
        /// The smallest average of squares, whose square is the smallest estimate. `None` is the distance
        /// from 1 to the next number of the dtype.
        eps1: Option<f64> = None,
        /// The smallest size of a parameter.
        eps2: f64 = 1e-3,
        /// The largest root of the mean square of a direction.
        d: f64 = 1.0,
        /// How much of the parameter goes with each step, times the learning rate.
        weight_decay: f64 = 0.0,
    }
}

rule! {
    /// Orthogonalized momentum for matrices, [`ops::muon`], and [`AdamW`] for all other parameters.
    Muon {
        /// The learning rate of matrices.
        lr: f64 = 1e-3,
        /// How much of a matrix goes with each step, times the learning rate.
        weight_decay: f64 = 0.1,
        /// How much of the last direction stays.
        momentum: f64 = 0.95,
        /// Whether the gradient counts again after the momentum.
        nesterov: bool = true,
        /// The rule of what is no matrix.
        others: AdamW = AdamW::default(),
    }
}

pub(super) fn pair((parameter, state): (Tensor, Tensor)) -> (Tensor, Vec<Tensor>) {
    (parameter, vec![state])
}

pub(super) fn triple((parameter, first, second): (Tensor, Tensor, Tensor)) -> (Tensor, Vec<Tensor>) {
    (parameter, vec![first, second])
}

pub(super) fn quadruple(
    (parameter, first, second, third): (Tensor, Tensor, Tensor, Tensor),
) -> (Tensor, Vec<Tensor>) {
    (parameter, vec![first, second, third])
}

/// The gradient by which a loss falls, or grows.
fn ascending(gradient: &Tensor, maximize: bool) -> Result<Tensor> {
    if maximize { -gradient } else { Ok(gradient.clone()) }
}

/// The distance from 1 to the next number. Dtypes without fractions have no gradients.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f32::EPSILON.into(),
        DType::F16 => f16::EPSILON.to_f64(),
        DType::BF16 => bf16::EPSILON.to_f64(),
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => 0.0,
    }
}

/// What is remembered, of which there are `N`.
pub(super) fn remembered<const N: usize>(state: Vec<Tensor>) -> Result<[Tensor; N]> {
    state.try_into().map_err(|state: Vec<Tensor>| {
        let message = format!("{} tensors are remembered of a parameter; the rule has {N}", state.len());
        super::error(crate::ErrorKind::Length, message)
    })
}

impl Rule for Sgd {
    fn name(&self) -> &'static str {
        // A momentum is remembered, and without one nothing is.
        if self.momentum == 0.0 { "Sgd" } else { "Sgd with momentum" }
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        if self.momentum == 0.0 { vec![] } else { vec![parameter.clone()] }
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        if state.is_empty() {
            return Ok((ops::sgd(p, g, self.lr, self.weight_decay)?, vec![]));
        }
        let [buffer] = remembered(state)?;
        let dampening = if step == 1 { 0.0 } else { self.dampening };
        ops::sgd_momentum(p, g, buffer, self.lr, self.momentum, dampening, self.weight_decay, self.nesterov)
            .map(pair)
    }
}

impl Rule for AdamW {
    fn name(&self) -> &'static str {
        if self.amsgrad { "AdamW with amsgrad" } else { "AdamW" }
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(); if self.amsgrad { 3 } else { 2 }]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let AdamW { lr, betas: (beta1, beta2), eps, weight_decay, .. } = *self;
        let (g, beta1, beta2) = (ascending(g, self.maximize)?, 1.0 - beta1, 1.0 - beta2);
        if self.amsgrad {
            let [m, v, most] = remembered(state)?;
            return ops::adamw_amsgrad(p, g, m, v, most, step, lr, beta1, beta2, eps, weight_decay)
                .map(quadruple);
        }
        let [m, v] = remembered(state)?;
        ops::adamw(p, g, m, v, step, lr, beta1, beta2, eps, weight_decay).map(triple)
    }
}

impl Rule for Adam {
    fn name(&self) -> &'static str {
        if self.amsgrad { "Adam with amsgrad" } else { "Adam" }
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(); if self.amsgrad { 3 } else { 2 }]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let Adam { lr, betas: (beta1, beta2), eps, weight_decay, .. } = *self;
        let (g, beta1, beta2) = (ascending(g, self.maximize)?, 1.0 - beta1, 1.0 - beta2);
        if self.amsgrad {
            let [m, v, most] = remembered(state)?;
            return ops::adam_amsgrad(p, g, m, v, most, step, lr, beta1, beta2, eps, weight_decay)
                .map(quadruple);
        }
        let [m, v] = remembered(state)?;
        ops::adam(p, g, m, v, step, lr, beta1, beta2, eps, weight_decay).map(triple)
    }
}

impl Rule for Lion {
    fn name(&self) -> &'static str {
        "Lion"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone()]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, _: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let ([m], (beta1, beta2)) = (remembered(state)?, self.betas);
        ops::lion(p, g, m, self.lr, 1.0 - beta1, 1.0 - beta2, self.weight_decay).map(pair)
    }
}

impl Rule for Adagrad {
    fn name(&self) -> &'static str {
        "Adagrad"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone()]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let [total] = remembered(state)?;
        let lr = self.lr / (1.0 + (step - 1) as f64 * self.lr_decay);
        ops::adagrad(p, g, total, lr, self.eps, self.weight_decay).map(pair)
    }
}

impl Rule for Adafactor {
    fn name(&self) -> &'static str {
        "Adafactor"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        match &parameter[..] {
            [batch @ .., m, n] => vec![[batch, &[*m]].concat().into(), [batch, &[*n]].concat().into()],
            [] | [_] => vec![parameter.clone()],
        }
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let Adafactor { lr, beta2_decay, eps1, eps2, d, weight_decay } = *self;
        let eps1 = eps1.unwrap_or_else(|| epsilon(p.dtype()));
        if p.rank() >= 2 {
            let [rows, columns] = remembered(state)?;
            return ops::adafactor(p, g, rows, columns, step, eps1, lr, beta2_decay, eps2, d, weight_decay)
                .map(triple);
        }
        let [v] = remembered(state)?;
        ops::adafactor_unfactored(p, g, v, step, eps1, lr, beta2_decay, eps2, d, weight_decay).map(pair)
    }
}

impl Rule for Muon {
    fn name(&self) -> &'static str {
        "Muon"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        if parameter.rank() == 2 { vec![parameter.clone()] } else { self.others.state(parameter) }
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        if p.rank() != 2 {
            return self.others.step(p, g, state, step);
        }
        let [buffer] = remembered(state)?;
        ops::muon(p, g, buffer, self.lr, self.weight_decay, self.momentum, self.nesterov).map(pair)
    }
}
