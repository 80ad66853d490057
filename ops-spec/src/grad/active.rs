//! Which nodes carry a gradient: those that depend differentiably on a tensor that wants one.

use crate::ir::{ArgType, GivenRule, Graph, Kind, NodeId, Op};
use std::collections::{BTreeMap, BTreeSet};

/// For each node whether a gradient flows through it.
pub(super) struct Active {
    carries: Vec<bool>,
}

impl Active {
    /// All nodes.
    pub(super) fn new(graph: &Graph) -> Active {
        Active::before(graph, NodeId(graph.nodes.len() as u32), &BTreeSet::new(), &mut Known::new())
    }

    /// The nodes that `value` may need. The nodes in `cuts` carry nothing, because a given rule stands for
    /// their gradient.
    pub(super) fn within(graph: &Graph, value: NodeId, cuts: &BTreeSet<NodeId>) -> Active {
        Active::before(graph, NodeId(value.0 + 1), cuts, &mut Known::new())
    }

    fn before(graph: &Graph, end: NodeId, cuts: &BTreeSet<NodeId>, known: &mut Known) -> Active {
        let count = graph.nodes.len();
        let mut active = Active { carries: vec![false; count] };
        for id in graph.ids().filter(|id| *id < end && !cuts.contains(id)) {
            let node = graph.node(id);
            active.carries[id.0 as usize] = match &node.op {
                Op::Input(arg) => wants_gradient(&graph.args[*arg].ty),
                Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => false,
                Op::Order { .. } => false,
                Op::Given { value, rules } => active.given(graph, cuts, *value, rules, known),
                Op::Apply(..)
                | Op::Cast(_)
                | Op::Reduce(..)
                | Op::Scan { .. }
                | Op::At { .. }
                | Op::Window { .. }
                | Op::Scatter { .. } => {
                    node.kind == Kind::Float && node.operands().iter().any(|x| active.carries(*x))
                }
            };
        }
        active
    }

    pub(super) fn carries(&self, id: NodeId) -> bool {
        self.carries[id.0 as usize]
    }

    fn given(
        &self,
        graph: &Graph,
        cuts: &BTreeSet<NodeId>,
        value: NodeId,
        rules: &[GivenRule],
        known: &mut Known,
    ) -> bool {
        if rules.iter().any(|rule| self.carries(rule.input)) {
            return true;
        }
        if !self.carries(value) {
            return false;
        }
        let inside = (value, cuts_of(cuts, rules));
        if let Some(carries) = known.get(&inside) {
            return *carries;
        }
        let carries = Active::before(graph, NodeId(value.0 + 1), &inside.1, known).carries(value);
        known.insert(inside, carries);
        carries
    }
}

/// Whether a value carries a gradient if it is cut at these nodes. Given rules may be nested, and without
/// this memory each level would double the work.
type Known = BTreeMap<(NodeId, BTreeSet<NodeId>), bool>;

/// The nodes at which gradients stop inside the value of a node with given rules.
pub(super) fn cuts_of(outer: &BTreeSet<NodeId>, rules: &[GivenRule]) -> BTreeSet<NodeId> {
    outer.iter().copied().chain(rules.iter().map(|rule| rule.input)).collect()
}

fn wants_gradient(ty: &ArgType) -> bool {
    matches!(ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. })
}
