//! How wide the vectors of a loop are, and how their lanes lie in memory.

use super::nest::Nest;
use super::operand::Lanes;
use super::plan::{LoopPlan, Memory, Read};

/// The largest step from lane to lane of what is read lane by lane. In loops with columns, which store
/// little, all lanes together lie within so many elements: what lies between two lanes is read again for the
/// next ones.
const NEAR: usize = 4;
/// The most elements of a vector.
pub(super) const WIDEST: usize = 8;
/// Lanes across rows, whose statistics are in registers for each lane.
const MOST_ACROSS: usize = 4;

/// What the lanes of a vector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Neighbouring elements of a row.
    Along,
    /// The same element of neighbouring rows.
    Across,
}

impl Direction {
    fn other(self) -> Direction {
        match self {
            Direction::Along => Direction::Across,
            Direction::Across => Direction::Along,
        }
    }
}

impl LoopPlan {
    /// The axes of which lanes are taken from the innermost one.
    pub(super) fn nest(&self, direction: Direction) -> &Nest {
        match direction {
            Direction::Along => &self.inner,
            Direction::Across => &self.outer,
        }
    }
}

/// The width of a vector: the largest one that divides the innermost axis, and in which all results and most
/// inputs can be moved.
pub(super) fn width(plan: &LoopPlan, direction: Direction) -> usize {
    let nest = plan.nest(direction);
    let Some(innermost) = nest.axes.last() else { return 1 };
    let reads = plan.reads.iter().enumerate().filter_map(|(at, read)| Some((at, read.memory()?)));
    let reads: Vec<(usize, &Memory)> = reads.filter(|(at, _)| nest.innermost(*at) != 0).collect();
    let first = plan.reads.len();
    let writes = plan.writes.iter().enumerate().map(|(at, write)| (first + at, &write.memory));
    let writes: Vec<(usize, &Memory)> = writes.filter(|(at, _)| nest.innermost(*at) != 0).collect();
    let most = plan.device.properties().hardware.max_vector_size;
    let most = if direction == Direction::Across { most.min(MOST_ACROSS) } else { most };
    let fits = |width: &usize| {
        let moved = |(at, memory): &(usize, &Memory)| {
            // The lanes of a read that is not aligned are read one by one.
            let step = (nest.innermost(*at) as isize).unsigned_abs();
            // Columns are stored once for many rows. Where more is stored, vectors pay by what they store.
            let reach = if plan.columns.is_empty() { step } else { step.saturating_mul(*width) };
            let is_near = *at < first && (step == 1 || reach <= NEAR);
            let is_vector = is_near || lanes(plan, Some(memory), *at, *width, direction) == Lanes::Vector;
            is_vector && memory.elem.size() * width <= 16
        };
        innermost.size % width == 0
            && *width <= most
            && writes.iter().all(moved)
            && reads.iter().filter(|read| moved(read)).count() * 2 >= reads.len()
            && !(reads.is_empty() && writes.is_empty())
    };
    [WIDEST, 4, 2].into_iter().find(fits).unwrap_or(1)
}

/// How the lanes of an operand lie in memory.
pub(super) fn lanes(
    plan: &LoopPlan,
    memory: Option<&Memory>,
    operand: usize,
    width: usize,
    direction: Direction,
) -> Lanes {
    let Some(memory) = memory else { return Lanes::Strided };
    let [nest, around] = [direction, direction.other()].map(|direction| plan.nest(direction));
    let step = nest.innermost(operand);
    let read = plan.reads.get(operand);
    // Where each lane has an index of its own, lanes are read one by one, and so are the indices.
    let by_lane = plan.reads.iter().enumerate().any(|(at, read)| match read {
        Read::Gathered(_, index) => [at, *index].contains(&operand) && nest.innermost(*index) != 0,
        Read::Memory(_) | Read::Index(_) | Read::Window(_) | Read::Step { .. } => false,
    });
    if width == 1 || (step == 0 && !by_lane) {
        return Lanes::Same;
    }
    let is_split =
        |read: &Read| matches!(read, Read::Step { of, elements } if *of == operand && elements % width != 0);
    if by_lane || matches!(read, Some(Read::Window(_))) || plan.reads.iter().any(is_split) {
        return Lanes::Strided;
    }
    let others = nest.axes.iter().rev().skip(1).chain(&around.axes);
    let is_aligned =
        memory.offset % width == 0 && others.clone().all(|axis| axis.steps[operand] % width == 0);
    if step == 1 && is_aligned && memory.len() % width == 0 { Lanes::Vector } else { Lanes::Strided }
}
