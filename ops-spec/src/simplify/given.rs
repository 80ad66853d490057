//! Given rules in graphs that are rewritten. Rules that cover every path are sealed, before a rewrite can
//! open a path around the inputs that they name. If a rewrite leaves a value fewer dims, its rules are
//! fitted.

use super::{Rewriter, reduce_over};
use crate::ir::{ArgType, Builder, DimSet, GivenRule, Graph, Kind, Node, NodeId, Op};
use crate::prim::Fold;
use std::collections::BTreeMap;

/// Puts the value of each rule that covers all paths behind `stop_grad`.
pub(super) fn seal(graph: Graph) -> Graph {
    let open: Vec<NodeId> = graph.ids().filter(|id| is_open(&graph, *id)).collect();
    if open.is_empty() {
        return graph;
    }
    let mut nodes: Vec<Node> = vec![];
    let mut new_ids: Vec<NodeId> = vec![];
    for id in graph.ids() {
        let mut node = graph.node(id).map_operands(|operand| new_ids[operand.0 as usize]);
        if let Op::Given { value, .. } = &mut node.op
            && open.contains(&id)
        {
            let inner = *value;
            *value = NodeId(nodes.len() as u32);
            nodes.push(Node { op: Op::StopGrad(inner), name: None, ..nodes[inner.0 as usize].clone() });
        }
        new_ids.push(NodeId(nodes.len() as u32));
        nodes.push(node);
    }
    let mut outputs = graph.outputs.clone();
    outputs.iter_mut().for_each(|output| output.node = new_ids[output.node.0 as usize]);
    Graph { nodes, outputs, ..graph }
}

/// A rule for a value of these dims, which may be fewer than those of the seed.
pub(super) fn fitted(builder: &Builder, rule: GivenRule, dims: DimSet) -> GivenRule {
    let seed = builder.node(rule.seed);
    if seed.dims == dims {
        return rule;
    }
    let fitted = builder.push(Node { dims, ..seed }).id;
    let of_seed = substitute(builder, &rule, BTreeMap::from([(rule.seed, fitted)]));
    GivenRule { rule: of_seed, seed: fitted, ..rule }
}

/// If a rewrite has left an input of a rule fewer dims, its gradient is a sum over those that it lost: all
/// the elements along them are one now. Dims that the value has lost too are summed in the gradient of the
/// value. `node` is the rewritten node with this id.
pub(super) fn count_lost_dims(graph: &Graph, id: NodeId, node: &mut Node, builder: &Builder) {
    let (Op::Given { value: old, rules: old_rules }, Op::Given { value, rules }) =
        (&graph.node(id).op, &mut node.op)
    else {
        return;
    };
    let lost = |old: NodeId, new: NodeId| graph.node(old).dims.difference(builder.node(new).dims);
    for (old_rule, rule) in old_rules.iter().zip(rules) {
        let summed = lost(old_rule.input, rule.input).difference(lost(*old, *value));
        if !summed.is_empty() {
            rule.rule = reduce_over(Fold::Sum, summed, builder.value(rule.rule)).id;
        }
    }
}

/// The rule with other nodes in place of its seed, and of others that `copies` has. What does not depend on
/// the seed is shared. Dims follow from what replaces the seed.
pub(crate) fn substitute(
    builder: &Builder,
    rule: &GivenRule,
    mut copies: BTreeMap<NodeId, NodeId>,
) -> NodeId {
    copy(builder, rule.rule, rule.seed, &mut copies)
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

/// The node itself. If rules are given for it, also the value inside, which the rules call `out`.
pub(crate) fn aliases(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let mut aliases = vec![id];
    if let Op::Given { value, .. } = graph.node(id).op {
        if let Op::StopGrad(inner) = graph.node(value).op {
            aliases.push(inner);
        } else {
            aliases.extend(self::aliases(graph, value));
        }
    }
    aliases
}

/// Whether its rules cover all paths, but its value is not yet behind `stop_grad`.
fn is_open(graph: &Graph, id: NodeId) -> bool {
    match &graph.node(id).op {
        Op::Given { value, rules } => {
            !matches!(graph.node(*value).op, Op::StopGrad(_)) && !has_ways_past(graph, *value, rules)
        }
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => false,
        Op::Reduce(..) | Op::Scan { .. } | Op::Order { .. } | Op::At { .. } | Op::Window { .. } => false,
        Op::Scatter { .. } | Op::StopGrad(_) | Op::Seed(_) => false,
    }
}

/// Whether a value depends on a float tensor through a path that does not go through the inputs of its rules.
pub(crate) fn has_ways_past(graph: &Graph, root: NodeId, rules: &[GivenRule]) -> bool {
    let mut seen = vec![false; graph.nodes.len()];
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) || rules.iter().any(|rule| rule.input == id) {
            continue;
        }
        let node = graph.node(id);
        if let Op::Input(arg) = &node.op {
            let is_tensor = matches!(graph.args[*arg].ty, ArgType::Tensor { .. });
            if is_tensor && node.kind == Kind::Float {
                return true;
            }
        }
        if let Op::Given { value, rules } = &node.op {
            stack.extend(rules.iter().map(|rule| rule.input).chain([*value]));
        } else {
            stack.extend(node.operands());
        }
    }
    false
}
