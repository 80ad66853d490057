//! Attempts to draw arguments. They are tried one after the other until the arguments are in the domain of
//! the formula.

use super::Point;
use super::domain::Asks;
use super::plan::SamplePlan;
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
    /// What the ranges of the arguments must guarantee.
    pub(super) asks: Asks,
    pub(super) scalars: Scalars,
}

/// How the values of scalars are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalars {
    /// The plan's value.
    Planned,
    /// The plan's value, or the next candidate that is in the allowed range.
    Fitting,
    /// The default, or the next candidate that is in the allowed range.
    Default,
}

/// The index of the scale of positive numbers.
const POSITIVE: usize = 1;
/// Literals are used only for values with at least this many digits. Values with fewer digits are meant for
/// people to read.
const READABLE: u32 = 8;

impl Attempt {
    /// The n-th of `tries` attempts. The first attempts use each scale for all arguments, later ones a random
    /// scale for each argument. Every other attempt has elements close to literals. In the first two, values
    /// may be infinite or NaN.
    pub(super) fn of(graph: &Graph, plan: &SamplePlan, point: Point, number: u64, tries: u64) -> Attempt {
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

    /// An attempt with positive floats, where the formula allows them.
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
