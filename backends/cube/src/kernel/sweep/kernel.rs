//! The kernel: the walk of a unit along the axis of the scans.

use super::plan::SweepPlan;
use super::state::{States, advance, end_step, start_states, state, with_states};
use crate::kernel::evaluate::{evaluate, load_all, store_elements, store_row, uniform_values};
use crate::kernel::fold::merge::{merge_lanes, merge_units};
use crate::kernel::fold::{finish, start, take};
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use crate::kernel::space::{Space, lane_step, row_coordinates, row_offsets, vector_coordinates, vector_offset};
use cubecl::prelude::*;
use std::sync::Arc;

/// The points of a unit.
#[derive(CubeType)]
struct Points {
    unit: usize,
    /// Number of the unit among the units of its row.
    lane: usize,
    /// Whether the row is the unit's own. A unit without a row works on the last row, but stores nothing.
    is_own: bool,
    /// The start of the row in each operand, at the first element of the axis.
    offsets: Sequence<usize>,
    /// The vectors, and whether they exist. The last vector stands in for one that does not.
    vectors: Sequence<Sequence<usize>>,
    exist: Sequence<bool>,
}

/// Walks along the outermost axis.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sweep_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<SweepPlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let points = find_points(numbers, comptime!(plan.clone()));
    let shared = comptime!(plan.shared());
    let mut floats = Shared::<[A]>::new_slice(comptime!(shared[0]));
    let mut ints = Shared::<[I]>::new_slice(comptime!(shared[1]));
    let states = start_states::<A, N>(comptime!(plan.clone()));
    let none = Values::<A, I, Const<1>>::empty();
    let mut fixed = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let (space, loads) = comptime!((plan.space, plan.fixed_loads()));
        fixed.push(load_all::<A, I, N>(
            inputs,
            &points.offsets,
            points.vectors.index(j),
            numbers,
            space,
            loads,
        ));
    }
    let mut first = 0usize.runtime();
    while first < numbers[Space::OUTERMOST] {
        let mut loaded = Sequence::<Values<A, I, N>>::new();
        let mut uniforms = Sequence::<Values<A, I, Const<1>>>::new();
        #[unroll]
        for ahead in 0..comptime!(plan.ahead) {
            let offsets = offsets_at(first + ahead, &points, numbers, comptime!(plan.clone()));
            #[unroll]
            for j in 0..comptime!(plan.kept) {
                let (space, loads) = comptime!((plan.space, plan.loads()));
                let vector = points.vectors.index(j);
                loaded.push(load_all::<A, I, N>(inputs, &offsets, vector, numbers, space, loads));
            }
            if comptime!(plan.reads_uniforms_ahead()) {
                let pass = comptime!(plan.passes[0].clone());
                let steps = Sequence::<usize>::new();
                uniforms.push(uniform_values::<A, I, Const<1>>(inputs, scalars, &offsets, &steps, &none, pass));
            }
        }
        #[unroll]
        for ahead in 0..comptime!(plan.ahead) {
            one_step::<A, I, N>(
                first + ahead,
                inputs,
                outputs,
                scalars,
                numbers,
                &loaded,
                &fixed,
                &uniforms,
                &states,
                &mut floats,
                &mut ints,
                &points,
                ahead,
                comptime!(plan.clone()),
            );
        }
        first += comptime!(plan.ahead);
    }
}

/// Runs the passes of a step. All units of a cube take part, so that they can wait for each other.
#[cube]
fn one_step<A: Float, I: Int, N: Size>(
    step: usize,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    loaded: &Sequence<Values<A, I, N>>,
    fixed: &Sequence<Values<A, I, N>>,
    first_uniforms: &Sequence<Values<A, I, Const<1>>>,
    states: &States<A, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    points: &Points,
    #[comptime] ahead: usize,
    #[comptime] plan: Arc<SweepPlan>,
) {
    let space = comptime!(plan.space);
    let offsets = offsets_at(step, points, numbers, comptime!(plan.clone()));
    let steps = Sequence::<usize>::new();
    let mut statistics = Values::<A, I, Const<1>>::empty();
    #[unroll]
    for p in 0..comptime!(plan.passes.len()) {
        let pass = comptime!(plan.passes[p].clone());
        let uniforms = if comptime!(p == 0 && plan.reads_uniforms_ahead()) {
            first_uniforms.index(ahead).clone()
        } else {
            uniform_values::<A, I, Const<1>>(
                inputs,
                scalars,
                &offsets,
                &steps,
                &statistics,
                comptime!(pass.clone()),
            )
        };
        if comptime!(pass.per_row) {
            if points.is_own && points.lane == 0usize {
                store_row::<A, I, Const<1>>(outputs, &uniforms, &offsets, &steps, pass);
            }
        } else {
            let folds = comptime!(pass.folds());
            let running = start::<A, I, N>(comptime!(folds.clone()));
            #[unroll]
            for j in 0..comptime!(plan.kept) {
                let read = with_states::<A, I, N>(
                    loaded.index(comptime!(ahead * plan.kept + j)),
                    fixed.index(j),
                    states,
                    j,
                    comptime!(pass.clone()),
                    comptime!(plan.clone()),
                );
                let values = evaluate::<A, I, N, Const<1>>(&uniforms, &read, comptime!(pass.clone()));
                advance::<A, I, N>(states, &values, step == 0usize, j, p, comptime!(plan.clone()));
                let vector = points.vectors.index(j);
                let exists = points.exist[j];
                if exists && points.is_own {
                    store_elements::<A, I, N>(
                        outputs,
                        &values,
                        &offsets,
                        vector,
                        numbers,
                        space,
                        comptime!(pass.clone()),
                    );
                    store_states::<A, N>(
                        outputs,
                        states,
                        step + 1 == numbers[Space::OUTERMOST],
                        &offsets,
                        vector,
                        numbers,
                        j,
                        p,
                        comptime!(plan.clone()),
                    );
                }
                let slots = comptime!(pass.fold_slots());
                let at = 0usize.runtime();
                take::<A, I, N>(&running, &values, at, exists, false, comptime!(folds.clone()), slots);
            }
            if comptime!(!folds.is_empty()) {
                let merged = merge_lanes::<A, I, N>(&running, comptime!(folds.clone()));
                let (team, all) = comptime!((plan.team(), folds.clone()));
                merge_units::<A, I, Const<1>>(&merged, floats, ints, points.unit, points.lane, team, all);
                finish::<A, I, Const<1>>(&merged, &mut statistics, folds);
            }
        }
    }
    end_step::<A, N>(states, plan);
}

/// Stores the states that follow from what this pass gives, where somebody reads them.
#[cube]
fn store_states<A: Float, N: Size>(
    outputs: &mut Sequence<Buffer>,
    states: &States<A, N>,
    is_last: bool,
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] j: usize,
    #[comptime] p: usize,
    #[comptime] plan: Arc<SweepPlan>,
) {
    let space = comptime!(plan.space);
    #[unroll]
    for i in 0..comptime!(plan.carried.len()) {
        if comptime!(plan.carried[i].pass == p && plan.carried[i].out.is_some()) {
            let output = comptime!(plan.carried[i].out.map_or(0, |out| out.output));
            let operand = comptime!(plan.carried[i].out.map_or(0, |out| out.operand));
            let to = offsets[operand] + vector_offset(vector, numbers, space, operand);
            let value = state::<A, N>(states, i, j, comptime!(plan.clone()));
            if comptime!(!plan.carried[i].is_last) || is_last {
                outputs.index_mut(output).store::<A, N>(to, lane_step(numbers, space, operand), value);
            }
        }
    }
}

/// Which points a unit has. The axis of the steps is the outermost one, so the first rows are those of its
/// first element.
#[cube]
fn find_points(numbers: &Sequence<usize>, #[comptime] plan: Arc<SweepPlan>) -> Points {
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
fn offsets_at(
    step: usize,
    points: &Points,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<SweepPlan>,
) -> Sequence<usize> {
    let place = if comptime!(plan.reverse) { numbers[Space::OUTERMOST] - 1 - step } else { step };
    let mut offsets = Sequence::<usize>::new();
    #[unroll]
    for operand in 0..comptime!(plan.space.operands) {
        offsets.push(points.offsets[operand] + place * numbers[comptime!(plan.space.outermost_step(operand))]);
    }
    offsets
}
