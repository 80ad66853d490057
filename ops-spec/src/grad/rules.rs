//! Gradients of reductions and indexing, which know about dims.

use super::active::Active;
use crate::ir::{DimId, DimSet, Graph, Node, NodeId, Op, Value};
use crate::prim::Fold;

/// The gradient of the operand of a reduction with result `y`. `None` if the reduction has no gradient.
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

/// The gradient of the source of `at(source, dim = index)`, and the dims that this gradient has before it is
/// summed to those of the source. If the source doesn't vary along the dim, the index has no effect on it.
pub(super) fn at<'b>(
    source: DimSet,
    dim: DimId,
    index: Value<'b>,
    result: DimSet,
    g: Value<'b>,
) -> (DimSet, Value<'b>) {
    if source.contains(dim) { (source, g.scatter_add(dim, index, source)) } else { (result, g) }
}

/// The gradient of the source of `scatter_add(source, dim = index)`, and the dims that this gradient has
/// before it is summed to those of the source.
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

/// The node at which an int or bool first depends on a float that carries a gradient.
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

/// Why no gradient goes through a node whose result is not a float.
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
