//! The columns of a cube. A unit keeps the columns at its vectors over all rows that it visits. In the end
//! the units of a cube combine their columns.

use super::place::{Place, exists, kept_vector};
use super::plan::RowPlan;
use crate::kernel::fold::{Running, column_value, start, take};
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

/// Combines a column over the rows of a cube, by a tree in shared memory. The first row gets the result.
#[cube]
fn merge_rows<A: Float, I: Int, N: Size>(
    cell: &Running<A, I, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
    #[comptime] column: usize,
) {
    let fold = comptime!(plan.columns[column].0);
    let units = comptime!(plan.lanes * plan.rows);
    let mut step = comptime!(plan.rows / 2).runtime();
    while step > 0usize {
        // From here on the shared memory of the previous column may be overwritten.
        sync_cube();
        let mut own = Values::<A, I, N>::empty();
        column_value::<A, I, N>(cell, &mut own, fold);
        let lanes = N::value().comptime();
        #[unroll]
        for lane in 0..lanes {
            let to = comptime!(lane * units) + place.unit;
            match comptime!(fold.kind) {
                Kind::Float => floats[to] = own.floats[0].extract(lane),
                Kind::Int => ints[to] = own.ints[0].extract(lane),
                Kind::Bool => ints[to] = I::cast_from(own.bools[0].extract(lane)),
            }
        }
        sync_cube();
        let takes = place.row < step;
        let from = select(takes, place.unit + step * comptime!(plan.lanes), place.unit);
        let mut other = Values::<A, I, N>::empty();
        match comptime!(fold.kind) {
            Kind::Float => {
                let mut value = Vector::<A, N>::empty();
                #[unroll]
                for lane in 0..lanes {
                    value.insert(lane, floats[comptime!(lane * units) + from]);
                }
                other.floats.push(value);
            }
            Kind::Int | Kind::Bool => {
                let mut value = Vector::<I, N>::empty();
                #[unroll]
                for lane in 0..lanes {
                    value.insert(lane, ints[comptime!(lane * units) + from]);
                }
                if comptime!(fold.kind == Kind::Int) {
                    other.ints.push(value);
                } else {
                    other.bools.push(!value.equal(&Vector::<I, N>::new(I::new(0))));
                }
            }
        }
        take::<A, I, N>(
            cell,
            &other,
            0usize.runtime(),
            takes,
            false,
            comptime!(vec![fold]),
            comptime!(vec![0]),
        );
        step /= 2usize;
    }
}
