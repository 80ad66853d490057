//! Chooses for each result of the forward op whether the gradient reads the saved result or computes it
//! again.
//!
//! A saved result costs a read. Computing the result again costs its reductions, and reading its inputs if
//! nothing else needs them. Costs are compared as if every dim had some tens of elements.

use super::Port;
use super::given::inside_open_rules;
use crate::ir::{ArgType, Builder, DimKind, DimSet, Graph, NodeId, Op};
use crate::prim::{Fold, Prim, Scan};
use crate::simplify::{aliases, simplify};
use std::collections::BTreeMap;

/// With more results than this, combinations are not tried: each result is judged by itself.
const MAX_COMBINED: usize = 4;
/// With more results than this, neighbouring results are judged together, because each trial costs as much as
/// the whole gradient.
const MAX_TRIALS: usize = 16;

/// Replaces results that the graph computes by arguments: all hidden results, and if `visible`, also the
/// other results where that is cheaper. The last outputs of the graph are the results themselves, in the
/// order of `ports`; they are dropped.
pub(super) fn use_results(graph: Graph, ports: &[Port], visible: bool) -> Graph {
    let gradients = graph.outputs.len() - ports.len();
    let results: Vec<NodeId> = graph.outputs[gradients..].iter().map(|o| o.node).collect();
    let mut graph = graph;
    graph.outputs.truncate(gradients);
    let inside_any = inside_open_rules(&graph, None);
    let is_inside = |node: NodeId| match graph.node(node).op {
        Op::Given { .. } => {
            let inside = inside_open_rules(&graph, Some(node));
            aliases(&graph, node).iter().any(|alias| inside[alias.0 as usize])
        }
        _ => inside_any[node.0 as usize],
    };
    let usable = results.into_iter().zip(ports).filter(|(node, port)| {
        let value = graph.node(*node);
        !port.differs && value.dims == port.dims && !value.operands().is_empty() && !is_inside(*node)
    });
    let (forced, mut usable): (Vec<_>, Vec<_>) = usable.partition(|(_, port)| port.hidden);
    let compared = Compared::new(&graph);
    usable.retain(|(node, _)| visible && !compared.contains(*node));
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
        let all: Vec<usize> = (0..usable.len()).collect();
        all.chunks(all.len().div_ceil(MAX_TRIALS)).map(<[usize]>::to_vec).collect()
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

/// Values that a gradient compares for equality with values that it computes again. Such a value can't be
/// saved: if it was rounded when it was stored, or computed by another kernel, it would not equal any of
/// them.
pub(super) struct Compared<'g> {
    graph: &'g Graph,
    /// What each value is compared with.
    with: BTreeMap<NodeId, Vec<NodeId>>,
}

impl<'g> Compared<'g> {
    pub(super) fn new(graph: &'g Graph) -> Compared<'g> {
        let as_stored = as_stored(graph);
        let is_computed = |id: &NodeId| !graph.node(*id).operands().is_empty() && !as_stored[id.0 as usize];
        let mut with: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for node in &graph.nodes {
            if let Op::Apply(Prim::Eq, args) = &node.op {
                for (value, other) in [(args[0], args[1]), (args[1], args[0])] {
                    with.entry(value).or_default().extend(Some(other).filter(is_computed));
                }
            }
        }
        Compared { graph, with }
    }

    pub(super) fn contains(&self, value: NodeId) -> bool {
        let same = aliases(self.graph, value);
        let mut with = same.iter().filter_map(|alias| self.with.get(alias)).flatten();
        with.any(|other| !same.contains(other))
    }
}

/// Which values are elements of an argument, or constants that every dtype can represent.
fn as_stored(graph: &Graph) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let all = |ids: &[NodeId]| ids.iter().all(|id| found[id.0 as usize]);
        let is_as_stored = match &node.op {
            Op::Input(_) => true,
            Op::Literal(value) => [0.0, 1.0, f64::INFINITY].contains(&value.as_f64().abs()),
            Op::StopGrad(x) | Op::Given { value: x, .. } | Op::At { source: x, .. } => all(&[*x]),
            Op::Window { source: x, .. } => all(&[*x]),
            Op::Reduce(Fold::Max | Fold::Min, _, x) => all(&[*x]),
            Op::Scan { scan: Scan::Max | Scan::Min, operands, .. } => all(operands),
            Op::Apply(
                prim @ (Prim::Select | Prim::Neg | Prim::Abs | Prim::Maximum | Prim::Minimum),
                args,
            ) => all(prim.values(args)),
            Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) | Op::Len(_) | Op::Iota(_) => false,
            Op::Scan { .. } | Op::Order { .. } | Op::Scatter { .. } | Op::Seed(_) => false,
        };
        found.push(is_as_stored);
    }
    found
}

/// The condition of `r = select(t <= c, c, t)`, or of `select(t > c, t, c)`, for a constant `c`. The test
/// `r <= c` gives the same answer, so the gradient of relu needs only its result.
fn kept_condition(graph: &Graph, result: NodeId) -> Option<NodeId> {
    let Op::Apply(Prim::Select, args) = &graph.node(result).op else { return None };
    let &[cond, yes, no] = &args[..] else { return None };
    let Op::Apply(prim, compared) = &graph.node(cond).op else { return None };
    let is_constant = |id: NodeId| matches!(graph.node(id).op, Op::Literal(_));
    let keeps = (*prim == Prim::Le && compared[..] == [no, yes] && is_constant(yes))
        || (*prim == Prim::Gt && compared[..] == [yes, no] && is_constant(no));
    keeps.then_some(cond)
}

/// What the values of a graph cost. Given rules cost nothing, because their effect is already in the
/// gradient.
pub(super) struct Costs<'g> {
    graph: &'g Graph,
    /// How often each value is used by computed nodes or as a result.
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

    /// The cost of all values that are computed.
    fn total(&self) -> f64 {
        let computed = self.graph.ids().filter(|id| self.uses[id.0 as usize] > 0);
        computed.map(|id| node_cost(self.graph, id)).sum()
    }

    /// The cost of a value and of everything that is computed only for it: what is saved if the value is
    /// available.
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
        Op::At { source, index, .. } | Op::Scatter { source, index, .. } => {
            let walked = graph.node(*source).dims.union(graph.node(*index).dims).union(node.dims);
            0.5 * size(walked)
        }
        Op::Scan { .. } => 0.5 * size(node.dims),
        // Far more than reading what it gives.
        Op::Order { operands, .. } => 8.0 * size(graph.node(operands[0]).dims.union(node.dims)),
        Op::Window { .. } => 0.05 * size(node.dims),
        Op::Apply(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg, _) => 0.01 * size(node.dims),
        Op::Apply(..) => 0.05 * size(node.dims),
        Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) | Op::StopGrad(_) => 0.0,
        Op::Given { .. } | Op::Seed(_) => 0.0,
    }
}

/// Number of elements, as if each dim had 32; the group counts as two dims.
pub(super) fn size(graph: &Graph, dims: DimSet) -> f64 {
    let sizes = dims.iter().map(|d| match &graph.dim(d).kind {
        DimKind::Group => 1024.0,
        DimKind::Fixed(size) => *size as f64,
        DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) | DimKind::Computed(_) => 32.0,
    });
    sizes.product()
}
