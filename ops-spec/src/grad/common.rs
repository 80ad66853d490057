//! Which values of a gradient the op computes too.

use crate::ir::{Arg, Builder, Graph, Node, NodeId, Op, Role};

/// For each node of a gradient, the same value in the graph of the op.
pub(super) struct Common {
    same: Vec<Option<NodeId>>,
    /// Whether a node depends on a seed. Such a node has no value, because it is part of a given rule.
    is_rule: Vec<bool>,
}

impl Common {
    pub(super) fn new(forward: &Graph, gradient: &Graph) -> Common {
        let builder = Builder::new(forward.clone());
        let mut common = Common { same: vec![], is_rule: vec![] };
        for node in &gradient.nodes {
            let same = common.same_as(forward, &builder, gradient, node);
            let is_rule = match &node.op {
                Op::Seed(_) => true,
                Op::Given { value, .. } => common.is_rule(*value),
                _ => node.operands().iter().any(|operand| common.is_rule(*operand)),
            };
            common.same.push(same);
            common.is_rule.push(is_rule);
        }
        common
    }

    /// The same value in the graph of the op.
    pub(super) fn in_forward(&self, id: NodeId) -> Option<NodeId> {
        self.same[id.0 as usize].filter(|_| !self.is_rule(id))
    }

    pub(super) fn is_rule(&self, id: NodeId) -> bool {
        self.is_rule[id.0 as usize]
    }

    fn same_as(&self, forward: &Graph, builder: &Builder, gradient: &Graph, node: &Node) -> Option<NodeId> {
        let same = |id: NodeId| self.same[id.0 as usize];
        match &node.op {
            Op::Input(arg) => input(forward, builder, &gradient.args[*arg], node),
            Op::Given { value, .. } => given(forward, same(*value)?),
            _ => {
                let are_same = node.operands().into_iter().all(|operand| same(operand).is_some());
                let mapped = node.map_operands(|operand| same(operand).unwrap_or(operand));
                builder.find(&mapped).filter(|_| are_same).map(|value| value.id)
            }
        }
    }
}

/// The node that gives rules for a value. The rules are not compared, because they are simplified further in
/// a gradient.
fn given(graph: &Graph, value: NodeId) -> Option<NodeId> {
    graph.ids().find(|id| matches!(graph.node(*id).op, Op::Given { value: inner, .. } if inner == value))
}

/// The node of the forward graph that an argument of the gradient stands for.
fn input(forward: &Graph, builder: &Builder, arg: &Arg, node: &Node) -> Option<NodeId> {
    match arg.role {
        Role::Forward(i) => builder.find(&Node { op: Op::Input(i), ..node.clone() }).map(|value| value.id),
        Role::Output(k) => Some(forward.outputs[k].node),
        Role::Grad(_) | Role::Tangent(_) => None,
    }
}
