//! Factors on their way to a team: from memory through registers to shared memory.

use super::plan::{Part, Side, StreamPlan};
use crate::kernel::operand::Buffer;
use crate::kernel::space::{
    Space, row_coordinates, row_offset, row_offsets, vector_coordinates, vector_offset,
};
use cubecl::prelude::*;
use std::sync::Arc;

/// A unit's place in its cube, and its rows.
#[derive(CubeType)]
pub(super) struct Place {
    pub(super) unit: usize,
    /// Its team, and its number in the team.
    pub(super) team: usize,
    pub(super) lane: usize,
    pub(super) rows: Sequence<Row>,
    /// The number of the first row of the cube, and of the last row of its batch.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// A row of a unit.
#[derive(CubeType)]
pub(super) struct Row {
    /// Whether the row is the unit's own. A unit without a row works on the last row, but does not store its
    /// results.
    pub(super) is_own: bool,
    /// The start of the row in each operand.
    pub(super) offsets: Sequence<usize>,
}

/// Vectors of a factor, in registers.
#[derive(CubeType)]
pub(super) struct Fetched<H: Float, V: Size> {
    vectors: Sequence<RuntimeCell<Vector<H, V>>>,
}

/// Finds the rows of a unit: those of its tile, in its batch.
#[cube]
pub(super) fn find_place(
    tile: usize,
    batch: usize,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<StreamPlan>,
) -> Place {
    let unit = UNIT_POS as usize;
    let (team, lane) = (unit / 32usize, unit % 32usize);
    let all = numbers[comptime!(plan.rows_of_batch())];
    let first = tile * comptime!(plan.rows());
    let mut rows = Sequence::<Row>::new();
    #[unroll]
    for i in 0..comptime!(plan.unit_rows()) {
        let row = first + team * comptime!(plan.unit_rows() * 8) + lane / 4usize + comptime!(i * 8);
        let is_own = row < all;
        let number = batch * all + select(is_own, row, all - 1usize);
        let coordinates = row_coordinates(number, numbers, comptime!(plan.space));
        rows.push(Row { is_own, offsets: row_offsets(&coordinates, numbers, comptime!(plan.space)) });
    }
    Place { unit, team, lane, rows, first: batch * all + first, last: batch * all + all - 1usize }
}

/// Copies the rows of the cube to shared memory.
#[cube]
pub(super) fn put_rows<H: Float, V: Size>(
    stage: &mut Shared<[Vector<H, V>]>,
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] part: Part,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let cells = registers::<H, V>(part, comptime!(plan.clone()));
    fetch::<H, V>(&cells, place.first, inputs, numbers, place, part, comptime!(plan.clone()));
    put::<H, V>(&cells, stage, place, part, plan);
}

/// Registers for a factor.
#[cube]
pub(super) fn registers<H: Float, V: Size>(
    #[comptime] part: Part,
    #[comptime] plan: Arc<StreamPlan>,
) -> Fetched<H, V> {
    let width = V::value().comptime();
    let mut vectors = Sequence::<RuntimeCell<Vector<H, V>>>::new();
    #[unroll]
    for _ in 0..comptime!((plan.len(part) * part.vectors(width)).div_ceil(plan.units())) {
        vectors.push(RuntimeCell::new(Vector::<H, V>::new(H::new(0.0))));
    }
    Fetched::<H, V> { vectors }
}

/// Reads the rows or columns of a factor from `first` on. Beyond the last row or column it reads the last one
/// again. What lies beyond the elements of a row or column stays zero.
#[cube]
pub(super) fn fetch<H: Float, V: Size>(
    into: &Fetched<H, V>,
    first: usize,
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] part: Part,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let width = V::value().comptime();
    let len = numbers[comptime!(part.numbers)];
    let space = comptime!(plan.space);
    let last = if comptime!(part.side == Side::Rows) { place.last } else { numbers[Space::VECTORS] - 1usize };
    // The start of the batch.
    let start =
        row_offset(&row_coordinates(place.first, numbers, space), numbers, space, comptime!(part.operand));
    #[unroll]
    for i in 0..into.vectors.len() {
        let at = place.unit + comptime!(i * plan.units());
        let line = first + at / comptime!(part.vectors(width));
        let from = at % comptime!(part.vectors(width)) * width;
        let line = select(line <= last, line, last);
        let at = if comptime!(part.side == Side::Rows) {
            row_offset(&row_coordinates(line, numbers, space), numbers, space, comptime!(part.operand))
        } else {
            start
                + vector_offset(
                    &vector_coordinates(line, numbers, space),
                    numbers,
                    space,
                    comptime!(part.operand),
                )
        };
        let cell = into.vectors.index(i);
        if from < len || part.is_full {
            cell.store(elements::<H, V>(inputs, numbers, at, from, part));
        }
    }
}

/// A vector of a factor, whose row or column starts at `at`. What lies beyond it is zero.
#[cube]
fn elements<H: Float, V: Size>(
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    at: usize,
    from: usize,
    #[comptime] part: Part,
) -> Vector<H, V> {
    let buffer = comptime!(part.buffer);
    if comptime!(part.is_wide) {
        let width = V::value().comptime();
        inputs[buffer].load::<H, V>((at + from) / width, 0usize.runtime())
    } else {
        let len = numbers[comptime!(part.numbers)];
        let step = numbers[comptime!(part.numbers + 1)];
        let mut value = Vector::<H, V>::empty();
        #[unroll]
        for lane in 0..value.vector_size() {
            let exists = from + lane < len;
            let place = select(exists, from + lane, 0usize);
            let element = inputs[buffer].load::<H, Const<1>>(at + place * step, 0usize.runtime());
            value.insert(lane, select(exists, element.extract(0usize), H::new(0.0)));
        }
        value
    }
}

/// Writes the rows or columns of a factor to shared memory.
#[cube]
pub(super) fn put<H: Float, V: Size>(
    from: &Fetched<H, V>,
    stage: &mut Shared<[Vector<H, V>]>,
    place: &Place,
    #[comptime] part: Part,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let width = V::value().comptime();
    let vectors = comptime!(part.vectors(width));
    let all = comptime!(plan.len(part) * vectors);
    #[unroll]
    for i in 0..from.vectors.len() {
        let at = place.unit + comptime!(i * plan.units());
        let to = comptime!(part.stage) + at / vectors * comptime!(part.stride(width)) + at % vectors;
        if at < all || comptime!((i + 1) * plan.units() <= all) {
            stage[to] = from.vectors.index(i).read();
        }
    }
}
