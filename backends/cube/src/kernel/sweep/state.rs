//! The states of a unit: for each scan one at each of its vectors.

use super::plan::SweepPlan;
use crate::kernel::evaluate::place;
use crate::kernel::fold::combine;
use crate::kernel::pass::PassPlan;
use crate::kernel::program::Values;
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::ir::Kind;

/// The states, scan by scan.
#[derive(CubeType)]
pub(super) struct States<A: Float, N: Size> {
    cells: Sequence<RuntimeCell<Vector<A, N>>>,
}

/// States that no step has filled.
#[cube]
pub(super) fn start_states<A: Float, N: Size>(#[comptime] plan: Arc<SweepPlan>) -> States<A, N> {
    let mut cells = Sequence::<RuntimeCell<Vector<A, N>>>::new();
    #[unroll]
    for _ in 0..comptime!(plan.states.len() * plan.kept) {
        cells.push(RuntimeCell::new(Vector::<A, N>::new(A::from_int(0))));
    }
    States::<A, N> { cells }
}

/// The state of a scan at the `j`th vector of the unit.
#[cube]
pub(super) fn state<A: Float, N: Size>(
    states: &States<A, N>,
    #[comptime] scan: usize,
    #[comptime] j: usize,
    #[comptime] plan: Arc<SweepPlan>,
) -> Vector<A, N> {
    states.cells.index(comptime!(scan * plan.kept + j)).read()
}

/// The next step of the scans that take what this pass gives, at the `j`th vector of the unit. The first step
/// is the element itself.
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
    for scan in 0..comptime!(plan.states.len()) {
        if comptime!(plan.states[scan].pass == p) {
            let cell = states.cells.index(comptime!(scan * plan.kept + j));
            let before = cell.read();
            let term = values.floats[comptime!(operand(&plan, scan, plan.states[scan].operands.len() - 1))];
            let next = match comptime!(plan.states[scan].fold) {
                Some(fold) => combine::<A, N>(before, term, fold),
                None => values.floats[comptime!(operand(&plan, scan, 0))] * before + term,
            };
            cell.store(select(is_first, term, next));
        }
    }
}

/// The place of what a scan takes among the floats of its pass.
fn operand(plan: &SweepPlan, scan: usize, at: usize) -> usize {
    let state = &plan.states[scan];
    plan.passes[state.pass].result_slot(state.operands[at])
}

/// What a pass reads at the `j`th vector of the unit: elements, and states.
#[cube]
pub(super) fn with_states<A: Float, I: Int, N: Size>(
    loaded: &Values<A, I, N>,
    states: &States<A, N>,
    #[comptime] j: usize,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<SweepPlan>,
) -> Values<A, I, N> {
    let mut values = Values::<A, I, N>::empty();
    #[unroll]
    for i in 0..comptime!(pass.elements.len()) {
        if comptime!(plan.state_of(pass.elements[i]).is_some()) {
            let scan = comptime!(plan.state_of(pass.elements[i]).unwrap_or_default());
            values.floats.push(state::<A, N>(states, scan, j, comptime!(plan.clone())));
        } else {
            let at = comptime!(place(&plan.loads(), pass.loads()[i]));
            match comptime!(pass.loads()[i].1) {
                Kind::Float => values.floats.push(loaded.floats[at]),
                Kind::Int => values.ints.push(loaded.ints[at]),
                Kind::Bool => values.bools.push(loaded.bools[at]),
            }
        }
    }
    values
}
