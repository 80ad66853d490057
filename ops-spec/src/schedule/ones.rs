//! Dims of one element, left out of a graph: what is reduced over them stays as it is.
//!
//! A schedule is made for all sizes. It runs a convolution as a product of matrices, even if each group has a
//! single channel, so that one of the matrices is a column.

use super::contraction_operands;
use crate::ir::{Axis, DimId, DimSet, Graph, Node, NodeId, Op, Scalar};

/// For each product of matrices that multiplies windows, the dims that only the first factor has, and those
/// that only the second one has. If all dims of one side have one element, that factor is a row or a column.
pub fn products_of_windows(graph: &Graph) -> Vec<[DimSet; 2]> {
    let is_window = |id: NodeId| matches!(graph.node(id).op, Op::Window { .. });
    let factors = graph.ids().filter_map(|id| contraction_operands(graph, id));
    let products = factors.filter(|factors| factors.iter().any(|factor| is_window(*factor)));
    products
        .map(|[lhs, rhs]| {
            let [lhs, rhs] = [lhs, rhs].map(|factor| graph.node(factor).dims);
            [lhs.difference(rhs), rhs.difference(lhs)]
        })
        .collect()
}

/// The dims that [`without`] can leave out: no window, index, scan or order goes along them.
pub fn removable(graph: &Graph) -> DimSet {
    let all = (0..graph.dims.len()).map(DimId::new);
    let one_sized: DimSet = all.filter(|dim| graph.has_one_size(*dim)).collect();
    let used = graph.nodes.iter().map(|node| match &node.op {
        Op::Window { dim, position, .. } => DimSet::one(*dim).union(position.all_dims()),
        Op::At { dim, .. } | Op::Scatter { dim, .. } => DimSet::one(*dim),
        Op::Scan { dim, .. } => DimSet::one(*dim),
        Op::Order { order, dim, .. } => order.to().into_iter().chain([*dim]).collect(),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => {
            DimSet::EMPTY
        }
        Op::Reduce(..) | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => DimSet::EMPTY,
    });
    one_sized.difference(used.fold(graph.axis_dims(), DimSet::union))
}

/// The graph for tensors that have one element along these dims, which are [`removable`]. Its results have
/// the same shapes.
pub fn without(graph: &Graph, ones: DimSet) -> Graph {
    let mut nodes: Vec<Node> = Vec::with_capacity(graph.nodes.len());
    let mut ids: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let node = node.map_operands(|id| ids[id.0 as usize]);
        let one = |scalar: Scalar| Op::Literal(scalar.cast(node.kind));
        let op = match node.op {
            Op::Reduce(fold, over, _) if over.is_subset(ones) && fold.finds_position() => one(Scalar::Int(0)),
            Op::Reduce(_, over, x) if over.is_subset(ones) => {
                ids.push(x);
                continue;
            }
            Op::Reduce(fold, over, x) => Op::Reduce(fold, over.difference(ones), x),
            Op::Iota(dim) if ones.contains(dim) => one(Scalar::Int(0)),
            Op::Len(dims) if dims.is_subset(ones) => one(Scalar::Int(1)),
            Op::Len(dims) => Op::Len(dims.difference(ones)),
            Op::Input(_) | Op::Literal(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) | Op::Scan { .. } => {
                node.op
            }
            Op::Order { .. } | Op::At { .. } | Op::Window { .. } | Op::Scatter { .. } => node.op,
            Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => node.op,
        };
        ids.push(NodeId(nodes.len() as u32));
        nodes.push(Node { op, dims: node.dims.difference(ones), ..node });
    }
    let mut outputs = graph.outputs.clone();
    for output in &mut outputs {
        output.node = ids[output.node.0 as usize];
        output.axes = output.axes.iter().map(|axis| axis_without(axis, ones)).collect();
    }
    Graph { nodes, outputs, ..graph.clone() }
}

/// The axis without these dims. An axis of such a dim alone becomes a composite of no dims: it has one
/// element, as before.
fn axis_without(axis: &Axis, ones: DimSet) -> Axis {
    let is_left = |dim: &DimId| !ones.contains(*dim);
    match axis {
        Axis::Dim(dim) if is_left(dim) => axis.clone(),
        Axis::Dim(_) => Axis::Parts(vec![]),
        Axis::Parts(parts) => Axis::Parts(parts.iter().copied().filter(is_left).collect()),
    }
}
