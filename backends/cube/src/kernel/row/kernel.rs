//! The kernel: a unit's place, the passes over its row, and what is done at a vector.

use super::super::fold::{Running, finish, merge_lanes, merge_units, start, store_partials, take};
use super::super::operand::Buffer;
use super::super::pass::{
    PassPlan, evaluate, load_all, load_rest, row_offsets, store_elements, store_row, uniform_values,
};
use super::super::program::Values;
use super::super::space::{Space, row_coordinates, vector_coordinates};
use super::RowPlan;
use super::columns::{Columns, start_columns, store_columns};
use super::online::{Online, online_folds};
use cubecl::prelude::*;
use std::sync::Arc;

/// A unit's place in its cube.
#[derive(CubeType)]
pub(super) struct Place {
    pub(super) unit: usize,
    /// Number among the units of its row.
    pub(super) lane: usize,
    /// Number of the row among those of the cube.
    pub(super) row: usize,
}

/// All passes over all rows.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn row_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<RowPlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let place = find_place(comptime!(plan.clone()));
    let width = N::value().comptime();
    let shared = comptime!(plan.shared(width));
    let mut floats = Shared::<[A]>::new_slice(comptime!(shared[0]));
    let mut ints = Shared::<[I]>::new_slice(comptime!(shared[1]));
    let columns = start_columns::<A, I, N>(comptime!(plan.clone()));
    let rows_at_once = comptime!(plan.rows);
    if comptime!(plan.columns.is_empty()) {
        let first = if comptime!(plan.chunked) { CUBE_POS_Y as usize } else { CUBE_POS };
        one_row::<A, I, N>(
            first * rows_at_once,
            inputs,
            outputs,
            scalars,
            numbers,
            &columns,
            &mut floats,
            &mut ints,
            &place,
            plan,
        );
    } else {
        let mut first = CUBE_POS_Y as usize * rows_at_once;
        let step = CUBE_COUNT_Y as usize * rows_at_once;
        while first < numbers[Space::ROWS] {
            one_row::<A, I, N>(
                first,
                inputs,
                outputs,
                scalars,
                numbers,
                &columns,
                &mut floats,
                &mut ints,
                &place,
                comptime!(plan.clone()),
            );
            first += step;
        }
        store_columns::<A, I, N>(outputs, &columns, numbers, &mut floats, &mut ints, &place, plan);
    }
}

#[cube]
fn find_place(#[comptime] plan: Arc<RowPlan>) -> Place {
    let unit = UNIT_POS as usize;
    let lanes = comptime!(plan.lanes);
    let rows = comptime!(plan.rows);
    if comptime!(plan.adjacent) {
        Place { unit, lane: unit % lanes, row: unit / lanes }
    } else {
        Place { unit, lane: unit / rows, row: unit % rows }
    }
}

/// The passes over the row of each unit; all units of a cube come along, so that they can wait for each other.
#[cube]
fn one_row<A: Float, I: Int, N: Size>(
    first: usize,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    columns: &Columns<A, I, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
) {
    let space = comptime!(plan.space);
    let rows = numbers[Space::ROWS];
    let is_row = if comptime!(plan.whole) { true.runtime() } else { first + place.row < rows };
    // Units without a row do the last one, and keep what they find to themselves.
    let row = select(is_row, first + place.row, rows - 1usize);
    let coordinates = row_coordinates(row, numbers, space);
    let offsets = row_offsets(&coordinates, numbers, space);
    let mut statistics = Values::<A, I, Const<1>>::empty();
    let loads = comptime!(plan.kept_loads());
    let mut kept = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let at = kept_vector(place, j, comptime!(plan.clone()));
        let vector = vector_coordinates(clamped(at, numbers, comptime!(plan.full)), numbers, space);
        kept.push(load_all::<A, I, N>(inputs, &offsets, &vector, numbers, space, comptime!(loads.clone())));
    }
    let turns = comptime!(Online::turns(&plan));
    #[unroll]
    for turn in 0..comptime!(turns.len()) {
        let p = comptime!(turns[turn]);
        let pass = comptime!(plan.passes[p].clone());
        let uniforms =
            uniform_values::<A, I>(inputs, scalars, &offsets, &statistics, comptime!(pass.clone()));
        if comptime!(pass.per_row) {
            if is_row && place.lane == 0usize {
                store_row::<A, I>(outputs, &uniforms, &offsets, comptime!(pass.clone()));
            }
        } else if comptime!(Online::starts(&plan, p)) {
            online_folds::<A, I, N>(
                inputs,
                scalars,
                numbers,
                &uniforms,
                &offsets,
                &mut statistics,
                floats,
                ints,
                place,
                p,
                comptime!(plan.clone()),
            );
        } else {
            let folds = comptime!(pass.folds());
            let running = start::<A, I, N>(comptime!(folds.clone()));
            let mut ready = Sequence::<Values<A, I, N>>::new();
            #[unroll]
            for j in 0..comptime!(plan.kept) {
                let at = kept_vector(place, j, comptime!(plan.clone()));
                let vector = vector_coordinates(clamped(at, numbers, comptime!(plan.full)), numbers, space);
                ready.push(load_rest::<A, I, N>(
                    kept.index(j),
                    inputs,
                    &offsets,
                    &vector,
                    numbers,
                    space,
                    comptime!(loads.clone()),
                    comptime!(pass.loads()),
                ));
            }
            #[unroll]
            for j in 0..comptime!(plan.kept) {
                visit::<A, I, N>(
                    kept_vector(place, j, comptime!(plan.clone())),
                    is_row,
                    outputs,
                    numbers,
                    &uniforms,
                    ready.index(j),
                    &offsets,
                    &running,
                    columns,
                    j,
                    comptime!(pass.clone()),
                    comptime!(plan.clone()),
                );
            }
            if comptime!(plan.kept == 0) {
                let mut at = first_vector(place, numbers, comptime!(plan.clone()));
                let end = last_vector(numbers, comptime!(plan.clone()));
                while at < end {
                    let loaded = read_ahead::<A, I, N>(
                        at,
                        inputs,
                        numbers,
                        &offsets,
                        comptime!(pass.clone()),
                        comptime!(plan.clone()),
                    );
                    #[unroll]
                    for j in 0..comptime!(plan.stream) {
                        visit::<A, I, N>(
                            at + comptime!(j * plan.lanes),
                            is_row,
                            outputs,
                            numbers,
                            &uniforms,
                            loaded.index(j),
                            &offsets,
                            &running,
                            columns,
                            0usize,
                            comptime!(pass.clone()),
                            comptime!(plan.clone()),
                        );
                    }
                    at += comptime!(plan.lanes * plan.stream);
                }
            }
            if comptime!(!folds.is_empty()) {
                let merged = merge_lanes::<A, I, N>(&running, comptime!(folds.clone()));
                merge_units::<A, I>(
                    &merged,
                    floats,
                    ints,
                    place.unit,
                    place.lane,
                    comptime!(plan.team()),
                    comptime!(folds.clone()),
                );
                finish::<A, I>(&merged, &mut statistics, comptime!(folds.clone()));
                if comptime!(plan.partials.is_some()) {
                    if is_row && place.lane == 0usize {
                        let to = row * CUBE_COUNT_X as usize + CUBE_POS_X as usize;
                        let first = comptime!(plan.partials.unwrap_or_default());
                        store_partials::<A, I>(outputs, &merged, to, first, folds);
                    }
                }
            }
        }
    }
}

/// Vectors of a row that each of its cubes visits: all that its units read at once, some times.
#[cube]
fn share(numbers: &Sequence<usize>, #[comptime] plan: Arc<RowPlan>) -> usize {
    let at_once = comptime!(plan.lanes * plan.stream);
    numbers[Space::VECTORS].div_ceil(CUBE_COUNT_X as usize * at_once) * at_once
}

#[cube]
fn first_vector(place: &Place, numbers: &Sequence<usize>, #[comptime] plan: Arc<RowPlan>) -> usize {
    if comptime!(plan.chunked) {
        CUBE_POS_X as usize * share(numbers, comptime!(plan.clone())) + place.lane
    } else {
        place.lane
    }
}

/// Behind the last vector of the row that the cube visits.
#[cube]
fn last_vector(numbers: &Sequence<usize>, #[comptime] plan: Arc<RowPlan>) -> usize {
    let all = numbers[Space::VECTORS];
    if comptime!(plan.chunked) {
        let end = (CUBE_POS_X as usize + 1usize) * share(numbers, comptime!(plan.clone()));
        select(end < all, end, all)
    } else {
        all
    }
}

/// What a pass reads at the next few vectors of a unit, asked for all at once.
#[cube]
pub(super) fn read_ahead<A: Float, I: Int, N: Size>(
    at: usize,
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    offsets: &Sequence<usize>,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<RowPlan>,
) -> Sequence<Values<A, I, N>> {
    let space = comptime!(plan.space);
    let mut loaded = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.stream) {
        let here = clamped(at + comptime!(j * plan.lanes), numbers, comptime!(plan.full));
        let vector = vector_coordinates(here, numbers, space);
        loaded.push(load_all::<A, I, N>(inputs, offsets, &vector, numbers, space, comptime!(pass.loads())));
    }
    loaded
}

/// The vector that a unit keeps as its `j`th; it may lie beyond the row.
#[cube]
pub(super) fn kept_vector(place: &Place, #[comptime] j: usize, #[comptime] plan: Arc<RowPlan>) -> usize {
    let at = place.lane + comptime!(j * plan.lanes);
    if comptime!(plan.chunked) {
        // Chunks whose vectors are kept may be more than there are cubes along one dimension.
        let chunk = CUBE_POS_Z as usize * CUBE_COUNT_X as usize + CUBE_POS_X as usize;
        at + chunk * comptime!(plan.lanes * plan.kept)
    } else {
        at
    }
}

/// Whether a vector is one of the row.
#[cube]
pub(super) fn exists(at: usize, numbers: &Sequence<usize>, #[comptime] full: bool) -> bool {
    if full { true.runtime() } else { at < numbers[Space::VECTORS] }
}

#[cube]
fn clamped(at: usize, numbers: &Sequence<usize>, #[comptime] full: bool) -> usize {
    select(exists(at, numbers, full), at, numbers[Space::VECTORS] - 1usize)
}

/// A pass at a vector: stores, folds and columns.
#[cube]
fn visit<A: Float, I: Int, N: Size>(
    at: usize,
    is_row: bool,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, Const<1>>,
    loaded: &Values<A, I, N>,
    offsets: &Sequence<usize>,
    running: &Running<A, I, N>,
    columns: &Columns<A, I, N>,
    #[comptime] j: usize,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<RowPlan>,
) {
    let space = comptime!(plan.space);
    let counts = exists(at, numbers, comptime!(plan.full));
    let values = evaluate::<A, I, N>(uniforms, loaded, comptime!(pass.clone()));
    if counts && is_row {
        let vector = vector_coordinates(at, numbers, space);
        store_elements::<A, I, N>(
            outputs,
            &values,
            offsets,
            &vector,
            numbers,
            space,
            comptime!(pass.clone()),
        );
    }
    take::<A, I, N>(running, &values, at, counts, comptime!(pass.folds()), comptime!(pass.fold_slots()));
    #[unroll]
    for i in 0..comptime!(pass.results.len()) {
        if comptime!(pass.column_of(i).is_some()) {
            let column = comptime!(pass.column_of(i).unwrap_or_default());
            let cell = columns.running.index(comptime!(column * plan.kept + j));
            let fold = comptime!(vec![plan.columns[column].0]);
            take::<A, I, N>(
                cell,
                &values,
                0usize.runtime(),
                is_row,
                fold,
                comptime!(vec![pass.result_slot(i)]),
            );
        }
    }
}
