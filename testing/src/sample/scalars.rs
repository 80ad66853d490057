//! Values for scalar arguments: the default first, then zero, both signs, small and large, and the formula's
//! literals.

use super::literals::literals;
use tensor_op_spec::ir::{ArgType, DimId, DimKind, Graph, Op, Position, Scalar, ScalarType, Size};

/// The values of a scalar argument from which plans choose. Other arguments have none.
pub(crate) fn candidates(graph: &Graph, arg: usize) -> Vec<Scalar> {
    let ArgType::Scalar { ty, default } = &graph.args[arg].ty else { return vec![] };
    let mut found: Vec<Scalar> = default.iter().copied().collect();
    match ty {
        ScalarType::F64 | ScalarType::F32 => {
            let default = default.map_or(0.5, Scalar::as_f64);
            let around = [default, 0.0, 1.25, -0.75, 1000.0, 1.5 * default, -default, 2.0, 1e-3, -40.0];
            let literals = literals(graph).filter_map(|value| match value {
                Scalar::Float(x) if x.is_finite() => Some(x),
                Scalar::Float(_) | Scalar::Int(_) | Scalar::Bool(_) => None,
            });
            let near = literals.flat_map(|x| [x, -x, x / 2.0, x + x.abs() / 8.0]);
            found.extend(around.into_iter().chain(near).map(|x| stored(x, *ty)));
        }
        ScalarType::Fraction => found.extend([0.5, 0.0, 1.0, 0.25, 0.875, 1e-3].map(Scalar::Float)),
        // Large numbers in sizes would make large tensors.
        ScalarType::I64 | ScalarType::Usize if is_in_a_size(graph, arg) => {
            found.extend([1, 0, 2, 3].map(Scalar::Int));
        }
        ScalarType::I64 | ScalarType::Usize => {
            let literals = literals(graph).filter_map(|value| match value {
                Scalar::Int(x) => Some(x),
                Scalar::Float(_) | Scalar::Bool(_) => None,
            });
            let near = literals.flat_map(|x| [Some(x), x.checked_add(1), x.checked_sub(1)]).flatten();
            let values = [1, 0, 2, -1, 3, -2, 7, 1000].into_iter().chain(near);
            let fits = |x: &i64| *x >= 0 || *ty == ScalarType::I64;
            found.extend(values.filter(fits).map(Scalar::Int));
        }
        ScalarType::Seed => found.extend([1, 0, -1, i64::MAX, 1 << 40].map(Scalar::Int)),
        ScalarType::Bool => found.extend([false, true].map(Scalar::Bool)),
    }
    distinct(found)
}

/// Whether sizes or positions depend on a scalar argument.
pub(super) fn names_a_size(graph: &Graph, arg: usize) -> bool {
    graph.dims.iter().any(|dim| dim.kind == DimKind::Sized(arg)) || is_in_a_size(graph, arg)
}

/// Whether a scalar argument is part of an expression for a size or a position.
pub(super) fn is_in_a_size(graph: &Graph, arg: usize) -> bool {
    let of_windows = windows(graph).flat_map(|(_, position)| position.sizes());
    graph.computed_sizes().chain(of_windows).flat_map(Size::args).any(|own| own == arg)
}

/// The windows of a graph: the dim, and the position in it.
pub(super) fn windows(graph: &Graph) -> impl Iterator<Item = (DimId, &Position)> {
    graph.nodes.iter().filter_map(|node| match &node.op {
        Op::Window { dim, position, .. } => Some((*dim, position)),
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => None,
        Op::Reduce(..) | Op::Scan { .. } | Op::At { .. } | Op::Scatter { .. } | Op::StopGrad(_) => None,
        Op::Order { .. } | Op::Given { .. } | Op::Seed(_) => None,
    })
}

/// Dims that are sorted, each with the dim of the first positions.
pub(super) fn kept(graph: &Graph) -> impl Iterator<Item = (DimId, DimId)> {
    graph.nodes.iter().filter_map(|node| {
        let Op::Order { order, dim, .. } = node.op else { return None };
        order.to().filter(|to| *to != dim).map(|to| (dim, to))
    })
}

/// The number, rounded to the argument's type.
fn stored(x: f64, ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::F32 => Scalar::Float(f64::from(x as f32)),
        ScalarType::F64 | ScalarType::Fraction => Scalar::Float(x),
        ScalarType::I64 | ScalarType::Usize | ScalarType::Seed | ScalarType::Bool => Scalar::Float(x),
    }
}

fn distinct(values: Vec<Scalar>) -> Vec<Scalar> {
    let mut distinct: Vec<Scalar> = vec![];
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}
