//! Given rules: the rule's expression with the gradient in place of its seed.

use crate::ir::{Builder, GivenRule, Graph, NodeId, Op, Value};
use crate::simplify::{Rewriter, aliases};
use std::collections::BTreeMap;

/// The graph without its given rules, so that its gradient is the derived one.
pub fn without_given(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    let mut plain: Vec<NodeId> = vec![];
    for id in 0..graph.nodes.len() {
        let node = graph.nodes[id].map_operands(|operand| plain[operand.0 as usize]);
        let mut stands_for = NodeId(id as u32);
        if let Op::Given { value, .. } = node.op {
            stands_for = value;
            // The value of a rule that covers all paths was put behind `stop_grad`.
            if let Op::StopGrad(inner) = graph.node(value).op {
                stands_for = inner;
            }
        }
        graph.nodes[id] = node;
        plain.push(stands_for);
    }
    graph.outputs.iter_mut().for_each(|output| output.node = plain[output.node.0 as usize]);
    graph
}

/// Values through which a rule for some of its inputs passes: they lead from an input that has a rule to a
/// value that has another way to its arguments. A result of the forward op in the place of one would be such
/// a way, and what the rule gives be counted twice in a second gradient. The rules of `own` don't count: they
/// are gone where it is that value.
pub(super) fn inside_open_rules(graph: &Graph, own: Option<NodeId>) -> Vec<bool> {
    let mut inside = vec![false; graph.nodes.len()];
    for id in graph.ids().filter(|id| own != Some(*id)) {
        let Op::Given { value, rules } = &graph.node(id).op else { continue };
        if matches!(graph.node(*value).op, Op::StopGrad(_)) {
            continue;
        }
        // Operands come first.
        let mut depends = vec![false; graph.nodes.len()];
        for id in graph.ids() {
            let is_input = rules.iter().any(|rule| rule.input == id);
            depends[id.0 as usize] =
                is_input || graph.node(id).operands().iter().any(|operand| depends[operand.0 as usize]);
        }
        let mut stack = vec![*value];
        while let Some(id) = stack.pop() {
            if depends[id.0 as usize] && !std::mem::replace(&mut inside[id.0 as usize], true) {
                stack.extend(graph.node(id).operands());
            }
        }
    }
    inside
}

/// Copies what comes after the seed; the rest is shared. Dims follow from the gradient, which may have fewer
/// than the seed. The value of `node`, which the rule calls `out`, becomes the node: it is what others see,
/// and its gradient is given too.
pub(super) fn apply<'b>(builder: &'b Builder, node: NodeId, rule: &GivenRule, grad: Value<'b>) -> Value<'b> {
    let inside = builder.read(|graph| aliases(graph, node));
    let mut copies: BTreeMap<NodeId, NodeId> = inside.into_iter().map(|inner| (inner, node)).collect();
    copies.insert(rule.seed, grad.id);
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
