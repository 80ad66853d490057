//! What a unit keeps from step to step, at each of its vectors.

use super::plan::{How, SweepPlan};
use crate::kernel::evaluate::place;
use crate::kernel::fold::combine;
use crate::kernel::math::parts::all;
use crate::kernel::pass::PassPlan;
use crate::kernel::program::Values;
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::ir::Kind;

/// The values, one after the other, each at all vectors of the unit.
#[derive(CubeType)]
pub(super) struct States<A: Float, N: Size> {
    now: Sequence<RuntimeCell<Vector<A, N>>>,
    /// What passes have given at this step, for values that are those of the step before.
    next: Sequence<RuntimeCell<Vector<A, N>>>,
}

/// The values before the first step.
#[cube]
pub(super) fn start_states<A: Float, N: Size>(#[comptime] plan: Arc<SweepPlan>) -> States<A, N> {
    let mut now = Sequence::<RuntimeCell<Vector<A, N>>>::new();
    let mut next = Sequence::<RuntimeCell<Vector<A, N>>>::new();
    #[unroll]
    for i in 0..comptime!(plan.carried.len() * plan.kept) {
        let value = all::<A, N>(comptime!(outside(&plan, i / plan.kept)));
        now.push(RuntimeCell::new(value));
        next.push(RuntimeCell::new(value));
    }
    States::<A, N> { now, next }
}

/// The value before the first step. A scan does not read it.
fn outside(plan: &SweepPlan, carried: usize) -> f64 {
    match plan.carried[carried].how {
        How::Delay(bits) => f64::from_bits(bits),
        How::Fold(_) | How::Linear => 0.0,
    }
}

/// A value at the `j`th vector of the unit.
#[cube]
pub(super) fn state<A: Float, N: Size>(
    states: &States<A, N>,
    #[comptime] carried: usize,
    #[comptime] j: usize,
    #[comptime] plan: Arc<SweepPlan>,
) -> Vector<A, N> {
    states.now.index(comptime!(carried * plan.kept + j)).read()
}

/// Takes what a pass gives at the `j`th vector of the unit. The first step of a scan is the element itself.
#[cube]
pub(super) fn advance<A: Float, I: Int, N: Size>(
    states: &States<A, N>,
    values: &Values<A, I, N>,
    is_first: bool,
    #[comptime] j: usize,
    #[comptime] p: usize,
    #[comptime] plan: Arc<SweepPlan>,
) {
    #[unroll]
    for i in 0..comptime!(plan.carried.len()) {
        if comptime!(plan.carried[i].pass == p) {
            let cell = states.now.index(comptime!(i * plan.kept + j));
            let last = comptime!(plan.carried[i].operands.len() - 1);
            let term = values.floats[comptime!(operand(&plan, i, last))];
            match comptime!(plan.carried[i].how) {
                How::Fold(fold) => {
                    let next = combine::<A, N>(cell.read(), term, fold);
                    cell.store(select(is_first, term, next));
                }
                How::Linear => {
                    let next = values.floats[comptime!(operand(&plan, i, 0))] * cell.read() + term;
                    cell.store(select(is_first, term, next));
                }
                How::Delay(_) => states.next.index(comptime!(i * plan.kept + j)).store(term),
            }
        }
    }
}

/// Ends a step: what it has given is what the next step reads as that of the step before.
#[cube]
pub(super) fn end_step<A: Float, N: Size>(states: &States<A, N>, #[comptime] plan: Arc<SweepPlan>) {
    #[unroll]
    for i in 0..comptime!(plan.carried.len() * plan.kept) {
        if comptime!(matches!(plan.carried[i / plan.kept].how, How::Delay(_))) {
            states.now.index(i).store(states.next.index(i).read());
        }
    }
}

/// The place of what a value takes among the floats of its pass.
fn operand(plan: &SweepPlan, carried: usize, at: usize) -> usize {
    let carried = &plan.carried[carried];
    plan.passes[carried.pass].result_slot(carried.operands[at])
}

/// What a pass reads at the `j`th vector of the unit: from memory, and from the step before.
#[cube]
pub(super) fn with_states<A: Float, I: Int, N: Size>(
    loaded: &Values<A, I, N>,
    fixed: &Values<A, I, N>,
    states: &States<A, N>,
    #[comptime] j: usize,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<SweepPlan>,
) -> Values<A, I, N> {
    let mut values = Values::<A, I, N>::empty();
    #[unroll]
    for i in 0..comptime!(pass.elements.len()) {
        if comptime!(plan.carried_of(pass.elements[i]).is_some()) {
            let carried = comptime!(plan.carried_of(pass.elements[i]).unwrap_or_default());
            values.floats.push(state::<A, N>(states, carried, j, comptime!(plan.clone())));
        } else if comptime!(plan.is_fixed(pass.loads()[i])) {
            let at = comptime!(place(&plan.fixed_loads(), pass.loads()[i]));
            push::<A, I, N>(&mut values, fixed, at, comptime!(pass.loads()[i].1));
        } else {
            let at = comptime!(place(&plan.loads(), pass.loads()[i]));
            push::<A, I, N>(&mut values, loaded, at, comptime!(pass.loads()[i].1));
        }
    }
    values
}

/// Appends a value of a kind.
#[cube]
fn push<A: Float, I: Int, N: Size>(
    values: &mut Values<A, I, N>,
    from: &Values<A, I, N>,
    #[comptime] at: usize,
    #[comptime] kind: Kind,
) {
    match kind {
        Kind::Float => values.floats.push(from.floats[at]),
        Kind::Int => values.ints.push(from.ints[at]),
        Kind::Bool => values.bools.push(from.bools[at]),
    }
}
