//! Losses of classes.

use super::Entry;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::nn::log_softmax;
use tensor_op::prelude::*;

/// The loss of each place, and its weight. Classes that are ignored weigh nothing.
#[tensor_op(tests = false)]
fn of_each(
    x: Tensor![b, c, s],
    target: IntTensor![b, s],
    weight: Tensor![c],
    ignores: bool,
    ignored: i64,
) -> (Tensor![b, s], Tensor![b, s]) {
    let counts = !ignores | (target != ignored);
    let class = select(counts, target, 0);
    let share = select(counts, at(weight, c = class), 0.0);
    (-at(x, c = class) * share, share)
}

#[tensor_op(tests = false)]
fn total(x: Tensor) -> Tensor![] {
    sum(x, ..)
}

/// The loss of logarithms of probabilities, `[b, c, ..]`.
fn likelihood(node: &Node, x: &Tensor) -> Outcome<Tensor> {
    let (shape, target) = (x.shape(), node.x(1)?);
    let places: usize = shape[2..].iter().product();
    let weight = match node.optional(2) {
        Some(weight) => weight,
        None => Tensor::ones([shape[1]], x.dtype(), &x.device())?,
    };
    let (ignores, ignored) = (node.attributes.contains_key("ignore_index"), node.int("ignore_index", 0)?);
    let flat = target.reshape([shape[0], places])?;
    let (loss, share) = of_each(x.reshape([shape[0], shape[1], places])?, flat, weight, ignores, ignored)?;
    Ok(match node.text("reduction", "mean")? {
        "none" => loss.reshape(target.shape())?,
        "sum" => total(loss)?,
        _ => (total(loss)? / total(share)?)?,
    })
}

fn cross_entropy(node: &Node) -> Outcome {
    let logits = log_softmax(node.x(0)?, 1)?;
    Ok(vec![likelihood(node, &logits)?, logits])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("NegativeLogLikelihoodLoss", |node| Ok(vec![likelihood(node, &node.x(0)?)?])),
        ("SoftmaxCrossEntropyLoss", cross_entropy),
    ]
}
