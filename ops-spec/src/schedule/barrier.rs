//! Barriers: values that exist only after a whole kernel, and what they need in memory.

use super::{Source, contraction};
use crate::ir::{ArgType, DimId, Graph, NodeId, Op, Position};

/// Whether a value is an argument in memory: a scalar argument is none.
pub(super) fn is_tensor(graph: &Graph, id: NodeId) -> bool {
    let Op::Input(arg) = graph.node(id).op else { return false };
    match graph.args[arg].ty {
        ArgType::Tensor { .. } => true,
        ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => false,
    }
}

/// Where a value can be read that no kernel computes.
pub(super) fn leaf(graph: &Graph, id: NodeId) -> Option<Source> {
    match graph.node(id).op {
        Op::Input(arg) => Some(Source::Arg(arg)),
        Op::Len(dims) => Some(Source::Len(dims)),
        Op::Iota(dim) => Some(Source::Iota(dim)),
        Op::Literal(_) | Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) | Op::At { .. } => None,
        Op::Scan { .. } | Op::Order { .. } | Op::Window { .. } => None,
        Op::Scatter { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => None,
    }
}

/// The value that a window of windows reads in the end, with all positions. A value of its own is read where
/// a position uses a dim that a later window replaces, and where the value outside is another one.
pub(super) fn chain(graph: &Graph, id: NodeId) -> (NodeId, Vec<(DimId, Position)>) {
    let mut base = id;
    let mut positions: Vec<(DimId, Position)> = vec![];
    while let Op::Window { source, dim, position } = &graph.node(base).op {
        let used = position.dims();
        let is_new = |(other, _): &(DimId, Position)| used.contains(*other) || *other == *dim;
        let mut others = positions.iter().filter_map(|(_, other)| other.outside);
        let is_other = position.outside.is_some_and(|value| others.any(|other| other != value));
        if positions.iter().any(is_new) || is_other {
            break;
        }
        positions.push((*dim, position.clone()));
        base = *source;
    }
    (base, positions)
}

pub(super) fn live_nodes(graph: &Graph) -> Vec<NodeId> {
    let mut live = vec![false; graph.nodes.len()];
    graph.outputs.iter().for_each(|output| live[output.node.0 as usize] = true);
    for id in graph.ids().rev() {
        if live[id.0 as usize] {
            graph.node(id).operands().iter().for_each(|operand| live[operand.0 as usize] = true);
        }
    }
    graph.ids().filter(|id| live[id.0 as usize]).collect()
}

pub(super) fn is_barrier(graph: &Graph, id: NodeId) -> bool {
    match &graph.node(id).op {
        Op::Reduce(..) | Op::Scan { .. } | Op::Order { .. } | Op::At { .. } | Op::Window { .. } => true,
        Op::Scatter { .. } => true,
        Op::Input(_)
        | Op::Literal(_)
        | Op::Len(_)
        | Op::Iota(_)
        | Op::Apply(..)
        | Op::Cast(_)
        | Op::StopGrad(_)
        | Op::Given { .. }
        | Op::Seed(_) => false,
    }
}

/// Whether a barrier can be computed step by step along a dim of scans, with what it takes: it is a scan, or
/// gives the elements of the step before.
pub(super) fn is_stepwise(graph: &Graph, id: NodeId) -> bool {
    let is_scanned = |dim: DimId| {
        let mut scans = graph.nodes.iter();
        scans.any(|node| matches!(node.op, Op::Scan { dim: own, .. } if own == dim))
    };
    match &graph.node(id).op {
        Op::Scan { .. } => true,
        Op::Window { dim, position, .. } => matches!(position.shift(*dim), Some(1 | -1)) && is_scanned(*dim),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => false,
        Op::Reduce(..) | Op::Order { .. } | Op::At { .. } | Op::Scatter { .. } => false,
        Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => false,
    }
}

/// The operands that a barrier needs in memory as a whole; none for a reduction that runs in a loop.
pub(super) fn memory_operands(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    match &graph.node(id).op {
        Op::At { source, index, .. } | Op::Scatter { source, index, .. } => vec![*source, *index],
        Op::Scan { operands, .. } | Op::Order { operands, .. } => operands.clone(),
        Op::Window { .. } => vec![chain(graph, id).0],
        Op::Reduce(..) => {
            contraction::contraction_operands(graph, id).map_or(vec![], |operands| operands.to_vec())
        }
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => vec![],
        Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => vec![],
    }
}
