//! The points of a unit, and where they are in memory.

use super::plan::SweepPlan;
use crate::kernel::space::{Space, row_coordinates, row_offsets, vector_coordinates};
use cubecl::prelude::*;
use std::sync::Arc;

/// The points of a unit.
#[derive(CubeType)]
pub(super) struct Points {
    pub(super) unit: usize,
    /// Number of the unit among the units of its row.
    pub(super) lane: usize,
    /// Whether the row is the unit's own. A unit without a row works on the last row, but stores nothing.
    pub(super) is_own: bool,
    /// The start of the row in each operand, at the first element of the axis.
    pub(super) offsets: Sequence<usize>,
    /// The vectors, and whether they exist. The last vector stands in for one that does not.
    pub(super) vectors: Sequence<Sequence<usize>>,
    pub(super) exist: Sequence<bool>,
}

/// Which points a unit has. The axis of the steps is the outermost one, so the first rows are those of its
/// first element.
#[cube]
pub(super) fn find_points(numbers: &Sequence<usize>, #[comptime] plan: Arc<SweepPlan>) -> Points {
    let space = comptime!(plan.space);
    let count = numbers[Space::VECTORS];
    let mut row = 0usize.runtime();
    let mut lane = ABSOLUTE_POS;
    let mut is_own = true.runtime();
    if comptime!(plan.lanes.is_some()) {
        let lanes = comptime!(plan.lanes.unwrap_or(1));
        let rows = numbers[Space::ROWS] / numbers[Space::OUTERMOST];
        let own = ABSOLUTE_POS / lanes;
        lane = ABSOLUTE_POS % lanes;
        if comptime!(plan.whole) {
            row = own;
        } else {
            is_own = own < rows;
            row = select(is_own, own, rows - 1usize);
        }
    }
    let mut vectors = Sequence::<Sequence<usize>>::new();
    let mut exist = Sequence::<bool>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let at = lane + comptime!(j * plan.lanes.unwrap_or(1));
        let exists = if comptime!(plan.full) { true.runtime() } else { at < count };
        exist.push(exists);
        vectors.push(vector_coordinates(select(exists, at, count - 1usize), numbers, space));
    }
    let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
    Points { unit: UNIT_POS as usize, lane, is_own, offsets, vectors, exist }
}

/// The start of a row in each operand at a step.
#[cube]
pub(super) fn offsets_at(
    step: usize,
    points: &Points,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<SweepPlan>,
) -> Sequence<usize> {
    let place = if comptime!(plan.reverse) { numbers[Space::OUTERMOST] - 1 - step } else { step };
    let mut offsets = Sequence::<usize>::new();
    #[unroll]
    for operand in 0..comptime!(plan.space.operands) {
        offsets
            .push(points.offsets[operand] + place * numbers[comptime!(plan.space.outermost_step(operand))]);
    }
    offsets
}
