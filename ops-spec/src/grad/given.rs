//! Given rules: the rule's expression with the gradient in place of its seed.

use crate::ir::{Builder, GivenRule, NodeId, Value};
use crate::simplify::Rewriter;
use std::collections::BTreeMap;

/// Copies what depends on the seed; the rest is shared. Dims follow from the gradient, which may have fewer than the seed.
pub(super) fn apply<'b>(builder: &'b Builder, rule: &GivenRule, grad: Value<'b>) -> Value<'b> {
    let mut copies = BTreeMap::from([(rule.seed, grad.id)]);
    builder.value(copy(builder, rule.rule, rule.seed, &mut copies))
}

fn copy(builder: &Builder, id: NodeId, seed: NodeId, copies: &mut BTreeMap<NodeId, NodeId>) -> NodeId {
    if let Some(copy) = copies.get(&id) {
        return *copy;
    }
    // Operands come first, so nothing before the seed depends on it.
    if id < seed {
        return id;
    }
    let node = builder.node(id);
    let copied = node.map_operands(|operand| copy(builder, operand, seed, copies));
    let result = if copied.op == node.op { id } else { Rewriter::plain(builder).rebuild(&copied).id };
    copies.insert(id, result);
    result
}
