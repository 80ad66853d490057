//! Gradients of reductions and indexing, which know about dims.

use super::active::Active;
use crate::ir::{DimId, DimSet, GivenRule, Graph, Kind, Node, NodeId, Op, Value};
use crate::prim::{Fold, Prim};

/// Gradient of the operand of a reduction `y`; `None` where there is none.
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

/// The product of the other elements, exact where some are zero: beside a zero it is zero, or NaN if one of
/// the others is not finite. What differentiates it in its turn gets another form of it, which costs more:
/// that of [`others`].
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
    // The rule is its seed, and no rule stands inside of it: any number tells it apart.
    let seed = builder.seed(0, value.dims());
    g * builder.given(value.id, vec![GivenRule { input, rule: seed.id, seed: seed.id }])
}

/// The product of the other elements, with derivatives. Beside a nonzero element it is `y / x`, where `y`
/// knows its derivatives again. Beside a zero it is the product of the elements that aren't zero, times that
/// of the other zeros: of none, one or two of them as a polynomial in power sums, whose derivatives are right
/// to any order. The product of more has no derivative but zero up to the second order, and is left out:
/// third derivatives where four elements are zero are lost.
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
