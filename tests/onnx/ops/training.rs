//! Steps of optimizers. Each has several tensors with a gradient and a state for each.

use super::Entry;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::optim;
use tensor_op::prelude::*;

/// The rate accounts for the first steps, and `eps` is added to what it does not account for.
#[tensor_op(tests = false)]
fn adam(
    x: Tensor,
    grad_x: Tensor,
    v: Tensor,
    h: Tensor,
    rate: f64,
    alpha: f64,
    beta: f64,
    decay: f64,
    eps: f64,
) -> (Tensor, Tensor, Tensor) {
    let g = grad_x + decay * x;
    let means = alpha * v + (1.0 - alpha) * g;
    let squares = beta * h + (1.0 - beta) * square(g);
    (x - rate * means / (sqrt(squares) + eps), means, squares)
}

/// The learning rate, the number of steps, and how many tensors there are with this many inputs each.
fn numbers(node: &Node, each: usize) -> Outcome<(f64, f64, usize)> {
    let (rate, step) = (node.number(0)?.unwrap_or(0.0), node.number(1)?.unwrap_or(0.0));
    Ok((rate, step, (node.inputs.len() - 2) / each))
}

fn adagrad_steps(node: &Node) -> Outcome {
    let (rate, step, count) = numbers(node, 3)?;
    let rate = rate / (1.0 + step * node.real("decay_factor", 0.0)?);
    let (decay, eps) = (node.real("norm_coefficient", 0.0)?, node.real("epsilon", 1e-6)?);
    let x = |part: usize, at: usize| node.x(2 + part * count + at);
    let mut results = vec![vec![]; 2];
    for at in 0..count {
        let (next, sums) = optim::adagrad(x(0, at)?, x(1, at)?, x(2, at)?, rate, eps, decay)?;
        results[0].push(next);
        results[1].push(sums);
    }
    Ok(results.concat())
}

fn adam_steps(node: &Node) -> Outcome {
    let (rate, step, count) = numbers(node, 4)?;
    let (alpha, beta) = (node.real("alpha", 0.9)?, node.real("beta", 0.999)?);
    let rate =
        if step > 0.0 { rate * (1.0 - beta.powf(step)).sqrt() / (1.0 - alpha.powf(step)) } else { rate };
    let (decay, eps) = (node.real("norm_coefficient", 0.0)?, node.real("epsilon", 1e-6)?);
    let x = |part: usize, at: usize| node.x(2 + part * count + at);
    let mut results = vec![vec![]; 3];
    for at in 0..count {
        let (next, means, squares) =
            adam(x(0, at)?, x(1, at)?, x(2, at)?, x(3, at)?, rate, alpha, beta, decay, eps)?;
        results[0].push(next);
        results[1].push(means);
        results[2].push(squares);
    }
    Ok(results.concat())
}

/// The first step takes the whole gradient.
fn momentum_steps(node: &Node) -> Outcome {
    let nesterov = node.text("mode", "standard")? == "nesterov";
    let (rate, step, count) = numbers(node, 3)?;
    let beta = if step > 0.0 { node.real("beta", 1.0)? } else { 1.0 };
    let (alpha, decay) = (node.real("alpha", 0.9)?, node.real("norm_coefficient", 0.0)?);
    let x = |part: usize, at: usize| node.x(2 + part * count + at);
    let mut results = vec![vec![]; 2];
    for at in 0..count {
        let (own, gradient, speed) = (x(0, at)?, x(1, at)?, x(2, at)?);
        let (next, speed) =
            optim::sgd_momentum(own, gradient, speed, rate, alpha, 1.0 - beta, decay, nesterov)?;
        results[0].push(next);
        results[1].push(speed);
    }
    Ok(results.concat())
}

pub(super) fn table() -> Vec<Entry> {
    vec![("Adagrad", adagrad_steps), ("Adam", adam_steps), ("Momentum", momentum_steps)]
}
