//! Gradients of reductions and indexing, which know about dims.

use super::active::Active;
use crate::ir::{DimId, DimSet, Graph, Node, NodeId, Op, Value};
use crate::prim::Fold;

/// Gradient of the operand of a reduction `y`; `None` where there is none.
pub(super) fn reduce<'b>(
    fold: Fold,
    dims: DimSet,
    x: Value<'b>,
    y: NodeId,
    g: Value<'b>,
) -> Option<Value<'b>> {
    let y = x.builder().value(y);
    fold.row().rule.ok().map(|rule| rule(dims, x, y, g))
}

/// Gradient of the source of `at(source, dim = index)` over the dims of the result, and the dims that it is
/// for. A source that doesn't vary along the dim is not moved by the index.
pub(super) fn at<'b>(
    source: DimSet,
    dim: DimId,
    index: Value<'b>,
    result: DimSet,
    g: Value<'b>,
) -> (DimSet, Value<'b>) {
    if source.contains(dim) { (source, g.scatter_add(dim, index, source)) } else { (result, g) }
}

/// Gradient of the source of `scatter_add(source, dim = index)` over the dims of the result, and the dims
/// that it is for.
pub(super) fn scatter_add<'b>(
    source: DimSet,
    dim: DimId,
    index: Value<'b>,
    result: DimSet,
    g: Value<'b>,
) -> (DimSet, Value<'b>) {
    let walked = result.difference(DimSet::one(dim)).union(index.dims());
    (walked.union(source), if g.dims().contains(dim) { g.at(dim, index) } else { g })
}

/// Where the dependence of an int or bool on a gradient-carrying float begins.
pub(super) fn break_of(graph: &Graph, active: &Active, id: NodeId) -> NodeId {
    let mut id = id;
    loop {
        let operands = graph.node(id).operands();
        if operands.iter().any(|x| active.carries(*x)) {
            return id;
        }
        match operands.into_iter().find(|x| active.breaks(*x)) {
            Some(operand) => id = operand,
            None => return id,
        }
    }
}

/// Why no gradient goes through a node whose result is no float.
pub(super) fn why_broken(node: &Node) -> String {
    let (name, what) = match &node.op {
        Op::Apply(prim, _) => (prim.name(), "gives a choice, which has no derivative"),
        Op::Reduce(fold, ..) => (fold.name(), fold.row().rule.err().unwrap_or("has no derivative")),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) | Op::At { .. } => {
            ("cast", "gives whole numbers or bools, which have no derivative")
        }
        Op::ScatterAdd { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => {
            ("cast", "has no derivative")
        }
    };
    format!("`{name}` {what}: write `stop_grad(..)` around the float made of it")
}
