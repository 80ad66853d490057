//! What a unit loads: the vectors that it keeps, and the vectors that it reads next.

use super::place::{Place, Row, clamped, kept_vector};
use super::plan::RowPlan;
use crate::kernel::evaluate::load_all;
use crate::kernel::operand::Buffer;
use crate::kernel::pass::PassPlan;
use crate::kernel::program::Values;
use crate::kernel::space::vector_coordinates;
use cubecl::prelude::*;
use std::sync::Arc;

/// Loads what several passes read, at the vectors that a unit keeps.
#[cube]
pub(super) fn keep<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    numbers: &Sequence<usize>,
    row: &Row,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
) -> Sequence<Values<A, I, N>> {
    let space = comptime!(plan.space);
    let mut kept = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let at = kept_vector(place, j, comptime!(plan.clone()));
        let vector = vector_coordinates(clamped(at, numbers, comptime!(plan.full)), numbers, space);
        kept.push(load_all::<A, I, N>(
            inputs,
            &row.offsets,
            &vector,
            numbers,
            space,
            comptime!(plan.kept_loads()),
        ));
    }
    kept
}

/// Loads what a pass reads at the next few vectors of a unit, all at once.
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
