//! Gradients of windows. The adjoint of a window is a window again: it reads the gradient at the places of
//! the result that read an element of the source, and adds up. Nothing is scattered, except where a window
//! splits a dim into several: its adjoint puts each element where it was read.

#[cfg(all(test, feature = "syntax"))]
mod tests;

use crate::ir::{DimId, DimSet, Graph, Kind, Position, Scalar, Size, Value};
use crate::prim::{Fold, Prim};
use crate::simplify::reduce_over;

/// The gradient of the source of a window along `dim`, and the dims that this gradient has. `source` are the
/// dims of the source.
pub(super) fn adjoint<'b>(
    graph: &Graph,
    source: DimSet,
    dim: DimId,
    position: &Position,
    g: Value<'b>,
) -> (DimSet, Value<'b>) {
    let kept = source.difference(DimSet::one(dim));
    // Along dims that the source has too, it was read at the same index.
    let walked = position.dims().difference(kept);
    if !source.contains(dim) {
        let builder = g.builder();
        let inside = position.values(builder, dim).1;
        let gradient = builder.select(inside, g, builder.literal(Scalar::Float(0.0)));
        return (source, reduce_over(Fold::Sum, walked, gradient));
    }
    if position.dims() == walked && position.is_row_major(graph, dim) {
        let index = position.values(g.builder(), dim).0;
        return (source, g.scatter(Fold::Sum, dim, index, source));
    }
    // The gradient sums over the dims that are not solved for, so the longest is. It divides by the step.
    let can_divide = |own: &DimId| position.step(*own).is_some_and(|step| graph.is_never_zero(step));
    let solved = [walked.iter().filter(can_divide).collect(), walked]
        .into_iter()
        .find_map(|dims| graph.longest(dim, dims))
        .and_then(|best| Some((best, position.solved(dim, best)?)));
    let gradient = match solved {
        Some((best, inverse)) => {
            reduce_over(Fold::Sum, walked.difference(DimSet::one(best)), g.window(best, inverse))
        }
        None => {
            let builder = g.builder();
            let numerator = Position { divisor: Size::Literal(1), ..position.clone() };
            let own = match position.divisor.literal() {
                Some(1) => builder.iota(dim),
                Some(_) | None => position.divisor.node(builder) * builder.iota(dim),
            };
            let hit = numerator.values(builder, dim).0.zip(Prim::Eq, own);
            builder.select(hit, g, builder.literal(Scalar::Float(0.0)))
        }
    };
    (source, gradient)
}

/// The tangent of a window, given that of its source.
pub(super) fn tangent<'b>(dim: DimId, position: &Position, tangent: Value<'b>) -> Value<'b> {
    let position = position.with_zeros(Kind::Float);
    let is_the_same = position.outside.is_none() && !tangent.dims().contains(dim);
    if is_the_same { tangent } else { tangent.window(dim, position) }
}
