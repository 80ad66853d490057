//! The kernel: the walk of a unit along the axis of the scans.

use super::plan::SweepPlan;
use super::points::{Points, find_points, offsets_at};
use super::state::{States, advance, end_step, start_states, state, with_states};
use crate::kernel::evaluate::{evaluate, load_all, store_elements, store_row, uniform_values};
use crate::kernel::fold::merge::{merge_lanes, merge_units};
use crate::kernel::fold::{Running, finish, start, take};
use crate::kernel::known::Known;
use crate::kernel::operand::Buffer;
use crate::kernel::pass::Element;
use crate::kernel::program::Values;
use crate::kernel::space::{Space, lane_step, vector_offset};
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::ir::Kind;

/// Walks along the outermost axis.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sweep_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Known<SweepPlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let plan = comptime!(plan.plan());
    let points = find_points(numbers, comptime!(plan.clone()));
    let shared = comptime!(plan.shared());
    let mut floats = Shared::<[A]>::new_slice(comptime!(shared[0]));
    let mut ints = Shared::<[I]>::new_slice(comptime!(shared[1]));
    let states = start_states::<A, N>(comptime!(plan.clone()));
    let fixed = load_vectors::<A, I, N>(
        inputs,
        &points,
        &points.offsets,
        numbers,
        comptime!(plan.fixed_loads()),
        comptime!(plan.clone()),
    );
    let mut first = 0usize.runtime();
    while first < numbers[Space::OUTERMOST] {
        let ahead = read_ahead::<A, I, N>(first, inputs, scalars, numbers, &points, comptime!(plan.clone()));
        #[unroll]
        for i in 0..comptime!(plan.ahead) {
            one_step::<A, I, N>(
                first + i,
                inputs,
                outputs,
                scalars,
                numbers,
                ahead.index(i),
                &fixed,
                &states,
                &mut floats,
                &mut ints,
                &points,
                comptime!(plan.clone()),
            );
        }
        first += comptime!(plan.ahead);
    }
}

/// What a unit has read for a step.
#[derive(CubeType)]
struct ReadStep<A: Float, I: Int, N: Size> {
    offsets: Sequence<usize>,
    /// The elements at each vector.
    loaded: Sequence<Values<A, I, N>>,
    /// The uniforms of the first pass, if it is evaluated at each element.
    uniforms: Values<A, I, Const<1>>,
}

/// Reads the elements of a few steps, all at once.
#[cube]
fn read_ahead<A: Float, I: Int, N: Size>(
    first: usize,
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    points: &Points,
    #[comptime] plan: Arc<SweepPlan>,
) -> Sequence<ReadStep<A, I, N>> {
    let mut read = Sequence::<ReadStep<A, I, N>>::new();
    #[unroll]
    for i in 0..comptime!(plan.ahead) {
        let offsets = offsets_at(first + i, points, numbers, comptime!(plan.clone()));
        let (loads, own) = comptime!((plan.loads(), plan.clone()));
        let loaded = load_vectors::<A, I, N>(inputs, points, &offsets, numbers, loads, own);
        let uniforms = if comptime!(plan.reads_uniforms_ahead()) {
            let (none, steps) = (Values::<A, I, Const<1>>::empty(), Sequence::<usize>::new());
            let pass = comptime!(plan.passes[0].clone());
            uniform_values::<A, I, Const<1>>(inputs, scalars, &offsets, &steps, &none, pass)
        } else {
            Values::<A, I, Const<1>>::empty()
        };
        read.push(ReadStep::<A, I, N> { offsets, loaded, uniforms });
    }
    read
}

/// Loads elements at each vector of the unit.
#[cube]
fn load_vectors<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    points: &Points,
    offsets: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] loads: Vec<(Element, Kind)>,
    #[comptime] plan: Arc<SweepPlan>,
) -> Sequence<Values<A, I, N>> {
    let mut loaded = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let (space, loads) = comptime!((plan.space, loads.clone()));
        loaded.push(load_all::<A, I, N>(inputs, offsets, points.vectors.index(j), numbers, space, loads));
    }
    loaded
}

/// Runs the passes of a step. All units of a cube take part, so that they can wait for each other.
#[cube]
fn one_step<A: Float, I: Int, N: Size>(
    step: usize,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    read: &ReadStep<A, I, N>,
    fixed: &Sequence<Values<A, I, N>>,
    states: &States<A, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    points: &Points,
    #[comptime] plan: Arc<SweepPlan>,
) {
    let steps = Sequence::<usize>::new();
    let mut statistics = Values::<A, I, Const<1>>::empty();
    #[unroll]
    for p in 0..comptime!(plan.passes.len()) {
        let pass = comptime!(plan.passes[p].clone());
        let uniforms = if comptime!(p == 0 && plan.reads_uniforms_ahead()) {
            read.uniforms.clone()
        } else {
            let own = comptime!(pass.clone());
            uniform_values::<A, I, Const<1>>(inputs, scalars, &read.offsets, &steps, &statistics, own)
        };
        if comptime!(pass.per_row) {
            if points.is_own && points.lane == 0usize {
                store_row::<A, I, Const<1>>(outputs, &uniforms, &read.offsets, &steps, pass);
            }
        } else {
            let folds = comptime!(pass.folds());
            let running = start::<A, I, N>(comptime!(folds.clone()));
            #[unroll]
            for j in 0..comptime!(plan.kept) {
                let own = comptime!(plan.clone());
                visit::<A, I, N>(
                    step, outputs, numbers, &uniforms, read, fixed, states, &running, points, j, p, own,
                );
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

/// Runs a pass at the `j`th vector of the unit: what goes to the next step, stores and folds.
#[cube]
fn visit<A: Float, I: Int, N: Size>(
    step: usize,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, Const<1>>,
    read: &ReadStep<A, I, N>,
    fixed: &Sequence<Values<A, I, N>>,
    states: &States<A, N>,
    running: &Running<A, I, N>,
    points: &Points,
    #[comptime] j: usize,
    #[comptime] p: usize,
    #[comptime] plan: Arc<SweepPlan>,
) {
    let (pass, space) = comptime!((plan.passes[p].clone(), plan.space));
    let (loaded, fixed) = (read.loaded.index(j), fixed.index(j));
    let (own, all) = comptime!((pass.clone(), plan.clone()));
    let read_here = with_states::<A, I, N>(loaded, fixed, states, j, own, all);
    let values = evaluate::<A, I, N, Const<1>>(uniforms, &read_here, comptime!(pass.clone()));
    advance::<A, I, N>(states, &values, step == 0usize, j, p, comptime!(plan.clone()));
    let (vector, exists) = (points.vectors.index(j), points.exist[j]);
    if exists && points.is_own {
        let own = comptime!(pass.clone());
        store_elements::<A, I, N>(outputs, &values, &read.offsets, vector, numbers, space, own);
        let is_last = step + 1 == numbers[Space::OUTERMOST];
        store_states::<A, N>(outputs, states, is_last, &read.offsets, vector, numbers, j, p, plan);
    }
    let (folds, slots) = comptime!((pass.folds(), pass.fold_slots()));
    take::<A, I, N>(running, &values, 0usize.runtime(), exists, false, folds, slots);
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
