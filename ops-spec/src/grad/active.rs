//! Which nodes carry a gradient: those that depend differentiably on a tensor that wants one.

use crate::ir::{ArgType, Graph, Kind, NodeId, Op};
use std::collections::BTreeSet;

/// For each node whether a gradient flows through it.
pub(super) struct Active {
    carries: Vec<bool>,
    /// Ints and bools that depend on a node that carries a gradient: they don't, and a cast to float would hide it.
    breaks: Vec<bool>,
}

impl Active {
    /// Nodes in `cuts` carry nothing: a given rule speaks for them.
    pub(super) fn new(graph: &Graph, cuts: &BTreeSet<NodeId>) -> Active {
        let count = graph.nodes.len();
        let mut active = Active { carries: vec![false; count], breaks: vec![false; count] };
        for id in graph.ids().filter(|id| !cuts.contains(id)) {
            let node = graph.node(id);
            let (carries, breaks) = match &node.op {
                Op::Input(arg) => (wants_gradient(&graph.args[*arg].ty), false),
                Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => (false, false),
                Op::Given { value, rules } => (active.given(graph, cuts, *value, rules), false),
                Op::At { source, .. } | Op::ScatterAdd { source, .. } if node.kind == Kind::Float => {
                    (active.carries(*source), false)
                }
                Op::Cast(x) if node.kind == Kind::Float => (active.carries(*x) || active.breaks(*x), false),
                _ if node.kind == Kind::Float => (node.operands().iter().any(|x| active.carries(*x)), false),
                _ => (false, node.operands().iter().any(|x| active.carries(*x) || active.breaks(*x))),
            };
            active.carries[id.0 as usize] = carries;
            active.breaks[id.0 as usize] = breaks;
        }
        active
    }

    pub(super) fn carries(&self, id: NodeId) -> bool {
        self.carries[id.0 as usize]
    }

    pub(super) fn breaks(&self, id: NodeId) -> bool {
        self.breaks[id.0 as usize]
    }

    fn given(
        &self,
        graph: &Graph,
        cuts: &BTreeSet<NodeId>,
        value: NodeId,
        rules: &[crate::ir::GivenRule],
    ) -> bool {
        rules.iter().any(|rule| self.carries(rule.input))
            || (self.carries(value) && Active::new(graph, &cuts_of(cuts, rules)).carries(value))
    }
}

/// Cuts inside the value of a given rule.
pub(super) fn cuts_of(outer: &BTreeSet<NodeId>, rules: &[crate::ir::GivenRule]) -> BTreeSet<NodeId> {
    outer.iter().copied().chain(rules.iter().map(|rule| rule.input)).collect()
}

fn wants_gradient(ty: &ArgType) -> bool {
    matches!(ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. })
}
