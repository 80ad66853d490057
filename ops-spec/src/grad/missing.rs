//! Finds where a gradient is missing: each path from an input that wants a gradient to a float result must
//! have a derivative. Otherwise the gradient would lack a part, and nobody would see it.
//!
//! What only chooses in `select` needs no derivative. `stop_grad`, a given rule or `#[no_grad]` ends a path.

use super::active::{Active, cuts_of};
use super::{NoGradient, is_visible_float};
use crate::ir::{Graph, Kind, Node, NodeId, Op};
use std::collections::BTreeSet;

/// Which nodes carry a gradient. The errors are the nodes that a gradient should flow through and can't, in
/// order.
pub(super) fn none_missing(graph: &Graph) -> Result<Active, Vec<NoGradient>> {
    let active = Active::new(graph);
    let mut search = Search { graph, found: BTreeSet::new(), followed: BTreeSet::new() };
    let results = graph.outputs.iter().filter(|output| is_visible_float(graph, output));
    search.paths_to(results.map(|output| output.node).collect(), &active, &BTreeSet::new());
    if search.found.is_empty() {
        return Ok(active);
    }
    let error = |node| NoGradient { node, reason: why(graph.node(node)) };
    Err(search.found.into_iter().map(error).collect())
}

struct Search<'g> {
    graph: &'g Graph,
    found: BTreeSet<NodeId>,
    /// The values of given rules that were followed, with their cuts.
    followed: BTreeSet<(NodeId, BTreeSet<NodeId>)>,
}

impl Search<'_> {
    /// Follows all paths to the values back to the inputs, or to the first node at fault. The paths end at
    /// the nodes in `cuts`, because a given rule stands for their gradient.
    fn paths_to(&mut self, values: Vec<NodeId>, active: &Active, cuts: &BTreeSet<NodeId>) {
        let mut seen = BTreeSet::new();
        let mut open = values;
        while let Some(id) = open.pop() {
            if cuts.contains(&id) || !seen.insert(id) {
                continue;
            }
            let node = self.graph.node(id);
            match &node.op {
                Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => {}
                Op::Apply(..)
                | Op::Cast(_)
                | Op::Reduce(..)
                | Op::Scan { .. }
                | Op::Order { .. }
                | Op::At { .. }
                | Op::Window { .. }
                | Op::Scatter { .. }
                    if !has_derivative(node) && node.operands().iter().any(|x| active.carries(*x)) =>
                {
                    self.found.insert(id);
                }
                Op::Apply(prim, args) => open.extend(prim.values(args)),
                Op::Cast(_)
                | Op::Reduce(..)
                | Op::Scan { .. }
                | Op::Order { .. }
                | Op::At { .. }
                | Op::Window { .. }
                | Op::Scatter { .. } => {
                    open.extend(node.operands());
                }
                Op::Given { value, rules } => {
                    open.extend(rules.iter().map(|rule| rule.input));
                    let inside = cuts_of(cuts, rules);
                    if self.followed.insert((*value, inside.clone())) {
                        self.paths_to(vec![*value], &Active::within(self.graph, *value, &inside), &inside);
                    }
                }
            }
        }
    }
}

/// Whether a gradient of the node's value flows on to float operands.
fn has_derivative(node: &Node) -> bool {
    match &node.op {
        Op::Apply(prim, _) => prim.row().rule.is_ok(),
        Op::Reduce(fold, ..) => fold.row().rule.is_ok(),
        Op::Cast(_) => node.kind == Kind::Float,
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::At { .. } | Op::Window { .. } => true,
        Op::Scan { .. } | Op::Scatter { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => true,
        Op::Order { .. } => false,
    }
}

/// Why a node has no derivative, and what to write instead.
fn why(node: &Node) -> String {
    match &node.op {
        Op::Apply(prim, _) => {
            let (name, why) = (prim.written(), prim.row().rule.err().unwrap_or(NONE));
            match node.kind {
                Kind::Bool => format!(
                    "`{name}` {why}: choose with `select`, or detach its operands, as in `stop_grad(x)`"
                ),
                Kind::Float | Kind::Int => format!("`{name}` {why}"),
            }
        }
        Op::Reduce(fold, ..) => {
            let (name, why) = (fold.name(), fold.row().rule.err().unwrap_or(NONE));
            format!("`{name}` {why}: write `{name}(stop_grad(x), n)`")
        }
        Op::Order { order, .. } => {
            let name = order.name();
            let operands: Vec<String> = order.operands().iter().map(|x| format!("stop_grad({x})")).collect();
            format!("`{name}` {NONE}: write `{name}({}, n)`", operands.join(", "))
        }
        Op::Cast(_) => {
            let kind = node.kind;
            format!("a cast to {kind} {NONE}: detach its operand, as in `cast(stop_grad(x), {kind})`")
        }
        // These have derivatives.
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::At { .. } | Op::Window { .. } => {
            NONE.to_string()
        }
        Op::Scan { .. } | Op::Scatter { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => {
            NONE.to_string()
        }
    }
}

const NONE: &str = "has no derivative";
