//! Simplification: takes a graph and gives an equal graph with fewer and cheaper nodes.
//!
//! Every node is rebuilt, operands first, through constructors that know one small rewrite each, until
//! nothing changes. In the graph of an op, a rewrite may change a result by rounding only. Nodes that depend
//! on a gradient were not written by anyone, so they are also reordered into products and common factors.
//! Then a gradient reads and costs like one derived by hand.

mod arith;
mod given;
mod product;
mod range;
mod reduce;
mod structure;
mod terms;
mod window;

#[cfg(feature = "syntax")]
pub(crate) use given::has_ways_past;
pub(crate) use given::{aliases, substitute};
pub(crate) use range::bounded;
pub(crate) use reduce::reduce_over;
pub(crate) use structure::along;

use crate::ir::{Arg, ArgType, Builder, Graph, Kind, Node, NodeId, Op, Output, Role, Value};
use crate::prim::Prim;
use range::{Range, Ranges};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The most passes. Each pass changes something or is the last one. Rewrites shrink a graph, so this many are
/// never needed.
const MAX_PASSES: usize = 24;

/// Simplifies a graph. `stop_grad` and given rules stay, so that the result can still be differentiated.
pub fn simplify(graph: Graph) -> Graph {
    let mut graph = given::seal(graph);
    for _ in 0..MAX_PASSES {
        let next = pass(&graph, false);
        if next == graph {
            break;
        }
        graph = next;
    }
    graph
}

/// The graph that kernels are made from: everything that only differentiation needs is removed.
pub fn strip(graph: &Graph) -> Graph {
    simplify(pass(graph, true))
}

/// Rebuilds single nodes in a builder.
#[derive(Clone, Copy)]
pub(crate) struct Rewriter<'b> {
    pub(crate) builder: &'b Builder,
    mode: Mode<'b>,
}

/// How far rewrites go.
#[derive(Clone, Copy)]
enum Mode<'b> {
    /// Nodes are built as they are; only their dims follow from the operands.
    Plain,
    /// The order of arithmetic stays.
    Ordered,
    /// In gradients: sums and products may be reordered. Holds the products and quotients that exist anyway.
    Reordered(&'b RefCell<Shared>),
}

/// Products and quotients that stay in the graph even if a single user changes: those that are used more than
/// once, and results.
#[derive(Default)]
struct Shared {
    /// The first key is a factor, or the value that is divided; the second is the other factor, or the
    /// divisor.
    pairs: BTreeMap<NodeId, BTreeMap<NodeId, Vec<Pair>>>,
    ranges: Ranges,
}

/// A product or quotient of two values.
struct Pair {
    /// [`Prim::Mul`] or [`Prim::Div`].
    prim: Prim,
    value: NodeId,
    is_result: bool,
}

impl Shared {
    fn add(&mut self, value: Value<'_>, is_result: bool) {
        let node = value.builder().node(value.id);
        let Op::Apply(prim @ (Prim::Mul | Prim::Div), args) = node.op else { return };
        if node.kind != Kind::Float {
            return;
        }
        let mut add = |of: NodeId, with: NodeId| {
            let pairs = self.pairs.entry(of).or_default().entry(with).or_default();
            pairs.push(Pair { prim, value: value.id, is_result });
        };
        add(args[0], args[1]);
        if prim == Prim::Mul && args[0] != args[1] {
            add(args[1], args[0]);
        }
    }

    /// The product or quotient of `of` and the first value of `with` for which one exists, and the index of
    /// that value in `with`.
    fn existing(
        &self,
        of: NodeId,
        prim: Prim,
        with: &[Value<'_>],
        only_results: bool,
    ) -> Option<(usize, NodeId)> {
        let pairs = self.pairs.get(&of)?;
        with.iter().enumerate().find_map(|(place, with)| {
            let usable = pairs.get(&with.id)?.iter();
            let usable = usable.filter(|pair| pair.prim == prim && (!only_results || pair.is_result));
            Some((place, usable.map(|pair| pair.value).min()?))
        })
    }
}

impl<'b> Rewriter<'b> {
    /// Builds nodes as they are, except that they lose the dims that their operands have lost.
    pub(crate) fn plain(builder: &'b Builder) -> Rewriter<'b> {
        Rewriter { builder, mode: Mode::Plain }
    }

    fn shared(self) -> Option<&'b RefCell<Shared>> {
        match self.mode {
            Mode::Plain | Mode::Ordered => None,
            Mode::Reordered(shared) => Some(shared),
        }
    }

    /// Whether a gradient may move the factor.
    fn is_moderate(self, x: Value<'b>) -> bool {
        self.range(x).is_some_and(Range::is_moderate)
    }

    /// Whether this factor can't make a product much larger.
    fn is_bounded(self, x: Value<'b>) -> bool {
        self.range(x).is_some_and(Range::is_bounded)
    }

    /// Whether this factor can't make a product much smaller.
    fn is_far_from_zero(self, x: Value<'b>) -> bool {
        self.range(x).is_some_and(Range::is_far_from_zero)
    }

    /// Whether a gradient may move the product of these factors, each of which it may move.
    fn is_moderate_product(self, factors: impl Iterator<Item = Value<'b>>) -> bool {
        let product =
            factors.map(|x| self.range(x)).try_fold(Range::ONE, |product, x| Some(product.times(x?)));
        product.is_some_and(Range::is_moderate_product)
    }

    /// The range in which a value lies. It is known in gradients only.
    fn range(self, x: Value<'b>) -> Option<Range> {
        self.shared().map(|shared| shared.borrow().ranges.of(self.builder, x.id))
    }

    fn reorders(self) -> bool {
        self.shared().is_some()
    }

    fn is_plain(self) -> bool {
        matches!(self.mode, Mode::Plain)
    }

    /// The value of a node whose operands are in the builder. Its dims follow from the operands.
    pub(crate) fn rebuild(self, node: &Node) -> Value<'b> {
        let value = |id: &NodeId| self.builder.value(*id);
        match &node.op {
            Op::Input(_) | Op::Literal(_) | Op::Iota(_) | Op::Seed(_) => self.builder.push(node.clone()),
            Op::Len(dims) => self.len(*dims, node.kind),
            Op::Apply(prim, args) => self.apply(*prim, &args.iter().map(value).collect::<Vec<_>>()),
            Op::Cast(x) => self.cast(value(x), node.kind),
            Op::Reduce(fold, dims, x) => self.reduce(*fold, *dims, value(x)),
            Op::Scan { scan, dim, reverse, operands } => {
                self.scan(*scan, *dim, *reverse, &operands.iter().map(value).collect::<Vec<_>>())
            }
            Op::Order { order, dim, operands } => {
                self.order(*order, *dim, &operands.iter().map(value).collect::<Vec<_>>())
            }
            Op::At { source, dim, index } => self.at(value(source), *dim, value(index)),
            Op::Window { source, dim, position } => self.window(value(source), *dim, position.clone()),
            Op::Scatter { fold, source, dim, index, .. } => {
                self.scatter(*fold, value(source), *dim, value(index), node)
            }
            Op::StopGrad(x) => self.stop_grad(value(x)),
            Op::Given { value, rules } => {
                let dims = self.builder.node(*value).dims;
                let rules = rules.iter().map(|rule| given::fitted(self.builder, rule.clone(), dims));
                self.builder.given(*value, rules.collect())
            }
        }
    }
}

/// Rebuilds the nodes that outputs need.
fn pass(graph: &Graph, strip: bool) -> Graph {
    let live = live_nodes(graph, roots(graph));
    let uses = uses(graph, &live);
    let builder = Builder::new(Graph { nodes: vec![], outputs: vec![], ..graph.clone() });
    let shared = RefCell::new(Shared::default());
    let derived = derived(graph);
    let rewriter = |id: NodeId| {
        let mode = if derived[id.0 as usize] { Mode::Reordered(&shared) } else { Mode::Ordered };
        Rewriter { builder: &builder, mode }
    };
    let results: BTreeSet<NodeId> = graph.outputs.iter().flat_map(|o| aliases(graph, o.node)).collect();
    let mut new_ids: Vec<NodeId> = vec![NodeId(0); graph.nodes.len()];
    for id in graph.ids().filter(|id| live[id.0 as usize]) {
        let mut node = graph.node(id).map_operands(|operand| new_ids[operand.0 as usize]);
        given::count_lost_dims(graph, id, &mut node, &builder);
        let value = match marked(&node.op) {
            Some(inner) if strip => builder.value(inner),
            Some(_) | None => rewriter(id).rebuild(&node),
        };
        if let Some(name) = &node.name
            && !builder.node(value.id).operands().is_empty()
        {
            builder.name(value.id, name);
        }
        let is_result = results.contains(&id);
        if is_result || uses[id.0 as usize] > 1 {
            shared.borrow_mut().add(value, is_result);
        }
        new_ids[id.0 as usize] = value.id;
    }
    let output = |output: &Output| {
        let value = builder.value(new_ids[output.node.0 as usize]);
        // The node of a result says which of the `Axis` dims the result has.
        let kept = graph.node(output.node).dims.intersection(graph.axis_dims());
        let value = if output.like.is_none() { along(value, kept) } else { value };
        Output { node: value.id, ..output.clone() }
    };
    let outputs = graph.outputs.iter().map(output).collect();
    without_dead_nodes(Graph { outputs, ..builder.finish() })
}

/// Which nodes depend on a gradient or tangent. The values that a derivative takes from the op keep the order
/// in which the op computes them, because that order may be what prevents overflow.
pub(crate) fn derived(graph: &Graph) -> Vec<bool> {
    let mut derived: Vec<bool> = vec![];
    for id in graph.ids() {
        let node = graph.node(id);
        derived.push(match node.op {
            Op::Input(arg) => match graph.args[arg].role {
                Role::Grad(_) | Role::Tangent(_) => true,
                Role::Forward(_) | Role::Output(_) => false,
            },
            _ => node.operands().iter().any(|operand| derived[operand.0 as usize]),
        });
    }
    derived
}

/// The value inside a node that only differentiation needs (`stop_grad` or given rules).
fn marked(op: &Op) -> Option<NodeId> {
    match op {
        Op::StopGrad(value) | Op::Given { value, .. } => Some(*value),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => None,
        Op::Reduce(..) | Op::Scan { .. } | Op::Order { .. } | Op::At { .. } | Op::Window { .. } => None,
        Op::Scatter { .. } | Op::Seed(_) => None,
    }
}

/// How often each node is used.
fn uses(graph: &Graph, live: &[bool]) -> Vec<usize> {
    let mut uses = vec![0; graph.nodes.len()];
    for id in graph.ids().filter(|id| live[id.0 as usize]) {
        graph.node(id).operands().iter().for_each(|operand| uses[operand.0 as usize] += 1);
    }
    uses
}

/// The results, and the nodes that read shapes or gradients. The latter are kept even if no other node uses
/// them, because they say which `Axis` dims the shapes and gradients have.
fn roots(graph: &Graph) -> impl Iterator<Item = NodeId> + '_ {
    let has_axes = !graph.axis_dims().is_empty();
    let tells_axes = move |id: &NodeId| match graph.node(*id).op {
        Op::Input(arg) => {
            let Arg { ty, role, .. } = &graph.args[arg];
            matches!(ty, ArgType::Shape { .. }) || has_axes && matches!(role, Role::Grad(_))
        }
        _ => false,
    };
    graph.outputs.iter().map(|output| output.node).chain(graph.ids().filter(tells_axes))
}

/// Which nodes are needed for `roots`, directly or not.
pub(crate) fn live_nodes(graph: &Graph, roots: impl Iterator<Item = NodeId>) -> Vec<bool> {
    let mut live = vec![false; graph.nodes.len()];
    roots.for_each(|root| live[root.0 as usize] = true);
    for id in graph.ids().rev() {
        if live[id.0 as usize] {
            graph.node(id).operands().iter().for_each(|operand| live[operand.0 as usize] = true);
        }
    }
    live
}

/// Drops nodes that no output needs, and renumbers the others.
pub(crate) fn without_dead_nodes(graph: Graph) -> Graph {
    let live = live_nodes(&graph, roots(&graph));
    let mut new_ids: Vec<NodeId> = vec![NodeId(0); graph.nodes.len()];
    let mut nodes = vec![];
    for id in graph.ids().filter(|id| live[id.0 as usize]) {
        new_ids[id.0 as usize] = NodeId(nodes.len() as u32);
        nodes.push(graph.node(id).map_operands(|operand| new_ids[operand.0 as usize]));
    }
    let mut outputs = graph.outputs.clone();
    outputs.iter_mut().for_each(|output| output.node = new_ids[output.node.0 as usize]);
    Graph { nodes, outputs, ..graph }
}

#[cfg(test)]
mod tests;
