//! Finds the values that rounding to a half does not change. Such a value is chosen among halves, negated or
//! masked, but not added or multiplied.
//!
//! Such a value can be stored in half the memory, and a product of two such values can use tensor cores.

use std::collections::BTreeSet;
use tensor_op_spec::ir::{Graph, Kind, NodeId, Op, Scalar};
use tensor_op_spec::prim::{Arithmetic, Choice, Fold, Group, Prim, Scan, Unary};

/// Whether a float value needs no more digits than a half, if the arguments for which `is_half` holds are
/// halves.
pub(super) fn is_exact(graph: &Graph, id: NodeId, is_half: impl Fn(usize) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match parts(graph, id, &is_half) {
            Some(parts) => stack.extend(parts),
            None => return false,
        }
    }
    true
}

/// The values that must be exact so that this value is exact. `None` if it is not exact in any case.
fn parts(graph: &Graph, id: NodeId, is_half: impl Fn(usize) -> bool) -> Option<Vec<NodeId>> {
    let node = graph.node(id);
    match &node.op {
        Op::Input(arg) => is_half(*arg).then(Vec::new),
        Op::Literal(scalar) => is_short(*scalar).then(Vec::new),
        Op::Apply(prim, operands) => chosen(*prim, operands),
        Op::Cast(operand) => match graph.node(*operand).kind {
            Kind::Float => Some(vec![*operand]),
            Kind::Bool => Some(Vec::new()),
            Kind::Int => None,
        },
        Op::Reduce(Fold::Max | Fold::Min, _, operand) => Some(vec![*operand]),
        Op::Reduce(Fold::Sum | Fold::Prod | Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All, ..) => None,
        Op::Scan { scan: Scan::Max | Scan::Min, operands, .. } => Some(operands.clone()),
        Op::Scan { scan: Scan::Sum | Scan::Prod | Scan::Linear, .. } | Op::Order { .. } => None,
        Op::At { source, .. } | Op::StopGrad(source) => Some(vec![*source]),
        Op::Window { source, position, .. } => position.outside.is_none_or(is_short).then(|| vec![*source]),
        Op::Given { value, .. } => Some(vec![*value]),
        Op::Len(_) | Op::Iota(_) | Op::Scatter { .. } | Op::Seed(_) => None,
    }
}

/// For primitives that add no digits, the operands whose digits the result has.
fn chosen(prim: Prim, operands: &[NodeId]) -> Option<Vec<NodeId>> {
    match prim.group() {
        Group::Unary(Unary::Neg | Unary::Abs) => Some(operands.to_vec()),
        Group::Rounding(_) => Some(operands.to_vec()),
        Group::Arithmetic(Arithmetic::Maximum | Arithmetic::Minimum) => Some(operands.to_vec()),
        Group::Unary(Unary::Sign) => Some(Vec::new()),
        Group::Choice(Choice::Select) => Some(prim.values(operands).to_vec()),
        Group::Function(_) | Group::FloatBinary(_) | Group::Arithmetic(_) => None,
        Group::Comparison(_) | Group::Equality(_) | Group::Logic(_) | Group::Test(_) => None,
        Group::Bits(_) | Group::Draw(_) => None,
    }
}

/// Whether both half types can hold the number: it is whole with few digits, or not finite.
fn is_short(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Float(value) => !value.is_finite() || (value.fract() == 0.0 && value.abs() <= 256.0),
        Scalar::Int(_) | Scalar::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks whether a value of half arguments `x` (`%0`) and `y` (`%1`), a computed argument `z` (`%2`) and
    /// a literal (`%3`) is exact.
    fn check_exact(values: &str, expected: bool) {
        let graph = format!(
            "op test
    dim m named
    arg x: float[m], forward 0
    arg y: float[m], forward 1
    arg z: float[m], forward 2
    %0 = input x : float[m]
    %1 = input y : float[m]
    %2 = input z : float[m]
    %3 = literal 0.0 : float[]
    {values}
    "
        );
        let graph = Graph::parse(&graph).unwrap_or_else(|error| panic!("{graph}{error:?}"));
        let last = NodeId(graph.nodes.len() as u32 - 1);
        assert_eq!(is_exact(&graph, last, |arg| arg != 2), expected, "{values}");
    }

    #[test]
    fn what_is_chosen_among_halves_is_exact() {
        check_exact("%4 = neg(%0) : float[m]", true);
        check_exact("%4 = maximum(%0, %3) : float[m]", true);
        check_exact("%4 = le(%2, %3) : bool[m]\n%5 = select(%4, %3, %1) : float[m]", true);
        check_exact("%4 = le(%2, %3) : bool[m]\n%5 = select(%4, %0, %2) : float[m]", false);
        check_exact("%4 = le(%2, %3) : bool[m]\n%5 = cast(%4) : float[m]", true);
        check_exact("%4 = max(%0; m) : float[]", true);
        check_exact("%4 = sum(%0; m) : float[]", false);
        check_exact("%4 = mul(%0, %1) : float[m]", false);
        check_exact("%4 = sign(%2) : float[m]", true);
        check_exact("%4 = literal 0.1 : float[]\n%5 = maximum(%0, %4) : float[m]", false);
    }
}
