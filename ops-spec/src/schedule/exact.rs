//! Which values rounding to a half leaves as they are: what was chosen among halves, negated or masked, but not added or multiplied.
//!
//! Such a value can be kept in half the memory, and a product of two of them is one for tensor cores.

use crate::ir::{Graph, Kind, NodeId, Op, Scalar};
use crate::prim::{Fold, Prim};
use std::collections::BTreeSet;

/// Whether a float value needs no more digits than the float arguments for which `is_half` holds.
pub fn is_exact(graph: &Graph, id: NodeId, is_half: impl Fn(usize) -> bool) -> bool {
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

/// The values that a value is exact with; `None` if it isn't.
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
        Op::At { source, .. } | Op::StopGrad(source) => Some(vec![*source]),
        Op::Given { value, .. } => Some(vec![*value]),
        Op::Len(_) | Op::Iota(_) | Op::ScatterAdd { .. } | Op::Seed(_) => None,
    }
}

/// The operands that the result has its digits of, for primitives that add none.
fn chosen(prim: Prim, operands: &[NodeId]) -> Option<Vec<NodeId>> {
    match prim {
        Prim::Neg | Prim::Abs | Prim::Floor | Prim::Ceil | Prim::Round | Prim::Maximum | Prim::Minimum => {
            Some(operands.to_vec())
        }
        Prim::Sign => Some(Vec::new()),
        Prim::Select => Some(operands[1..].to_vec()),
        Prim::Exp | Prim::Exp2 | Prim::Expm1 | Prim::Ln | Prim::Log2 | Prim::Log1p | Prim::Sqrt => None,
        Prim::Rsqrt | Prim::Recip | Prim::Sin | Prim::Cos | Prim::Tan | Prim::Asin | Prim::Acos => None,
        Prim::Atan | Prim::Sinh | Prim::Cosh | Prim::Tanh | Prim::Asinh | Prim::Acosh | Prim::Atanh => None,
        Prim::Erf | Prim::Erfc | Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Rem => None,
        Prim::Pow | Prim::Atan2 | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne => None,
        Prim::And | Prim::Or | Prim::Not | Prim::IsNan | Prim::IsFinite => None,
    }
}

/// Whether both halves have the number: a whole one of few digits, or not finite.
fn is_short(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Float(value) => !value.is_finite() || (value.fract() == 0.0 && value.abs() <= 256.0),
        Scalar::Int(_) | Scalar::Bool(_) => false,
    }
}
