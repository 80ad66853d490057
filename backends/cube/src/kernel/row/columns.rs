//! The columns of a cube. A unit keeps the columns at its vectors over all rows that it visits. In the end
//! the units of a cube combine their columns.

use super::place::{Place, exists, kept_vector};
use super::plan::RowPlan;
use crate::kernel::fold::merge::merge_units;
use crate::kernel::fold::{Running, column_value, start};
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use crate::kernel::space::{Space, lane_step, vector_coordinates, vector_offset};
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::ir::Kind;

/// The running columns of a unit: for each column, one value for each vector that the unit keeps.
#[derive(CubeType)]
pub(super) struct Columns<A: Float, I: Int, N: Size> {
    pub(super) running: Sequence<Running<A, I, N>>,
}

#[cube]
pub(super) fn start_columns<A: Float, I: Int, N: Size>(#[comptime] plan: Arc<RowPlan>) -> Columns<A, I, N> {
    let mut running = Sequence::<Running<A, I, N>>::new();
    #[unroll]
    for i in 0..comptime!(plan.columns.len() * plan.kept) {
        running.push(start::<A, I, N>(comptime!(vec![plan.columns[i / plan.kept].0])));
    }
    Columns::<A, I, N> { running }
}

/// Where a vector of a column is, and the step from lane to lane.
#[cube]
fn column_place(
    at: usize,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] operand: usize,
) -> (usize, usize) {
    let vector = vector_coordinates(at, numbers, space);
    let first = numbers[comptime!(space.start(operand))];
    (first + vector_offset(&vector, numbers, space, operand), lane_step(numbers, space, operand))
}

/// Writes the columns of a cube.
#[cube]
pub(super) fn store_columns<A: Float, I: Int, N: Size>(
    outputs: &mut Sequence<Buffer>,
    columns: &Columns<A, I, N>,
    numbers: &Sequence<usize>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
) {
    let vectors = numbers[Space::VECTORS];
    #[unroll]
    for i in 0..comptime!(plan.columns.len() * plan.kept) {
        let column = comptime!(i / plan.kept);
        let fold = comptime!(plan.columns[column].0);
        let output = comptime!(plan.columns[column].1);
        let cell = columns.running.index(i);
        if comptime!(plan.rows > 1) {
            merge_rows::<A, I, N>(cell, floats, ints, place, comptime!(plan.clone()), column);
        }
        let at = kept_vector(place, comptime!(i % plan.kept), comptime!(plan.clone()));
        let mut values = Values::<A, I, N>::empty();
        column_value::<A, I, N>(cell, &mut values, fold);
        if place.row == 0usize && exists(at, numbers, comptime!(plan.full)) {
            let (to, step) = if comptime!(plan.has_partials) {
                (CUBE_POS_Y as usize * vectors + at, 0usize.runtime())
            } else {
                column_place(at, numbers, comptime!(plan.space), comptime!(plan.column_operand(column)))
            };
            match comptime!(fold.kind) {
                Kind::Float => outputs.index_mut(output).store::<A, N>(to, step, values.floats[0]),
                Kind::Int => outputs.index_mut(output).store::<I, N>(to, step, values.ints[0]),
                Kind::Bool => outputs.index_mut(output).store::<bool, N>(to, step, values.bools[0]),
            }
        }
    }
}

/// Combines a column over the rows of a cube.
#[cube]
fn merge_rows<A: Float, I: Int, N: Size>(
    cell: &Running<A, I, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
    #[comptime] column: usize,
) {
    let folds = comptime!(vec![plan.columns[column].0]);
    merge_units::<A, I, N>(cell, floats, ints, place.unit, place.row, comptime!(plan.column_team()), folds);
}
