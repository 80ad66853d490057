//! Losses of classes.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use tensor_op::Reduction;
use tensor_op::catalogue::{losses, nn};

fn reduction(node: &Node) -> Outcome<Reduction> {
    match node.text("reduction", "mean")? {
        "none" => Ok(Reduction::None),
        "sum" => Ok(Reduction::Sum),
        "mean" => Ok(Reduction::Mean),
        other => Err(Stop::Failed(format!("the reduction `{other}` is unknown"))),
    }
}

/// The target that does not count, if there is one.
fn ignored(node: &Node) -> Outcome<Option<i64>> {
    let given = node.attributes.contains_key("ignore_index");
    Ok(if given { Some(node.int("ignore_index", 0)?) } else { None })
}

fn negative_log_likelihood(node: &Node) -> Outcome {
    let (x, target, weight) = (node.x(0)?, node.x(1)?, node.optional(2));
    Ok(vec![losses::nll_loss(x, target, weight, ignored(node)?, reduction(node)?)?])
}

fn cross_entropy(node: &Node) -> Outcome {
    let (x, target, weight) = (node.x(0)?, node.x(1)?, node.optional(2));
    let logs = nn::log_softmax(&x, 1)?;
    let loss = losses::cross_entropy(x, target, weight, ignored(node)?, reduction(node)?, None)?;
    Ok(vec![loss, logs])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("NegativeLogLikelihoodLoss", negative_log_likelihood), ("SoftmaxCrossEntropyLoss", cross_entropy)]
}
