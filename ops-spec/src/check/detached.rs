//! Refuses a value that needs a gradient as an argument that has none in a called op: the gradient would be
//! lost silently.

use crate::diag::Errors;
use crate::grad;
use crate::ir::ArgType;
use crate::lower::Lowered;

pub(super) fn check(errors: &mut Errors, lowered: &Lowered) {
    if lowered.detached.is_empty() {
        return;
    }
    // An argument with a rule gets its gradient from the rule.
    let mut graph = lowered.graph.clone();
    for rule in &lowered.rules {
        if let ArgType::Tensor { no_grad, .. } = &mut graph.args[rule.arg].ty {
            *no_grad = true;
        }
    }
    let carries = grad::carries(&graph);
    for value in lowered.detached.iter().filter(|value| carries[value.node.0 as usize]) {
        let message = format!(
            "{} has no gradient, and one flows to this: write `stop_grad(..)` around it",
            value.place
        );
        errors.at(value.span, message);
    }
}
