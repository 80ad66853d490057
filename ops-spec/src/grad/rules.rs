//! Gradients of reductions and indexing, which know about dims.

use crate::ir::{DimId, DimSet, NodeId, Value};
use crate::prim::{Fold, Together};

/// The gradient of the operand of a reduction with result `y`. `None` if the reduction has no gradient.
pub(super) fn reduce<'b>(
    fold: Fold,
    dims: DimSet,
    x: Value<'b>,
    y: NodeId,
    g: Value<'b>,
) -> Option<Value<'b>> {
    let y = x.builder().value(y);
    fold.row().rule.ok().map(|rule| rule(Together::Along(dims), x, y, g))
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
    if source.contains(dim) { (source, g.scatter(Fold::Sum, dim, index, source)) } else { (result, g) }
}

/// A node whose elements are combined if they have one index.
#[derive(Clone, Copy)]
pub(super) struct Scattered<'b> {
    pub(super) fold: Fold,
    pub(super) source: Value<'b>,
    pub(super) dim: DimId,
    pub(super) index: Value<'b>,
    /// The result.
    pub(super) result: Value<'b>,
}

impl<'b> Scattered<'b> {
    /// The gradient of the source, and the dims that this gradient has before it is summed to those of the
    /// source. `None` if the fold has no gradient.
    pub(super) fn adjoint(self, g: Value<'b>) -> Option<(DimSet, Value<'b>)> {
        let Scattered { source, dim, index, result, .. } = self;
        let walked = result.dims().difference(DimSet::one(dim)).union(index.dims());
        let g = if g.dims().contains(dim) { g.at(dim, index) } else { g };
        Some((walked.union(source.dims()), self.of_elements(g)?))
    }

    /// What each element gets of a gradient or a tangent that is given for each element.
    pub(super) fn of_elements(self, g: Value<'b>) -> Option<Value<'b>> {
        let Scattered { fold, source, dim, index, result } = self;
        let together = Together::At(dim, index, result.dims());
        if fold == Fold::Sum {
            return Some(g);
        }
        fold.row().rule.ok().map(|rule| rule(together, source, result.at(dim, index), g))
    }
}
