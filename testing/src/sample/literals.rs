//! Numbers at which a formula may change its behaviour: its literals and scalars, their neighbours, and half
//! of them.

use super::Point;
use crate::bound::Format;
use crate::random::Random;
use tensor_op_core::{DType, Shape, Value};
use tensor_op_spec::ir::{Graph, Op, Scalar};

/// Larger literals are usually masks, and nothing happens at them.
const FAR: f64 = 1e9;

/// The numbers that a formula contains.
pub(super) struct Literals {
    floats: Vec<f64>,
    ints: Vec<i64>,
}

impl Literals {
    /// The literals of a graph, and the scalars that it is called with.
    pub(super) fn of(graph: &Graph, args: &[Value<Shape>]) -> Literals {
        let scalars = args.iter().filter_map(|arg| match arg {
            Value::Scalar(scalar) => Some(*scalar),
            Value::Tensor(_) | Value::Shape(_) => None,
        });
        let mut found = Literals { floats: vec![], ints: vec![] };
        for scalar in literals(graph).chain(scalars) {
            match scalar {
                Scalar::Float(x) if x != 0.0 && x.abs() < FAR && !found.floats.contains(&x) => {
                    found.floats.push(x)
                }
                Scalar::Int(x) if !found.ints.contains(&x) => found.ints.push(x),
                Scalar::Float(_) | Scalar::Int(_) | Scalar::Bool(_) => {}
            }
        }
        found
    }

    /// The floats other than 0.
    pub(super) fn floats(&self) -> &[f64] {
        &self.floats
    }

    /// A literal, a neighbour of it in some dtype, or half of it. For differences, a random number around it
    /// instead of a neighbour.
    pub(super) fn float(&self, point: Point, random: &mut Random) -> Option<f64> {
        let literal = *self.floats.get(random.below(self.floats.len().max(1) as u64) as usize)?;
        Some(match (point, random.below(4)) {
            (_, 0) => literal / 2.0,
            (Point::Smooth, _) => literal + 0.5 * literal.abs().max(1.0) * (random.unit() - 0.5),
            (Point::Ordinary, 1) => literal,
            (Point::Ordinary, side) => {
                let dtype = DTYPES[random.below(DTYPES.len() as u64) as usize];
                let ulp = Format::of(dtype).ulp(literal);
                if side == 2 { literal + ulp } else { literal - ulp }
            }
        })
    }

    /// A literal, or one of its neighbours.
    pub(super) fn int(&self, random: &mut Random) -> Option<i64> {
        let literal = *self.ints.get(random.below(self.ints.len().max(1) as u64) as usize)?;
        literal.checked_add(random.below(3) as i64 - 1)
    }
}

const DTYPES: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];

/// The constants of a graph.
pub(crate) fn literals(graph: &Graph) -> impl Iterator<Item = Scalar> + '_ {
    graph.nodes.iter().filter_map(|node| match node.op {
        Op::Literal(value) => Some(value),
        Op::Input(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) => None,
        Op::Scan { .. } | Op::At { .. } | Op::Window { .. } | Op::Scatter { .. } => None,
        Op::Order { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => None,
    })
}
