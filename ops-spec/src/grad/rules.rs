//! Gradients of reductions and indexing, which know about dims.

use super::active::Active;
use crate::ir::{DimId, DimSet, GivenRule, Graph, Kind, Node, NodeId, Op, Value};
use crate::prim::{Fold, Prim};

/// The gradient of the operand of a reduction with result `y`. `None` if the reduction has no gradient.
pub(super) fn reduce<'b>(
    fold: Fold,
    dims: DimSet,
    x: Value<'b>,
    y: NodeId,
    g: Value<'b>,
) -> Option<Value<'b>> {
    let y = x.builder().value(y);
    match fold {
        Fold::Sum => Some(g),
        Fold::Prod => Some(product(dims, x, y, g)),
        Fold::Max | Fold::Min => {
            let hit = x.zip(Prim::Eq, y).cast(Kind::Float).stop_grad();
            Some(g / hit.reduce(Fold::Sum, dims) * hit)
        }
        Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => None,
    }
}

/// The product of the other elements, exact even if some are zero. For an element beside a zero, it is zero,
/// or NaN if one of the others is not finite. When this product is differentiated in turn, the form of
/// [`others`] is used, which costs more.
fn product<'b>(dims: DimSet, x: Value<'b>, y: Value<'b>, g: Value<'b>) -> Value<'b> {
    let builder = x.builder();
    let (zero, one) = (builder.float(0.0), builder.float(1.0));
    let is_zero = x.zip(Prim::Eq, zero);
    let count = |is: Value<'b>| is.cast(Kind::Float).stop_grad().reduce(Fold::Sum, dims);
    let (is_infinite, zeros) = (x.map(Prim::IsFinite).map(Prim::Not), count(is_zero));
    let nonzero = builder.select(is_zero, one, x);
    let rest = nonzero.reduce(Fold::Prod, dims) / nonzero;
    let alone = count(is_infinite).zip(Prim::Eq, is_infinite.cast(Kind::Float));
    let with_zeros = builder.select(alone, zero, builder.float(f64::NAN));
    let without = zeros.zip(Prim::Eq, is_zero.cast(Kind::Float));
    let value = builder.select(without, rest, with_zeros).stop_grad();
    let input = others(dims, x, y, zeros).id;
    // The rule is just its seed, and no other rule stands inside it, so any number identifies the seed.
    let seed = builder.seed(0, value.dims());
    g * builder.given(value.id, vec![GivenRule { input, rule: seed.id, seed: seed.id }])
}

/// The product of the other elements, in a form that can be differentiated. For a nonzero element it is
/// `y / x`, where `y` has its own derivatives. For a zero it is the product of the nonzero elements, times
/// the product of the other zeros. If there are at most two other zeros, their product is written as a
/// polynomial in power sums, whose derivatives are right to any order. If there are more, it is left out,
/// because its derivatives up to the second order are zero. So third derivatives are lost where four elements
/// are zero.
fn others<'b>(dims: DimSet, x: Value<'b>, y: Value<'b>, zeros: Value<'b>) -> Value<'b> {
    let builder = x.builder();
    let (zero, one) = (builder.float(0.0), builder.float(1.0));
    let is_zero = x.zip(Prim::Eq, zero);
    let nonzero = builder.select(is_zero, one, x);
    let of_zeros = |x: Value<'b>| builder.select(is_zero, x, zero);
    let one_other = of_zeros(x).reduce(Fold::Sum, dims) - x;
    let squares = of_zeros(x.square()).reduce(Fold::Sum, dims) - x.square();
    let two_others = (one_other.square() - squares) * 0.5;
    let are = |count: f64| zeros.zip(Prim::Eq, builder.float(count));
    let of_others = builder.select(are(3.0), two_others, zero);
    let of_others = builder.select(are(2.0), one_other, of_others);
    let of_others = builder.select(are(1.0), one, of_others);
    builder.select(is_zero, nonzero.reduce(Fold::Prod, dims) * of_others, y / nonzero)
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
        Op::Reduce(Fold::Any | Fold::All, ..) => ("any", "gives a choice, which has no derivative"),
        Op::Reduce(fold, ..) => (fold.name(), "gives a position, which has no derivative"),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) | Op::At { .. } => {
            ("cast", "gives whole numbers or bools, which have no derivative")
        }
        Op::ScatterAdd { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => {
            ("cast", "has no derivative")
        }
    };
    format!("`{name}` {what}: write `stop_grad(..)` around the float made of it")
}
