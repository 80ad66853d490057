//! The choice between results of the forward op, saved, and computing them again.
//!
//! A saved result costs reading it; computing it again costs its inputs, if nothing else needs them, and its reductions. Costs are
//! compared as if every dim had some tens of elements.

use super::Port;
use super::given::inside_open_rules;
use crate::ir::{ArgType, Builder, DimKind, DimSet, Graph, NodeId, Op};
use crate::prim::{Fold, Prim};
use crate::simplify::{aliases, simplify};
use std::collections::BTreeMap;

/// With more results than this, each is judged by itself.
const MAX_COMBINED: usize = 4;

/// Replaces results that are in the graph by arguments: hidden ones, and if `visible`, others where that is cheaper. The last
/// outputs are the results themselves, in the order of `ports`; they are dropped.
pub(super) fn use_results(graph: Graph, ports: &[Port], visible: bool) -> Graph {
    let gradients = graph.outputs.len() - ports.len();
    let results: Vec<NodeId> = graph.outputs[gradients..].iter().map(|o| o.node).collect();
    let mut graph = graph;
    graph.outputs.truncate(gradients);
    let is_inside = |node: NodeId| {
        let inside = inside_open_rules(&graph, Some(node));
        aliases(&graph, node).iter().any(|alias| inside[alias.0 as usize])
    };
    let usable = results.into_iter().zip(ports).filter(|(node, port)| {
        let value = graph.node(*node);
        !port.summed && value.dims == port.dims && !value.operands().is_empty() && !is_inside(*node)
    });
    let (forced, mut usable): (Vec<_>, Vec<_>) = usable.partition(|(_, port)| port.hidden);
    usable.retain(|(node, _)| visible && !is_compared(&graph, *node));
    let with = |set: &[usize]| {
        let chosen = set.iter().map(|i| usable[*i]);
        simplify(replace(&graph, forced.iter().copied().chain(chosen)))
    };
    let mut best = with(&[]);
    let mut chosen = vec![];
    let tries: Vec<Vec<usize>> = if usable.len() <= MAX_COMBINED {
        (1..1usize << usable.len())
            .map(|set| (0..usable.len()).filter(|i| set & (1 << i) != 0).collect())
            .collect()
    } else {
        (0..usable.len()).map(|i| vec![i]).collect()
    };
    for try_set in tries {
        let set = if usable.len() <= MAX_COMBINED { try_set } else { [chosen.clone(), try_set].concat() };
        let candidate = with(&set);
        if Costs::new(&candidate).total() < Costs::new(&best).total() {
            (best, chosen) = (candidate, set);
        }
    }
    best
}

/// The graph with results as arguments.
fn replace<'p>(graph: &Graph, results: impl Iterator<Item = (NodeId, &'p Port)>) -> Graph {
    let mut saved = BTreeMap::new();
    let mut conditions = BTreeMap::new();
    for (id, port) in results {
        for alias in aliases(graph, id) {
            saved.insert(alias, port.result);
            conditions.extend(kept_condition(graph, alias).map(|cond| (cond, alias)));
        }
    }
    let builder = Builder::new(Graph { nodes: vec![], outputs: vec![], ..graph.clone() });
    let input = |id: NodeId| builder.input(saved[&id], graph.node(id).dims, graph.node(id).kind);
    let mut new_ids: Vec<NodeId> = vec![];
    for id in graph.ids() {
        let node = graph.node(id).map_operands(|operand| new_ids[operand.0 as usize]);
        let new = if saved.contains_key(&id) {
            input(id)
        } else if let (Op::Apply(prim, args), Some(result)) = (&node.op, conditions.get(&id)) {
            input(*result).zip(*prim, builder.value(args[1]))
        } else {
            builder.push(node)
        };
        new_ids.push(new.id);
    }
    let mut outputs = graph.outputs.clone();
    outputs.iter_mut().for_each(|output| output.node = new_ids[output.node.0 as usize]);
    Graph { outputs, ..builder.finish() }
}

/// Whether the gradient asks which elements are equal to a value, and computes those again: the value, rounded when it was stored or
/// computed by another kernel, would be equal to none.
pub(super) fn is_compared(graph: &Graph, value: NodeId) -> bool {
    let same = aliases(graph, value);
    graph.nodes.iter().any(|node| match &node.op {
        Op::Apply(Prim::Eq, args) => {
            let others = || args.iter().filter(|arg| !same.contains(arg));
            let is_computed = |id: NodeId| !graph.node(id).operands().is_empty() && !is_as_stored(graph, id);
            others().count() < args.len() && others().any(|other| is_computed(*other))
        }
        _ => false,
    })
}

/// Whether a value is an element of an argument, or a constant that every dtype has.
fn is_as_stored(graph: &Graph, id: NodeId) -> bool {
    match &graph.node(id).op {
        Op::Input(_) => true,
        Op::Literal(value) => [0.0, 1.0, f64::INFINITY].contains(&value.as_f64().abs()),
        Op::StopGrad(x) | Op::Given { value: x, .. } | Op::At { source: x, .. } => is_as_stored(graph, *x),
        Op::Reduce(Fold::Max | Fold::Min, _, x) => is_as_stored(graph, *x),
        Op::Apply(Prim::Select, args) => args[1..].iter().all(|x| is_as_stored(graph, *x)),
        Op::Apply(Prim::Neg | Prim::Abs | Prim::Maximum | Prim::Minimum, args) => {
            args.iter().all(|x| is_as_stored(graph, *x))
        }
        Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) | Op::Len(_) | Op::Iota(_) => false,
        Op::ScatterAdd { .. } | Op::Seed(_) => false,
    }
}

/// The condition of `r = select(t <= c, c, t)`, or of `select(t > c, t, c)`, for a constant `c`: `r <= c` says the same, so
/// that the gradient of relu needs its result only.
fn kept_condition(graph: &Graph, result: NodeId) -> Option<NodeId> {
    let Op::Apply(Prim::Select, args) = &graph.node(result).op else { return None };
    let &[cond, yes, no] = &args[..] else { return None };
    let Op::Apply(prim, compared) = &graph.node(cond).op else { return None };
    let is_constant = |id: NodeId| matches!(graph.node(id).op, Op::Literal(_));
    let keeps = (*prim == Prim::Le && compared[..] == [no, yes] && is_constant(yes))
        || (*prim == Prim::Gt && compared[..] == [yes, no] && is_constant(no));
    keeps.then_some(cond)
}

/// What the values of a graph cost. Given rules cost nothing: what they say is in the gradient.
pub(super) struct Costs<'g> {
    graph: &'g Graph,
    /// How often each value is used by what is computed, or is a result.
    uses: Vec<usize>,
}

impl<'g> Costs<'g> {
    pub(super) fn new(graph: &'g Graph) -> Costs<'g> {
        let mut uses = vec![0; graph.nodes.len()];
        graph.outputs.iter().for_each(|output| uses[output.node.0 as usize] += 1);
        for id in graph.ids().rev() {
            if uses[id.0 as usize] > 0 {
                computed_from(graph, id).iter().for_each(|operand| uses[operand.0 as usize] += 1);
            }
        }
        Costs { graph, uses }
    }

    /// Of all that is computed.
    fn total(&self) -> f64 {
        let computed = self.graph.ids().filter(|id| self.uses[id.0 as usize] > 0);
        computed.map(|id| node_cost(self.graph, id)).sum()
    }

    /// Of a value and what is computed for it alone: what is spared if it is at hand.
    pub(super) fn spared(&self, value: NodeId) -> f64 {
        let mut left: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut spared = 0.0;
        let is_computed = self.uses[value.0 as usize] > 0;
        let mut open: Vec<NodeId> = is_computed.then_some(value).into_iter().collect();
        while let Some(id) = open.pop() {
            spared += node_cost(self.graph, id);
            for operand in computed_from(self.graph, id) {
                let left = left.entry(operand).or_insert(self.uses[operand.0 as usize]);
                *left -= 1;
                if *left == 0 {
                    open.push(operand);
                }
            }
        }
        spared
    }
}

/// The operands that a node's value is computed from.
fn computed_from(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    match &graph.node(id).op {
        Op::Given { value, .. } => vec![*value],
        _ => graph.node(id).operands(),
    }
}

fn node_cost(graph: &Graph, id: NodeId) -> f64 {
    let node = graph.node(id);
    let size = |dims| size(graph, dims);
    match &node.op {
        Op::Input(arg) => match graph.args[*arg].ty {
            ArgType::Tensor { .. } => size(node.dims),
            ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => 0.0,
        },
        Op::Reduce(_, _, x) => 0.5 * size(graph.node(*x).dims),
        Op::At { source, index, .. } | Op::ScatterAdd { source, index, .. } => {
            let walked = graph.node(*source).dims.union(graph.node(*index).dims).union(node.dims);
            0.5 * size(walked)
        }
        Op::Apply(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg, _) => 0.01 * size(node.dims),
        Op::Apply(..) => 0.05 * size(node.dims),
        Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) | Op::StopGrad(_) => 0.0,
        Op::Given { .. } | Op::Seed(_) => 0.0,
    }
}

/// Elements, as if each dim had 32; the group counts as two dims.
pub(super) fn size(graph: &Graph, dims: DimSet) -> f64 {
    let sizes = dims.iter().map(|d| match graph.dim(d).kind {
        DimKind::Group => 1024.0,
        DimKind::Fixed(size) => size as f64,
        DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) => 32.0,
    });
    sizes.product()
}
