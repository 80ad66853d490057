//! The passes of a stream on the scores of a block, which are in registers.

use super::plan::{DEPTH, StreamPlan, WIDTH};
use super::stage::Place;
use super::weights::Weights;
use crate::kernel::evaluate::{evaluate, load_rest, uniform_values};
use crate::kernel::fold::one::fold_units;
use crate::kernel::fold::relative::{base, scale};
use crate::kernel::math::function;
use crate::kernel::math::parts::all;
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use crate::kernel::space::{Space, vector_coordinates};
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::prim::{Fold, Function};

/// How far a score may lie above the base of the exponentials before the base grows: the weights stay below
/// `e^5`, which a half can hold. The idea is that of FlashAttention 4: most blocks then change no base.
const SLACK: f64 = 5.0;

/// What a unit knows about its rows.
#[derive(CubeType)]
pub(super) struct Running<A: Float> {
    /// Of each row the largest score of the unit.
    pub(super) tops: Sequence<RuntimeCell<Vector<A, Const<1>>>>,
    /// Of each row the largest score of all units when the base was chosen. The base is this, or 0 if it is
    /// not finite.
    pub(super) chosen: Sequence<RuntimeCell<Vector<A, Const<1>>>>,
    /// Of each row the unit's part of the sum of exponentials relative to the base.
    pub(super) sums: Sequence<RuntimeCell<Vector<A, Const<1>>>>,
}

#[cube]
pub(super) fn start<A: Float>(#[comptime] rows: usize) -> Running<A> {
    let mut tops = Sequence::<RuntimeCell<Vector<A, Const<1>>>>::new();
    let mut chosen = Sequence::<RuntimeCell<Vector<A, Const<1>>>>::new();
    let mut sums = Sequence::<RuntimeCell<Vector<A, Const<1>>>>::new();
    #[unroll]
    for _ in 0..rows {
        tops.push(RuntimeCell::new(all::<A, Const<1>>(f64::NEG_INFINITY)));
        chosen.push(RuntimeCell::new(all::<A, Const<1>>(f64::NEG_INFINITY)));
        sums.push(RuntimeCell::new(all::<A, Const<1>>(0.0)));
    }
    Running::<A> { tops, chosen, sums }
}

/// The values of a pass at the scores of a block, one row of a unit after the other.
#[cube]
pub(super) fn evaluated<A: Float, I: Int>(
    scores: &Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    statistics: &Sequence<Values<A, I, Const<1>>>,
    first: usize,
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] pass: usize,
    #[comptime] plan: Arc<StreamPlan>,
) -> Sequence<Values<A, I, Const<1>>> {
    let pass = comptime!(plan.passes[pass].clone());
    let last = numbers[Space::VECTORS] - 1usize;
    let mut found = Sequence::<Values<A, I, Const<1>>>::new();
    #[unroll]
    for row in 0..comptime!(plan.unit_rows()) {
        let own = &place.rows.index(row).offsets;
        let statistics = statistics.index(row);
        let steps = Sequence::<usize>::new();
        let uniforms = uniform_values::<A, I, Const<1>>(
            inputs,
            scalars,
            own,
            &steps,
            statistics,
            comptime!(pass.clone()),
        );
        let mut offsets = Sequence::<usize>::new();
        #[unroll]
        for operand in 0..own.len() {
            let of = comptime!(if plan.shared.contains(&operand) { 0 } else { row });
            offsets.push(place.rows.index(of).offsets[operand]);
        }
        #[unroll]
        for i in 0..comptime!(plan.own()) {
            let (at, j) = comptime!((row / 2 * plan.block / WIDTH + i / 2, row % 2 * 2 + i % 2));
            let mut kept = Values::<A, I, Const<1>>::empty();
            #[unroll]
            for score in 0..scores.len() {
                kept.floats.push(scores.index(score).index(at)[j]);
            }
            let column = first + column(place, i);
            let vector =
                vector_coordinates(select(column < last, column, last), numbers, comptime!(plan.space));
            let loaded = load_rest::<A, I, Const<1>>(
                &kept,
                inputs,
                &offsets,
                &vector,
                numbers,
                comptime!(plan.space),
                comptime!(plan.values()),
                comptime!(pass.loads()),
            );
            found.push(evaluate::<A, I, Const<1>, Const<1>>(&uniforms, &loaded, comptime!(pass.clone())));
        }
    }
    found
}

/// The column in a block of the `i`th score that a unit has of a row.
#[cube]
pub(super) fn column(place: &Place, #[comptime] i: usize) -> usize {
    place.lane % 4usize * 2usize + comptime!(i / 2 * WIDTH + i % 2)
}

/// The weights of a block, as left factors. `sums` are rescaled if they were relative to smaller scores.
#[cube]
pub(super) fn weigh<H: Float, A: Float, I: Int>(
    values: &Sequence<Values<A, I, Const<1>>>,
    first: usize,
    running: &Running<A>,
    sums: &mut Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    numbers: &Sequence<usize>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] weights: Weights,
    #[comptime] plan: Arc<StreamPlan>,
) -> Sequence<Sequence<Array<Vector<H, Const<2>>>>> {
    let mut found = Sequence::<Sequence<Array<Vector<H, Const<2>>>>>::new();
    match comptime!(weights.clone()) {
        Weights::Direct { slots, .. } =>
        {
            #[unroll]
            for weight in 0..comptime!(slots.len()) {
                let mut own = Sequence::<RuntimeCell<Vector<A, Const<1>>>>::new();
                #[unroll]
                for at in 0..values.len() {
                    own.push(RuntimeCell::new(values.index(at).floats[comptime!(slots[weight])]));
                }
                leave_out::<A>(&own, first, numbers, place, 0.0, comptime!(plan.clone()));
                found.push(as_left::<H, A>(&own, comptime!(plan.clone())));
            }
        }
        Weights::Relative { .. } => {
            let slot = comptime!(plan.passes[weights.pass()].result_slot(0));
            let own = relative::<A, I>(
                values,
                first,
                running,
                sums,
                numbers,
                floats,
                ints,
                place,
                slot,
                comptime!(plan.clone()),
            );
            found.push(as_left::<H, A>(&own, comptime!(plan.clone())));
        }
    }
    found
}

/// The exponentials of the scores relative to the base of their row.
#[cube]
fn relative<A: Float, I: Int>(
    values: &Sequence<Values<A, I, Const<1>>>,
    first: usize,
    running: &Running<A>,
    sums: &mut Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    numbers: &Sequence<usize>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] slot: usize,
    #[comptime] plan: Arc<StreamPlan>,
) -> Sequence<RuntimeCell<Vector<A, Const<1>>>> {
    let mut found = Sequence::<RuntimeCell<Vector<A, Const<1>>>>::new();
    #[unroll]
    for at in 0..values.len() {
        found.push(RuntimeCell::new(values.index(at).floats[slot]));
    }
    leave_out::<A>(&found, first, numbers, place, f64::NEG_INFINITY, comptime!(plan.clone()));
    let is_above = RuntimeCell::<bool>::new(false.runtime());
    #[unroll]
    for row in 0..comptime!(plan.unit_rows()) {
        let top = running.tops.index(row);
        #[unroll]
        for i in 0..comptime!(plan.own()) {
            top.store(max_nan(top.read(), found.index(comptime!(row * plan.own() + i)).read()));
        }
        let limit = running.chosen.index(row).read() + all::<A, Const<1>>(SLACK);
        let exceeds = top.read().greater_than(&limit).or(Vector::is_nan(top.read()));
        is_above.store(is_above.read() || exceeds.extract(0usize));
    }
    if for_some_unit(is_above.read(), comptime!(plan.plane)) {
        choose_bases::<A, I>(running, sums, floats, ints, place, comptime!(plan.clone()));
    }
    #[unroll]
    for row in 0..comptime!(plan.unit_rows()) {
        let base = base::<A>(running.chosen.index(row).read());
        let total = RuntimeCell::<Vector<A, Const<1>>>::new(running.sums.index(row).read());
        #[unroll]
        for i in 0..comptime!(plan.own()) {
            let cell = found.index(comptime!(row * plan.own() + i));
            let weight = function::<A, Const<1>>(cell.read() - base, Function::Exp);
            total.store(total.read() + weight);
            cell.store(weight);
        }
        running.sums.index(row).store(total.read());
    }
    found
}

/// Whether something holds for a unit of the plane. Units without planes exchange values through shared
/// memory, where all units of the cube must take part: for them it always holds.
#[cube]
fn for_some_unit(holds: bool, #[comptime] plane: usize) -> bool {
    if comptime!(plane < 4) { true.runtime() } else { plane_any(holds) }
}

/// Chooses the largest scores so far as bases, and rescales all sums.
#[cube]
fn choose_bases<A: Float, I: Int>(
    running: &Running<A>,
    sums: &mut Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] plan: Arc<StreamPlan>,
) {
    #[unroll]
    for row in 0..comptime!(plan.unit_rows()) {
        let (team, lane) = (comptime!(plan.team()), place.lane % 4usize);
        let top = running.tops.index(row).read();
        let top = fold_units::<A, I, Const<1>>(top, floats, ints, place.unit, lane, team, Fold::Max);
        let factor = scale::<A>(running.chosen.index(row).read(), base::<A>(top));
        let sum = running.sums.index(row);
        sum.store(sum.read() * factor);
        running.tops.index(row).store(top);
        running.chosen.index(row).store(top);
        rescale::<A>(sums, factor, row, comptime!(plan.heights));
    }
}

/// Replaces the values beyond the last column. Only the last block has such columns.
#[cube]
fn leave_out<A: Float>(
    values: &Sequence<RuntimeCell<Vector<A, Const<1>>>>,
    first: usize,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] by: f64,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let columns = numbers[Space::VECTORS];
    if first + comptime!(plan.block) > columns {
        #[unroll]
        for at in 0..values.len() {
            if first + column(place, comptime!(at % plan.own())) >= columns {
                values.index(at).store(all::<A, Const<1>>(by));
            }
        }
    }
}

/// Multiplies the sums of a row.
#[cube]
fn rescale<A: Float>(
    sums: &mut Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    factor: Vector<A, Const<1>>,
    #[comptime] row: usize,
    #[comptime] heights: usize,
) {
    #[unroll]
    for sum in 0..sums.len() {
        let own = sums.index_mut(sum);
        let blocks = comptime!(own.len() / heights);
        #[unroll]
        for block in 0..blocks {
            let four = own.index_mut(comptime!(row / 2 * blocks + block));
            #[unroll]
            for j in 0..2usize {
                let j = comptime!(row % 2 * 2 + j);
                four[j] *= factor;
            }
        }
    }
}

/// Rounds weights, and puts them where the matrix instruction takes its left factor from.
#[cube]
fn as_left<H: Float, A: Float>(
    weights: &Sequence<RuntimeCell<Vector<A, Const<1>>>>,
    #[comptime] plan: Arc<StreamPlan>,
) -> Sequence<Array<Vector<H, Const<2>>>> {
    let mut left = Sequence::<Array<Vector<H, Const<2>>>>::new();
    let depths = comptime!(plan.block / DEPTH);
    #[unroll]
    for at in 0..comptime!(plan.heights * depths) {
        let mut four = Array::<Vector<H, Const<2>>>::new(4usize);
        #[unroll]
        for i in 0..4usize {
            // The `i / 2`th of the two results of 8 columns that make up this depth.
            let row = comptime!(at / depths * 2 + i % 2);
            let first = comptime!(row * plan.own() + (at % depths * 2 + i / 2) * 2);
            let mut pair = Vector::<A, Const<2>>::empty();
            pair.insert(0usize, weights.index(first).read().extract(0usize));
            pair.insert(1usize, weights.index(comptime!(first + 1)).read().extract(0usize));
            four[i] = Vector::<H, Const<2>>::cast_from(pair);
        }
        left.push(four);
    }
    left
}
