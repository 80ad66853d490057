//! The kernel itself: a tile of rows over all of its columns.

use super::finish::{finish_relative, store_rows, store_sum};
use super::plan::{Part, Side, StreamPlan};
use super::product::{multiply_rows, multiply_weights, zeros};
use super::stage::{Fetched, Place, fetch, find_place, put, put_rows, registers};
use super::weigh::{Running, column, evaluated, start, weigh};
use super::weights::Weights;
use crate::kernel::fold;
use crate::kernel::fold::merge::merge_units;
use crate::kernel::known::Known;
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use crate::kernel::space::Space;
use cubecl::prelude::*;
use std::sync::Arc;

/// Runs a stream: cubes along x have the tiles of a batch, cubes along y the batches.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn stream_kernel<H: Float, A: Float, I: Int, V: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Known<StreamPlan>,
    #[define(H, A, I)] _types: [ElemType; 3],
) {
    let plan = comptime!(plan.plan());
    let width = V::value().comptime();
    let folded = comptime!(plan.folded());
    let mut stage = Shared::<[Vector<H, V>]>::new_aligned_slice(comptime!(plan.staged(width)), 16usize);
    let mut floats = Shared::<[A]>::new_slice(comptime!(folded[0]));
    let mut ints = Shared::<[I]>::new_slice(comptime!(folded[1]));
    // The last rows come first: under a causal mask they have the most columns.
    let last = (numbers[comptime!(plan.rows_of_batch())] - 1usize) / comptime!(plan.rows());
    let tile = last - CUBE_POS_X as usize;
    let place = find_place(tile, CUBE_POS_Y as usize, numbers, comptime!(plan.clone()));
    let range = columns(tile, inputs, numbers, comptime!(plan.clone()));
    #[unroll]
    for part in 0..comptime!(plan.parts_of(Side::Rows).len()) {
        let part = comptime!(plan.parts_of(Side::Rows)[part]);
        put_rows::<H, V>(&mut stage, inputs, numbers, &place, part, comptime!(plan.clone()));
    }
    let mut statistics = no_statistics::<A, I>(comptime!(plan.unit_rows()));
    #[unroll]
    for walk in 0..comptime!(plan.walks.len()) {
        fold_columns::<H, A, I, V>(
            &range,
            &mut statistics,
            inputs,
            scalars,
            numbers,
            &mut stage,
            &mut floats,
            &mut ints,
            &place,
            comptime!(plan.walks[walk]),
            comptime!(plan.clone()),
        );
    }
    if let Some(weights) = comptime!(plan.weights.clone()) {
        sum_columns::<H, A, I, V>(
            &range,
            &mut statistics,
            inputs,
            outputs,
            scalars,
            numbers,
            &mut stage,
            &mut floats,
            &mut ints,
            &place,
            weights,
            comptime!(plan.clone()),
        );
    }
    store_rows::<A, I>(&statistics, inputs, outputs, scalars, &place, plan);
}

/// The statistics of each row of a unit before the first walk.
#[cube]
fn no_statistics<A: Float, I: Int>(#[comptime] rows: usize) -> Sequence<Values<A, I, Const<1>>> {
    let mut statistics = Sequence::<Values<A, I, Const<1>>>::new();
    #[unroll]
    for _ in 0..rows {
        statistics.push(Values::empty());
    }
    statistics
}

/// The columns of a tile.
#[derive(CubeType)]
struct Columns {
    from: usize,
    end: usize,
}

#[cube]
fn columns(
    tile: usize,
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<StreamPlan>,
) -> Columns {
    if comptime!(plan.bounds.is_some()) {
        let bounds = comptime!(plan.bounds.unwrap_or_default());
        let from = inputs[bounds].load::<u32, Const<1>>(tile * 2usize, 0usize.runtime());
        let end = inputs[bounds].load::<u32, Const<1>>(tile * 2usize + 1usize, 0usize.runtime());
        Columns { from: from.extract(0usize) as usize, end: end.extract(0usize) as usize }
    } else {
        Columns { from: 0usize.runtime(), end: numbers[Space::VECTORS] }
    }
}

/// Appends the folds of a pass over all columns to the statistics.
#[cube]
fn fold_columns<H: Float, A: Float, I: Int, V: Size>(
    range: &Columns,
    statistics: &mut Sequence<Values<A, I, Const<1>>>,
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    stage: &mut Shared<[Vector<H, V>]>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] pass: usize,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let folds = comptime!(plan.passes[pass].folds());
    let mut running = Sequence::<fold::Running<A, I, Const<1>>>::new();
    #[unroll]
    for _ in 0..comptime!(plan.unit_rows()) {
        running.push(fold::start::<A, I, Const<1>>(comptime!(folds.clone())));
    }
    let ahead = fetch_scores::<H, V>(range.from, inputs, numbers, place, comptime!(plan.clone()));
    let mut first = range.from;
    while first < range.end {
        let scores = block_scores::<H, A, V>(
            &ahead,
            first,
            inputs,
            numbers,
            stage,
            place,
            false,
            comptime!(plan.clone()),
        );
        let values = evaluated::<A, I>(
            &scores,
            &*statistics,
            first,
            inputs,
            scalars,
            numbers,
            place,
            pass,
            comptime!(plan.clone()),
        );
        fold_block::<A, I>(&values, &running, first, numbers, place, pass, comptime!(plan.clone()));
        first += comptime!(plan.block);
    }
    #[unroll]
    for row in 0..comptime!(plan.unit_rows()) {
        let (lane, team) = (place.lane % 4usize, comptime!(plan.team()));
        let own = running.index(row);
        merge_units::<A, I, Const<1>>(own, floats, ints, place.unit, lane, team, comptime!(folds.clone()));
        fold::finish::<A, I, Const<1>>(own, statistics.index_mut(row), comptime!(folds.clone()));
    }
}

/// Folds in the values of a block.
#[cube]
fn fold_block<A: Float, I: Int>(
    values: &Sequence<Values<A, I, Const<1>>>,
    running: &Sequence<fold::Running<A, I, Const<1>>>,
    first: usize,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] pass: usize,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let pass = comptime!(plan.passes[pass].clone());
    #[unroll]
    for at in 0..values.len() {
        let own = first + column(place, comptime!(at % plan.own()));
        fold::take::<A, I, Const<1>>(
            running.index(comptime!(at / plan.own())),
            values.index(at),
            own,
            own < numbers[Space::VECTORS],
            false,
            comptime!(pass.folds()),
            comptime!(pass.fold_slots()),
        );
    }
}

/// The last walk over the columns: sums of weights times factors, which are stored.
#[cube]
fn sum_columns<H: Float, A: Float, I: Int, V: Size>(
    range: &Columns,
    statistics: &mut Sequence<Values<A, I, Const<1>>>,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    stage: &mut Shared<[Vector<H, V>]>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] weights: Weights,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let mut sums = Sequence::<Sequence<Array<Vector<A, Const<1>>>>>::new();
    #[unroll]
    for sum in 0..comptime!(plan.sums.len()) {
        let size = comptime!(plan.parts[plan.sums[sum].columns].size);
        sums.push(zeros::<A>(size, comptime!(plan.heights)));
    }
    let ahead = fetch_scores::<H, V>(range.from, inputs, numbers, place, comptime!(plan.clone()));
    let running = start::<A>(comptime!(plan.unit_rows()));
    let mut first = range.from;
    while first < range.end {
        sum_block::<H, A, I, V>(
            first,
            &ahead,
            &running,
            &mut sums,
            &*statistics,
            inputs,
            scalars,
            numbers,
            stage,
            floats,
            ints,
            place,
            comptime!(weights.clone()),
            comptime!(plan.clone()),
        );
        first += comptime!(plan.block);
    }
    finish_relative::<A, I>(
        &running,
        statistics,
        &mut sums,
        inputs,
        scalars,
        floats,
        ints,
        place,
        weights,
        comptime!(plan.clone()),
    );
    #[unroll]
    for sum in 0..comptime!(plan.sums.len()) {
        store_sum::<A>(sums.index(sum), outputs, numbers, place, sum, comptime!(plan.clone()));
    }
}

/// Adds the products of a block of weights.
#[cube]
fn sum_block<H: Float, A: Float, I: Int, V: Size>(
    first: usize,
    ahead: &Sequence<Fetched<H, V>>,
    running: &Running<A>,
    sums: &mut Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    statistics: &Sequence<Values<A, I, Const<1>>>,
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    stage: &mut Shared<[Vector<H, V>]>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] weights: Weights,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let scores =
        block_scores::<H, A, V>(ahead, first, inputs, numbers, stage, place, true, comptime!(plan.clone()));
    let values = evaluated::<A, I>(
        &scores,
        statistics,
        first,
        inputs,
        scalars,
        numbers,
        place,
        comptime!(plan.last_pass()),
        comptime!(plan.clone()),
    );
    let left = weigh::<H, A, I>(
        &values,
        first,
        running,
        sums,
        numbers,
        floats,
        ints,
        place,
        weights,
        comptime!(plan.clone()),
    );
    #[unroll]
    for sum in 0..comptime!(plan.sums.len()) {
        let own = left.index(comptime!(plan.sums[sum].weight.index));
        let (part, plan) = comptime!((plan.parts[plan.sums[sum].columns], plan.clone()));
        multiply_weights::<H, A, V>(own, stage, sums.index_mut(sum), place, part, plan);
    }
    // The next block overwrites these columns.
    if comptime!(plan.shares_columns()) {
        sync_cube();
    }
}

/// The first block of the factors that give scores, on its way.
#[cube]
fn fetch_scores<H: Float, V: Size>(
    first: usize,
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] plan: Arc<StreamPlan>,
) -> Sequence<Fetched<H, V>> {
    let mut found = Sequence::<Fetched<H, V>>::new();
    #[unroll]
    for part in 0..comptime!(plan.parts_of(Side::Scores).len()) {
        let part = comptime!(plan.parts_of(Side::Scores)[part]);
        let cells = registers::<H, V>(part, comptime!(plan.clone()));
        fetch::<H, V>(&cells, first, inputs, numbers, place, part, comptime!(plan.clone()));
        found.push(cells);
    }
    found
}

/// The scores of a block. Meanwhile the block of the other factors of the sums gets to shared memory, and the
/// next block of those of the scores to registers.
#[cube]
fn block_scores<H: Float, A: Float, V: Size>(
    ahead: &Sequence<Fetched<H, V>>,
    first: usize,
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    stage: &mut Shared<[Vector<H, V>]>,
    place: &Place,
    #[comptime] with_sums: bool,
    #[comptime] plan: Arc<StreamPlan>,
) -> Sequence<Sequence<Array<Vector<A, Const<1>>>>> {
    let early = comptime!(plan.parts_of(Side::Scores));
    let late: Vec<Part> = comptime!(if with_sums { plan.parts_of(Side::Weights) } else { Vec::new() });
    #[unroll]
    for part in 0..comptime!(early.len()) {
        put::<H, V>(ahead.index(part), stage, place, comptime!(early[part]), comptime!(plan.clone()));
    }
    sync_cube();
    let mut fetched = Sequence::<Fetched<H, V>>::new();
    #[unroll]
    for part in 0..comptime!(late.len()) {
        let part = comptime!(late[part]);
        let cells = registers::<H, V>(part, comptime!(plan.clone()));
        fetch::<H, V>(&cells, first, inputs, numbers, place, part, comptime!(plan.clone()));
        fetched.push(cells);
    }
    let mut scores = Sequence::<Sequence<Array<Vector<A, Const<1>>>>>::new();
    #[unroll]
    for score in 0..comptime!(plan.scores.len()) {
        let mut own = zeros::<A>(comptime!(plan.block), comptime!(plan.heights));
        let (rows, columns) =
            comptime!((plan.parts[plan.scores[score].rows], plan.parts[plan.scores[score].columns]));
        multiply_rows::<H, A, V>(&*stage, &mut own, place, rows, columns, comptime!(plan.clone()));
        scores.push(own);
    }
    #[unroll]
    for part in 0..comptime!(late.len()) {
        put::<H, V>(fetched.index(part), stage, place, comptime!(late[part]), comptime!(plan.clone()));
    }
    #[unroll]
    for part in 0..comptime!(early.len()) {
        let next = first + comptime!(plan.block);
        fetch::<H, V>(
            ahead.index(part),
            next,
            inputs,
            numbers,
            place,
            comptime!(early[part]),
            comptime!(plan.clone()),
        );
    }
    // Nobody reads the columns of scores any more, and the other columns are there.
    if comptime!(!(late.is_empty() && with_sums && plan.shares_columns())) {
        sync_cube();
    }
    scores
}
