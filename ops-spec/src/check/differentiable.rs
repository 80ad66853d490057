//! Checks that no gradient is silently missing: each path from a differentiable input to a float result must
//! have a derivative.
//!
//! Two facts are tracked for each node: whether a gradient flows from the node to an input, and the nodes at
//! which a gradient should flow but can't. The latter are reported if they affect a float result. They don't
//! count if they only choose in `select`, and `stop_grad`, a given rule or `#[no_grad]` removes them.

use crate::ast::Item;
use crate::diag::Errors;
use crate::ir::{ArgType, Graph, Kind, Node, NodeId, Op};
use crate::lower::Lowered;
use crate::prim::Prim;
use std::collections::BTreeSet;

/// What is known about the paths from a node to the inputs.
#[derive(Clone, Debug, Default)]
struct Paths {
    /// Whether a gradient flows from here to an input.
    flow: bool,
    /// Nodes at which a gradient stops that should flow on.
    ends: BTreeSet<NodeId>,
}

pub(super) fn check(errors: &mut Errors, item: &Item, lowered: &Lowered) {
    let graph = &lowered.graph;
    let mut known: Vec<Paths> = Vec::with_capacity(graph.nodes.len());
    for id in graph.ids() {
        let paths = paths(lowered, id, graph.node(id), &known);
        known.push(paths);
    }
    let floats = lowered.values.iter().filter(|v| graph.node(**v).kind == Kind::Float);
    let ends: BTreeSet<NodeId> = floats.flat_map(|v| known[v.0 as usize].ends.iter().copied()).collect();
    if !item.no_grad {
        ends.into_iter().for_each(|id| errors.at(lowered.spans[id.0 as usize], why(graph, id)));
    }
}

fn paths(lowered: &Lowered, id: NodeId, node: &Node, known: &[Paths]) -> Paths {
    let of = |ids: &[NodeId]| ids.iter().fold(Paths::default(), |all, id| all.with(&known[id.0 as usize]));
    let mut paths = match &node.op {
        Op::Input(arg) => Paths { flow: is_tracked(lowered, *arg), ends: BTreeSet::new() },
        Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => Paths::default(),
        Op::Apply(Prim::Select, args) => of(&args[1..]),
        Op::Apply(prim, args) => of(args).through(id, prim.row().rule.is_ok()),
        Op::Cast(x) => of(&[*x]).through(id, node.kind == Kind::Float),
        Op::Reduce(fold, _, x) => of(&[*x]).through(id, !fold.finds_position()),
        Op::At { source, index, .. } | Op::ScatterAdd { source, index, .. } => of(&[*source, *index]),
        Op::Given { rules, .. } => of(&rules.iter().map(|r| r.input).collect::<Vec<_>>()),
    };
    paths.flow &= node.kind == Kind::Float;
    paths
}

impl Paths {
    fn with(mut self, other: &Paths) -> Paths {
        self.flow |= other.flow;
        self.ends.extend(&other.ends);
        self
    }

    /// The paths after a node that has a derivative, or has none.
    fn through(mut self, id: NodeId, has_derivative: bool) -> Paths {
        if self.flow && !has_derivative {
            self.flow = false;
            self.ends.insert(id);
        }
        self
    }
}

/// Whether the gradient of an argument has to be derived.
fn is_tracked(lowered: &Lowered, arg: usize) -> bool {
    match &lowered.graph.args[arg].ty {
        ArgType::Tensor { no_grad, .. } => !no_grad && lowered.rules.iter().all(|r| r.arg != arg),
        ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => false,
    }
}

fn why(graph: &Graph, id: NodeId) -> String {
    let node = graph.node(id);
    match &node.op {
        Op::Apply(prim, _) => {
            let (name, why) = (prim.written(), prim.row().rule.err().unwrap_or("has no derivative"));
            match node.kind {
                Kind::Bool => format!(
                    "`{name}` {why}: choose with `select`, or detach its operands, as in `stop_grad(x)`"
                ),
                Kind::Float | Kind::Int => format!("`{name}` {why}"),
            }
        }
        Op::Reduce(fold, ..) => {
            let name = fold.name();
            format!("`{name}` gives an index and has no derivative: write `{name}(stop_grad(x), n)`")
        }
        Op::Cast(_) | Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::At { .. } => cast(node),
        Op::ScatterAdd { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => cast(node),
    }
}

fn cast(node: &Node) -> String {
    let kind = node.kind;
    format!("a cast to {kind} has no derivative: detach its operand, as in `cast(stop_grad(x), {kind})`")
}
