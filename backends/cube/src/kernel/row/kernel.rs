//! The kernel itself: the passes over the rows of a unit, and the work at each vector.

use super::columns::{Columns, start_columns, store_columns};
use super::exponentials::fold_exponentials;
use super::load::{keep, read_ahead};
use super::online::Form;
use super::place::{
    Place, Row, clamped, exists, find_place, find_row, first_vector, kept_vector, last_vector,
};
use super::plan::RowPlan;
use super::squares::fold_squares;
use crate::kernel::evaluate::{evaluate, load_rest, store_elements, store_row, uniform_values};
use crate::kernel::fold::merge::{merge_lanes, merge_units, resize};
use crate::kernel::fold::partial::store_partials;
use crate::kernel::fold::{FoldPlan, Running, finish, start, take};
use crate::kernel::known::Known;
use crate::kernel::operand::Buffer;
use crate::kernel::pass::PassPlan;
use crate::kernel::program::Values;
use crate::kernel::ready::part;
use crate::kernel::space::{Space, vector_coordinates};
use cubecl::prelude::*;
use std::sync::Arc;

/// Runs all passes over all rows. A unit works on `U` rows at once: on one, or on neighbours in the lanes of
/// its vectors.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn row_kernel<A: Float, I: Int, N: Size, U: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] calls: usize,
    #[comptime] plan: Known<RowPlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let plan = comptime!(plan.plan());
    let width = N::value().comptime();
    let shared = comptime!(plan.shared(width));
    let mut floats = Shared::<[A]>::new_slice(comptime!(shared[0]));
    let mut ints = Shared::<[I]>::new_slice(comptime!(shared[1]));
    if comptime!(calls == 1) {
        let first = if comptime!(plan.chunked) { CUBE_POS_Y as usize } else { CUBE_POS };
        one_call::<A, I, N, U>(first, inputs, outputs, scalars, numbers, &mut floats, &mut ints, calls, plan);
    } else {
        #[unroll]
        for call in 0..calls {
            if CUBE_POS_Z as usize == call {
                let first = if comptime!(plan.chunked) { 0usize.runtime() } else { CUBE_POS_X as usize };
                one_call::<A, I, N, U>(
                    first,
                    &part::<Buffer>(inputs, call, calls),
                    &mut part::<Buffer>(&*outputs, call, calls),
                    &part::<InputScalar>(scalars, call, calls),
                    &part::<usize>(numbers, call, calls),
                    &mut floats,
                    &mut ints,
                    calls,
                    comptime!(plan.clone()),
                );
            }
        }
    }
}

/// Runs all passes over all rows of a call. `first` is the number of the cube, or of its group of cubes.
#[cube]
fn one_call<A: Float, I: Int, N: Size, U: Size>(
    first: usize,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    #[comptime] calls: usize,
    #[comptime] plan: Arc<RowPlan>,
) {
    let place = find_place(calls, comptime!(plan.clone()));
    let columns = start_columns::<A, I, N>(comptime!(plan.clone()));
    let rows_at_once = comptime!(plan.rows);
    if comptime!(plan.columns.is_empty()) {
        one_row::<A, I, N, U>(
            first * rows_at_once,
            inputs,
            outputs,
            scalars,
            numbers,
            &columns,
            floats,
            ints,
            &place,
            plan,
        );
    } else {
        let mut first = CUBE_POS_Y as usize * rows_at_once;
        let step = CUBE_COUNT_Y as usize * rows_at_once;
        while first < numbers[Space::ROWS] {
            one_row::<A, I, N, U>(
                first,
                inputs,
                outputs,
                scalars,
                numbers,
                &columns,
                floats,
                ints,
                &place,
                comptime!(plan.clone()),
            );
            first += step;
        }
        store_columns::<A, I, N>(outputs, &columns, numbers, floats, ints, &place, plan);
    }
}

/// Runs the passes over the row of each unit. All units of a cube take part, so that they can wait for each
/// other.
#[cube]
fn one_row<A: Float, I: Int, N: Size, U: Size>(
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
    let row = find_row(first, numbers, place, comptime!(plan.clone()));
    let kept = keep::<A, I, N>(inputs, numbers, &row, place, comptime!(plan.clone()));
    let mut statistics = Values::<A, I, U>::empty();
    let turns = comptime!(plan.turns());
    #[unroll]
    for turn in 0..comptime!(turns.len()) {
        let p = comptime!(turns[turn]);
        let pass = comptime!(plan.passes[p].clone());
        let uniforms = uniform_values::<A, I, U>(
            inputs,
            scalars,
            &row.offsets,
            &row.steps,
            &statistics,
            comptime!(pass.clone()),
        );
        if comptime!(pass.per_row) {
            if row.is_own && place.lane == 0usize {
                store_row::<A, I, U>(outputs, &uniforms, &row.offsets, &row.steps, pass);
            }
        } else if comptime!(plan.starts_online(p)) {
            online_folds::<A, I, N, U>(
                inputs,
                scalars,
                numbers,
                &uniforms,
                &row.offsets,
                &mut statistics,
                floats,
                ints,
                place,
                p,
                comptime!(plan.clone()),
            );
        } else {
            let running = start::<A, I, N>(comptime!(pass.folds()));
            one_pass::<A, I, N, U>(
                &row,
                inputs,
                outputs,
                numbers,
                &uniforms,
                &kept,
                &running,
                columns,
                place,
                comptime!(pass.clone()),
                comptime!(plan.clone()),
            );
            if comptime!(!pass.folds().is_empty()) {
                let merged = merge_row::<A, I, N, U>(
                    &row,
                    outputs,
                    &running,
                    floats,
                    ints,
                    place,
                    comptime!(pass.folds()),
                    comptime!(plan.clone()),
                );
                finish::<A, I, U>(&merged, &mut statistics, comptime!(pass.folds()));
            }
        }
    }
}

/// Runs the folds of two passes over the row of each unit, and appends their results to the statistics.
#[cube]
fn online_folds<A: Float, I: Int, N: Size, U: Size>(
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, U>,
    offsets: &Sequence<usize>,
    statistics: &mut Values<A, I, U>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] p: usize,
    #[comptime] plan: Arc<RowPlan>,
) {
    if comptime!(plan.online_form() == Some(Form::Exponentials)) {
        fold_exponentials::<A, I, N, U>(
            inputs, scalars, numbers, uniforms, offsets, statistics, floats, ints, place, p, plan,
        );
    } else {
        fold_squares::<A, I, N, U>(
            inputs, scalars, numbers, uniforms, offsets, statistics, floats, ints, place, p, plan,
        );
    }
}

/// Runs a pass at all vectors of a unit: those that it keeps, or those that it reads now.
#[cube]
fn one_pass<A: Float, I: Int, N: Size, U: Size>(
    row: &Row,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, U>,
    kept: &Sequence<Values<A, I, N>>,
    running: &Running<A, I, N>,
    columns: &Columns<A, I, N>,
    place: &Place,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<RowPlan>,
) {
    let space = comptime!(plan.space);
    let mut ready = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let at = kept_vector(place, j, comptime!(plan.clone()));
        let vector = vector_coordinates(clamped(at, numbers, comptime!(plan.full)), numbers, space);
        ready.push(load_rest::<A, I, N>(
            kept.index(j),
            inputs,
            &row.offsets,
            &vector,
            numbers,
            space,
            comptime!(plan.kept_loads()),
            comptime!(pass.loads()),
        ));
    }
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let at = kept_vector(place, j, comptime!(plan.clone()));
        let (pass, plan) = comptime!((pass.clone(), plan.clone()));
        visit::<A, I, N, U>(
            at,
            row,
            outputs,
            numbers,
            uniforms,
            ready.index(j),
            running,
            columns,
            j,
            pass,
            plan,
        );
    }
    if comptime!(plan.kept == 0) {
        let first = first_vector(place, numbers, comptime!(plan.clone()));
        let end = last_vector(numbers, comptime!(plan.clone()));
        let step = comptime!(plan.lanes * plan.stream);
        let turns = select(first < end, end - first, 0usize).div_ceil(step);
        for turn in 0..turns {
            // The vectors that an earlier pass read last are the most likely to be still in the cache.
            let is_backwards = comptime!(pass.folds().is_empty());
            let at = first + if is_backwards { turns - 1usize - turn } else { turn } * step;
            let loaded = read_ahead::<A, I, N>(
                at,
                inputs,
                numbers,
                &row.offsets,
                comptime!(pass.clone()),
                comptime!(plan.clone()),
            );
            #[unroll]
            for j in 0..comptime!(plan.stream) {
                visit::<A, I, N, U>(
                    at + comptime!(j * plan.lanes),
                    row,
                    outputs,
                    numbers,
                    uniforms,
                    loaded.index(j),
                    running,
                    columns,
                    0usize,
                    comptime!(pass.clone()),
                    comptime!(plan.clone()),
                );
            }
        }
    }
}

/// Combines the folds of all units of a row. A cube that has only a part of the row stores its partial folds.
#[cube]
fn merge_row<A: Float, I: Int, N: Size, U: Size>(
    row: &Row,
    outputs: &mut Sequence<Buffer>,
    running: &Running<A, I, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] folds: Vec<FoldPlan>,
    #[comptime] plan: Arc<RowPlan>,
) -> Running<A, I, U> {
    let merged = if comptime!(plan.across) {
        resize::<A, I, N, U>(running, comptime!(folds.clone()))
    } else {
        let merged = merge_lanes::<A, I, N>(running, comptime!(folds.clone()));
        resize::<A, I, Const<1>, U>(&merged, comptime!(folds.clone()))
    };
    let team = comptime!(plan.team());
    merge_units::<A, I, U>(&merged, floats, ints, place.unit, place.lane, team, comptime!(folds.clone()));
    if comptime!(plan.partials.is_some()) {
        if row.is_own && place.lane == 0usize {
            let cubes = CUBE_COUNT_X as usize;
            let rows = U::value().comptime();
            let to = row.number * rows * cubes + CUBE_POS_X as usize;
            let first = comptime!(plan.partials.unwrap_or_default());
            store_partials::<A, I, U>(outputs, &merged, to, cubes, first, folds);
        }
    }
    merged
}

/// Runs a pass at one vector: stores, folds and columns.
#[cube]
fn visit<A: Float, I: Int, N: Size, U: Size>(
    at: usize,
    row: &Row,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, U>,
    loaded: &Values<A, I, N>,
    running: &Running<A, I, N>,
    columns: &Columns<A, I, N>,
    #[comptime] j: usize,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<RowPlan>,
) {
    let space = comptime!(plan.space);
    let counts = exists(at, numbers, comptime!(plan.full));
    let values = evaluate::<A, I, N, U>(uniforms, loaded, comptime!(pass.clone()));
    if counts && row.is_own {
        let vector = vector_coordinates(at, numbers, space);
        store_elements::<A, I, N>(
            outputs,
            &values,
            &row.offsets,
            &vector,
            numbers,
            space,
            comptime!(pass.clone()),
        );
    }
    take::<A, I, N>(
        running,
        &values,
        at,
        counts,
        comptime!(plan.across),
        comptime!(pass.folds()),
        comptime!(pass.fold_slots()),
    );
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
                row.is_own,
                false,
                fold,
                comptime!(vec![pass.result_slot(i)]),
            );
        }
    }
}
