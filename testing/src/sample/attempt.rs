//! What is tried one after the other until arguments are in the domain of a formula.

use super::Point;
use super::domain::Asks;
use super::plan::Plan;
use super::values::SCALES;
use crate::random::Random;
use tensor_op_spec::ir::Graph;

/// One way to draw arguments.
pub(super) struct Attempt {
    pub(super) number: u64,
    pub(super) point: Point,
    /// The scale of each argument's floats.
    pub(super) scales: Vec<usize>,
    /// Whether some elements are close to literals of the formula.
    pub(super) literals: bool,
    /// What ranges are derived from.
    pub(super) asks: Asks,
    pub(super) scalars: Scalars,
}

/// Where scalars come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalars {
    /// As the plan says.
    Planned,
    /// As the plan says, or the next that fits what is asked of them.
    Fitting,
    /// The default, if it fits.
    Default,
}

/// The scale of positive numbers.
const POSITIVE: usize = 1;
/// Digits of values from which on literals are among them: fewer are for people to read.
const READABLE: u32 = 8;

impl Attempt {
    /// The n-th of so many: first each scale for all arguments, then any; every other one with literals. The
    /// first two may be of values that are not finite.
    pub(super) fn of(graph: &Graph, plan: &Plan, point: Point, number: u64, tries: u64) -> Attempt {
        let count = SCALES.len() as u64;
        let mut random = Random::new(&[plan.seed, number]);
        let mut scale = || if number / 2 < count { number / 2 } else { random.below(count) };
        Attempt {
            number,
            point,
            scales: graph.args.iter().map(|_| scale() as usize).collect(),
            literals: number.is_multiple_of(2) && plan.bits >= READABLE,
            asks: if number < 2 { Asks::Indices } else { Asks::Finite },
            scalars: match 3 * number / tries {
                0 => Scalars::Planned,
                1 => Scalars::Fitting,
                _ => Scalars::Default,
            },
        }
    }

    /// Positive floats where the formula allows them.
    pub(super) fn positive(graph: &Graph) -> Attempt {
        Attempt {
            number: 0,
            point: Point::Ordinary,
            scales: vec![POSITIVE; graph.args.len()],
            literals: false,
            asks: Asks::Finite,
            scalars: Scalars::Default,
        }
    }
}
