//! Rules that divide by averages of squares or by extremes: RMSprop, Adadelta, and variants of Adam.

use super::rules::{Rule, pair, quadruple, remembered, triple};
use crate::catalogue::optim as ops;
use crate::{Result, Shape, Tensor};

rule! {
    /// Gradients by the root of an average of squares: [`ops::rmsprop`], with momentum
    /// [`ops::rmsprop_momentum`], and centered [`ops::rmsprop_centered`].
    RmsProp {
        /// The learning rate.
        lr: f64 = 1e-2,
        /// The decay of the average.
        alpha: f64 = 0.99,
        /// What is added to the root.
        eps: f64 = 1e-8,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
        /// How much of the last direction stays.
        momentum: f64 = 0.0,
        /// Whether the square of the average gradient is subtracted.
        centered: bool = false,
    }
}

rule! {
    /// Gradients by the root of an average of squares, times that of the steps, [`ops::adadelta`].
    Adadelta {
        /// The learning rate.
        lr: f64 = 1.0,
        /// The decay of the averages.
        rho: f64 = 0.9,
        /// What is added below the roots.
        eps: f64 = 1e-6,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
    }
}

rule! {
    /// Adam with the largest gradient in the place of an average of squares, [`ops::adamax`].
    Adamax {
        /// The learning rate.
        lr: f64 = 2e-3,
        /// The decays of the average of gradients and of the largest one.
        betas: (f64, f64) = (0.9, 0.999),
        /// What is added to a gradient's size.
        eps: f64 = 1e-8,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
    }
}

rule! {
    /// Adam with Nesterov's momentum, [`ops::nadam`].
    NAdam {
        /// The learning rate.
        lr: f64 = 2e-3,
        /// The decays of the averages of gradients and of their squares.
        betas: (f64, f64) = (0.9, 0.999),
        /// What is added to the root of the average of squares.
        eps: f64 = 1e-8,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
        /// How fast the momentum grows.
        momentum_decay: f64 = 4e-3,
    }
}

rule! {
    /// Adam whose first steps are corrected for the variance of the average of squares, [`ops::radam`].
    RAdam {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decays of the averages of gradients and of their squares.
        betas: (f64, f64) = (0.9, 0.999),
        /// What is added to the root of the average of squares.
        eps: f64 = 1e-8,
        /// How much of the parameter is added to its gradient.
        weight_decay: f64 = 0.0,
    }
}

rule! {
    /// Adam whose direction is made as long as the parameter, [`ops::lamb`].
    Lamb {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// The decays of the averages of gradients and of their squares.
        betas: (f64, f64) = (0.9, 0.999),
        /// What is added to the root of the average of squares.
        eps: f64 = 1e-6,
        /// How much of the parameter is added to the direction.
        weight_decay: f64 = 1e-2,
    }
}

impl Rule for RmsProp {
    fn name(&self) -> &'static str {
        match (self.centered, self.momentum == 0.0) {
            (true, _) => "centered RmsProp",
            (false, true) => "RmsProp",
            (false, false) => "RmsProp with momentum",
        }
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        let count = match (self.centered, self.momentum == 0.0) {
            (true, _) => 3,
            (false, true) => 1,
            (false, false) => 2,
        };
        vec![parameter.clone(); count]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, _: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let RmsProp { lr, alpha, eps, weight_decay, momentum, centered } = *self;
        let alpha = 1.0 - alpha;
        if centered {
            let [v, m, buffer] = remembered(state)?;
            return ops::rmsprop_centered(p, g, v, m, buffer, lr, alpha, eps, weight_decay, momentum)
                .map(quadruple);
        }
        if momentum == 0.0 {
            let [v] = remembered(state)?;
            return ops::rmsprop(p, g, v, lr, alpha, eps, weight_decay).map(pair);
        }
        let [v, buffer] = remembered(state)?;
        ops::rmsprop_momentum(p, g, v, buffer, lr, alpha, eps, weight_decay, momentum).map(triple)
    }
}

impl Rule for Adadelta {
    fn name(&self) -> &'static str {
        "Adadelta"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(); 2]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, _: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let [v, steps] = remembered(state)?;
        ops::adadelta(p, g, v, steps, self.lr, 1.0 - self.rho, self.eps, self.weight_decay).map(triple)
    }
}

impl Rule for Adamax {
    fn name(&self) -> &'static str {
        "Adamax"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(); 2]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let ([m, most], (beta1, beta2)) = (remembered(state)?, self.betas);
        ops::adamax(p, g, m, most, step, self.lr, 1.0 - beta1, 1.0 - beta2, self.eps, self.weight_decay)
            .map(triple)
    }
}

impl Rule for NAdam {
    fn name(&self) -> &'static str {
        "NAdam"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(), parameter.clone(), Shape::scalar()]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let NAdam { lr, betas: (beta1, beta2), eps, weight_decay, momentum_decay } = *self;
        let ([m, v, product], beta1, beta2) = (remembered(state)?, 1.0 - beta1, 1.0 - beta2);
        ops::nadam(p, g, m, v, product, step, lr, beta1, beta2, eps, weight_decay, momentum_decay)
            .map(quadruple)
    }
}

impl Rule for RAdam {
    fn name(&self) -> &'static str {
        "RAdam"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(); 2]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let RAdam { lr, betas: (beta1, beta2), eps, weight_decay } = *self;
        let (decayed, most) = (beta2.powf(step as f64), 2.0 / (1.0 - beta2) - 1.0);
        let length = most - 2.0 * step as f64 * decayed / (1.0 - decayed);
        let rectification = if length > 5.0 {
            let share = (length - 4.0) * (length - 2.0) * most / ((most - 4.0) * (most - 2.0) * length);
            share.sqrt()
        } else {
            0.0
        };
        let ([m, v], beta1, beta2) = (remembered(state)?, 1.0 - beta1, 1.0 - beta2);
        ops::radam(p, g, m, v, step, rectification, lr, beta1, beta2, eps, weight_decay).map(triple)
    }
}

impl Rule for Lamb {
    fn name(&self) -> &'static str {
        "Lamb"
    }

    fn state(&self, parameter: &Shape) -> Vec<Shape> {
        vec![parameter.clone(); 2]
    }

    fn step(&self, p: Tensor, g: &Tensor, state: Vec<Tensor>, step: i64) -> Result<(Tensor, Vec<Tensor>)> {
        let ([m, v], (beta1, beta2)) = (remembered(state)?, self.betas);
        ops::lamb(p, g, m, v, step, self.lr, 1.0 - beta1, 1.0 - beta2, self.eps, self.weight_decay)
            .map(triple)
    }
}
