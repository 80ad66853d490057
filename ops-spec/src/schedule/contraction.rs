//! Which sums of products are matrix products.
//!
//! `sum(a * b, k)` is a contraction when both factors have the summed dims and each has a free dim that the
//! other lacks. Otherwise (a dot product, a matrix times a vector) it is bound by memory, and a loop that
//! fuses more is better.

use crate::ir::{DimSet, Graph, Kind, Node, NodeId, Op};
use crate::prim::{Fold, Prim};
use rustc_hash::FxHashMap;

/// A product with more factors stays as it is: repeated squares would have factors without end.
const MAX_FACTORS: usize = 256;

/// The two factors of a contraction, if the node is one. The factors are as in a graph that went
/// through [`regroup`].
pub fn contraction_operands(graph: &Graph, id: NodeId) -> Option<[NodeId; 2]> {
    let (Op::Reduce(Fold::Sum, k, product), Kind::Float) = (&graph.node(id).op, graph.node(id).kind) else {
        return None;
    };
    let Op::Apply(Prim::Mul, factors) = &graph.node(*product).op else { return None };
    let [lhs, rhs] = factors[..] else { return None };
    let is_limited = [lhs, rhs].iter().any(|factor| is_limited(graph, *factor));
    let is_product = !is_limited && is_contraction(graph.node(lhs).dims, graph.node(rhs).dims, *k);
    is_product.then_some([lhs, rhs])
}

/// Whether a value is the same at all places of a window, but for those outside. As a matrix it would be
/// stored for each place.
fn is_limited(graph: &Graph, value: NodeId) -> bool {
    let Op::Window { source, dim, .. } = &graph.node(value).op else { return false };
    !graph.node(*source).dims.contains(*dim) || is_limited(graph, *source)
}

fn is_contraction(lhs: DimSet, rhs: DimSet, k: DimSet) -> bool {
    let common = lhs.intersection(rhs);
    !k.is_empty() && k.is_subset(common) && !lhs.difference(rhs).is_empty() && !rhs.difference(lhs).is_empty()
}

/// Regroups products of more than two factors under a sum, so that contractions can be seen. A factor that
/// has none of the summed dims multiplies the sum instead. Of the others, the one with the most dims takes
/// those that fit into its dims, and the rest make the other side. LANGUAGE.md says that matrix products are
/// computed this way, because it is the one rewrite of a formula that may overflow where the formula does
/// not. Nodes keep their order; new ones are inserted.
pub fn regroup(graph: Graph) -> Graph {
    let mut out = Regrouped { nodes: Vec::with_capacity(graph.nodes.len()), known: FxHashMap::default() };
    let mut ids: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let node = node.map_operands(|id| ids[id.0 as usize]);
        let id = if let (Op::Reduce(Fold::Sum, k, product), Kind::Float) = (&node.op, node.kind)
            && let Some(Sides { lhs, rhs, outside }) = sides(&out.nodes, *product, *k)
        {
            let (k, lhs, rhs) = (*k, out.multiply(&lhs), out.multiply(&rhs));
            let product = out.multiply(&[lhs, rhs]);
            let dims = out.nodes[product.0 as usize].dims.difference(k);
            let sum = out.push(Node { op: Op::Reduce(Fold::Sum, k, product), dims, ..node });
            out.multiply(&[&[sum], &outside[..]].concat())
        } else {
            out.push(node)
        };
        ids.push(id);
    }
    let mut outputs = graph.outputs.clone();
    outputs.iter_mut().for_each(|output| output.node = ids[output.node.0 as usize]);
    Graph { nodes: out.nodes, outputs, ..graph }
}

/// A product under a sum as two operands, and what multiplies their contraction.
struct Sides {
    lhs: Vec<NodeId>,
    rhs: Vec<NodeId>,
    outside: Vec<NodeId>,
}

/// The sides, if there are more than two factors and the product is a contraction.
fn sides(nodes: &[Node], product: NodeId, k: DimSet) -> Option<Sides> {
    let factors = factors(nodes, product)?;
    if factors.len() < 3 {
        return None;
    }
    let dims = |id: &NodeId| nodes[id.0 as usize].dims;
    let (inside, outside): (Vec<NodeId>, Vec<NodeId>) =
        factors.iter().partition(|id| !dims(id).intersection(k).is_empty());
    let of = |factors: Vec<NodeId>, outside: Vec<NodeId>| {
        // `max_by_key` gives the last of equals; the first counts.
        let widest = factors.iter().rev().map(dims).max_by_key(|d| d.len())?;
        let in_lhs = dims(&factors[0]).is_subset(widest);
        let (lhs, rhs): (Vec<NodeId>, Vec<NodeId>) =
            factors.iter().partition(|id| dims(id).is_subset(widest) == in_lhs);
        let union = |side: &[NodeId]| side.iter().map(dims).fold(DimSet::EMPTY, DimSet::union);
        is_contraction(union(&lhs), union(&rhs), k).then_some(Sides { lhs, rhs, outside })
    };
    of(inside, outside).or_else(|| of(factors, vec![]))
}

/// The factors of a product in order; `None` if there are too many.
fn factors(nodes: &[Node], product: NodeId) -> Option<Vec<NodeId>> {
    let mut factors = Vec::new();
    let mut open = vec![product];
    while let Some(id) = open.pop() {
        match &nodes[id.0 as usize].op {
            Op::Apply(Prim::Mul, args) => open.extend(args.iter().rev()),
            _ => factors.push(id),
        }
        if factors.len() + open.len() > MAX_FACTORS {
            return None;
        }
    }
    Some(factors)
}

/// Nodes so far, in which equal ones are one.
struct Regrouped {
    nodes: Vec<Node>,
    known: FxHashMap<(Op, DimSet, Kind), NodeId>,
}

impl Regrouped {
    fn multiply(&mut self, factors: &[NodeId]) -> NodeId {
        let mut product = factors[0];
        for factor in &factors[1..] {
            let dims = |id: NodeId| self.nodes[id.0 as usize].dims;
            let dims = dims(product).union(dims(*factor));
            let op = Op::Apply(Prim::Mul, vec![product, *factor]);
            product = self.push(Node { op, dims, kind: Kind::Float, name: None });
        }
        product
    }

    /// Adds a node, or finds its equal.
    fn push(&mut self, node: Node) -> NodeId {
        let key = (node.op.clone(), node.dims, node.kind);
        *self.known.entry(key).or_insert_with(|| {
            self.nodes.push(node);
            NodeId(self.nodes.len() as u32 - 1)
        })
    }
}
