//! Gradients of reductions and indexing, which know about dims.

use crate::ir::{DimId, DimSet, NodeId, Value};
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
