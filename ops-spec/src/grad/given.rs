//! Given rules: applies a rule by replacing its seed with the gradient.

use crate::ir::{Builder, GivenRule, Graph, NodeId, Op, Value};
use crate::simplify::{aliases, substitute};
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

/// Marks the values inside nodes whose given rules don't cover all inputs. These values lie between an input
/// that has a rule and a value that also depends on the arguments in another way. If a result of the forward
/// op replaced such a value, it would open another path, and a second gradient would count the rule twice.
/// The rules of the node `own` are ignored: they disappear if that node itself is replaced.
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

/// The rule for a gradient, which may have fewer dims than the seed. The value of `node`, which the rule
/// calls `out`, becomes `node` itself: that is what other nodes see, and its gradient is given too.
pub(super) fn apply<'b>(builder: &'b Builder, node: NodeId, rule: &GivenRule, grad: Value<'b>) -> Value<'b> {
    let inside = builder.read(|graph| aliases(graph, node));
    let mut copies: BTreeMap<NodeId, NodeId> = inside.into_iter().map(|inner| (inner, node)).collect();
    copies.insert(rule.seed, grad.id);
    builder.value(substitute(builder, rule, copies))
}
