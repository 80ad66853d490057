//! Which sums of products are matrix products.
//!
//! `sum(a * b, k)` is a contraction when both factors have the summed dims and each has a free dim that the other lacks.
//! Otherwise (a dot product, a matrix times a vector) it is bound by memory, and a loop that fuses more is better.

use crate::ir::{DimSet, Graph, Kind, Node, NodeId, Op};
use crate::prim::{Fold, Prim};

/// The two factors of a contraction, if the node is one.
pub(super) fn operands(graph: &Graph, id: NodeId) -> Option<[NodeId; 2]> {
    let (Op::Reduce(Fold::Sum, k, product), Kind::Float) = (&graph.node(id).op, graph.node(id).kind) else {
        return None;
    };
    let Op::Apply(Prim::Mul, factors) = &graph.node(*product).op else { return None };
    let [lhs, rhs] = factors[..] else { return None };
    is_contraction(graph.node(lhs).dims, graph.node(rhs).dims, *k).then_some([lhs, rhs])
}

fn is_contraction(lhs: DimSet, rhs: DimSet, k: DimSet) -> bool {
    let common = lhs.intersection(rhs);
    !k.is_empty() && k.is_subset(common) && !lhs.difference(rhs).is_empty() && !rhs.difference(lhs).is_empty()
}

/// Regroups products of more than two factors under a sum into two, so that contractions can be seen: the factor with the
/// most dims takes the factors that fit into its dims, the rest make the other side. Nodes keep their order; new ones are inserted.
pub fn regroup(graph: Graph) -> Graph {
    let mut out = Graph { nodes: Vec::new(), outputs: Vec::new(), ..graph.clone() };
    let mut ids: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let mut node = node.map_operands(|id| ids[id.0 as usize]);
        if let (Op::Reduce(Fold::Sum, k, product), Kind::Float) = (&node.op, node.kind)
            && let Some([lhs, rhs]) = sides(&out, *product, *k)
        {
            let (k, lhs, rhs) = (*k, multiply(&mut out, &lhs), multiply(&mut out, &rhs));
            let product = multiply(&mut out, &[lhs, rhs]);
            node.op = Op::Reduce(Fold::Sum, k, product);
        }
        ids.push(push(&mut out, node));
    }
    out.outputs = graph.outputs.clone();
    out.outputs.iter_mut().for_each(|output| output.node = ids[output.node.0 as usize]);
    out
}

/// The factors of both sides, if there are more than two factors and the product is a contraction.
fn sides(graph: &Graph, product: NodeId, k: DimSet) -> Option<[Vec<NodeId>; 2]> {
    let mut factors = Vec::new();
    collect_factors(graph, product, &mut factors);
    if factors.len() < 3 {
        return None;
    }
    let dims = |id: &NodeId| graph.node(*id).dims;
    // `max_by_key` gives the last of equals; the first counts.
    let widest = factors.iter().rev().map(dims).max_by_key(|d| d.len())?;
    let in_lhs = dims(&factors[0]).is_subset(widest);
    let (lhs, rhs): (Vec<NodeId>, Vec<NodeId>) =
        factors.iter().partition(|id| dims(id).is_subset(widest) == in_lhs);
    let union = |side: &[NodeId]| side.iter().map(dims).fold(DimSet::EMPTY, DimSet::union);
    is_contraction(union(&lhs), union(&rhs), k).then_some([lhs, rhs])
}

fn collect_factors(graph: &Graph, id: NodeId, factors: &mut Vec<NodeId>) {
    if let Op::Apply(Prim::Mul, args) = &graph.node(id).op {
        args.iter().for_each(|arg| collect_factors(graph, *arg, factors));
    } else {
        factors.push(id);
    }
}

fn multiply(graph: &mut Graph, factors: &[NodeId]) -> NodeId {
    let mut product = factors[0];
    for factor in &factors[1..] {
        let dims = graph.node(product).dims.union(graph.node(*factor).dims);
        let op = Op::Apply(Prim::Mul, vec![product, *factor]);
        product = push(graph, Node { op, dims, kind: Kind::Float, name: None });
    }
    product
}

/// Adds a node, or finds its equal.
fn push(graph: &mut Graph, node: Node) -> NodeId {
    let same = graph.nodes.iter().position(|n| n.op == node.op && n.dims == node.dims && n.kind == node.kind);
    let index = same.unwrap_or_else(|| {
        graph.nodes.push(node);
        graph.nodes.len() - 1
    });
    NodeId(index as u32)
}
