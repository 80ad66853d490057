//! The position of a unit: its place in the cube, its row, and its vectors of that row.

use super::plan::RowPlan;
use crate::kernel::space::{Space, lane_step, row_coordinates, row_offsets};
use cubecl::prelude::*;
use std::sync::Arc;

/// A unit's place in its cube.
#[derive(CubeType)]
pub(super) struct Place {
    pub(super) unit: usize,
    /// Number of the unit among the units of its row.
    pub(super) lane: usize,
    /// Number of the row among the rows of the cube.
    pub(super) row: usize,
    /// Number of the cube among those that share a row, if some do.
    pub(super) chunk: usize,
}

/// The row of a unit, or its band of rows, which has one number.
#[derive(CubeType)]
pub(super) struct Row {
    pub(super) number: usize,
    /// Whether the row is the unit's own. A unit without a row works on the last row, but does not store its
    /// results.
    pub(super) is_own: bool,
    /// The start of the row in each operand.
    pub(super) offsets: Sequence<usize>,
    /// The step of each operand from one row of a band to the next. Empty if a unit has one row.
    pub(super) steps: Sequence<usize>,
}

#[cube]
pub(super) fn find_place(#[comptime] calls: usize, #[comptime] plan: Arc<RowPlan>) -> Place {
    let unit = UNIT_POS as usize;
    let lanes = comptime!(plan.lanes);
    let rows = comptime!(plan.rows);
    // There may be more chunks with kept vectors than cubes along one dimension, but not in joined calls.
    let chunk = if comptime!(calls == 1) {
        CUBE_POS_Z as usize * CUBE_COUNT_X as usize + CUBE_POS_X as usize
    } else {
        CUBE_POS_X as usize
    };
    if comptime!(rows == 1) {
        Place { unit, lane: unit, row: 0usize.runtime(), chunk }
    } else if comptime!(plan.adjacent) {
        Place { unit, lane: unit % lanes, row: unit / lanes, chunk }
    } else {
        Place { unit, lane: unit / rows, row: unit % rows, chunk }
    }
}

#[cube]
pub(super) fn find_row(
    first: usize,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
) -> Row {
    let rows = numbers[Space::ROWS];
    let is_own = if comptime!(plan.whole) { true.runtime() } else { first + place.row < rows };
    let number = select(is_own, first + place.row, rows - 1usize);
    let coordinates = row_coordinates(number, numbers, comptime!(plan.space));
    let mut steps = Sequence::<usize>::new();
    if comptime!(plan.across) {
        #[unroll]
        for operand in 0..comptime!(plan.space.operands) {
            steps.push(lane_step(numbers, comptime!(plan.space), operand));
        }
    }
    Row { number, is_own, offsets: row_offsets(&coordinates, numbers, comptime!(plan.space)), steps }
}

/// Number of vectors of a row that each of its cubes visits, a multiple of what its units read at once. These
/// cubes are so few that all of them fit along one dimension.
#[cube]
fn share(numbers: &Sequence<usize>, #[comptime] plan: Arc<RowPlan>) -> usize {
    let at_once = comptime!(plan.lanes * plan.stream);
    numbers[Space::VECTORS].div_ceil(CUBE_COUNT_X as usize * at_once) * at_once
}

#[cube]
pub(super) fn first_vector(
    place: &Place,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<RowPlan>,
) -> usize {
    if comptime!(plan.chunked) {
        CUBE_POS_X as usize * share(numbers, comptime!(plan.clone())) + place.lane
    } else {
        place.lane
    }
}

/// The end of the cube's vectors in the row (exclusive).
#[cube]
pub(super) fn last_vector(numbers: &Sequence<usize>, #[comptime] plan: Arc<RowPlan>) -> usize {
    let all = numbers[Space::VECTORS];
    if comptime!(plan.chunked) {
        let end = (CUBE_POS_X as usize + 1usize) * share(numbers, comptime!(plan.clone()));
        select(end < all, end, all)
    } else {
        all
    }
}

/// The vector that a unit keeps as its `j`th; it may lie beyond the row.
#[cube]
pub(super) fn kept_vector(place: &Place, #[comptime] j: usize, #[comptime] plan: Arc<RowPlan>) -> usize {
    let at = place.lane + comptime!(j * plan.lanes);
    if comptime!(plan.chunked) { at + place.chunk * comptime!(plan.lanes * plan.kept) } else { at }
}

/// Whether a vector exists in the row.
#[cube]
pub(super) fn exists(at: usize, numbers: &Sequence<usize>, #[comptime] full: bool) -> bool {
    if full { true.runtime() } else { at < numbers[Space::VECTORS] }
}

#[cube]
pub(super) fn clamped(at: usize, numbers: &Sequence<usize>, #[comptime] full: bool) -> usize {
    select(exists(at, numbers, full), at, numbers[Space::VECTORS] - 1usize)
}
