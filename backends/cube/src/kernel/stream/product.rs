//! Products of a team: its rows times a block in shared memory.
//!
//! A team of 32 units has 16 rows, or a multiple. Registers are those of the instruction `mma.m16n8k16` (PTX
//! ISA, "Matrix Fragments for mma.m16n8k16"): of 16 rows, unit `u` has the rows `u / 4` and `u / 4 + 8`, and
//! of each 8 columns of a result the columns `2 (u % 4)` and the next one. Each of these 16 x 8 results has
//! four registers of a unit, and they are in a list: first those of the first 16 rows.

use super::plan::{DEPTH, HEIGHT, Part, StreamPlan, WIDTH};
use super::stage::Place;
use cubecl::cmma::{MatrixIdent, MmaDefinition};
use cubecl::prelude::*;
use std::sync::Arc;

/// Sums of products, all zero: four registers for each 16 rows and 8 columns.
#[cube]
pub(super) fn zeros<A: Float>(
    #[comptime] columns: usize,
    #[comptime] heights: usize,
) -> Sequence<Array<Vector<A, Const<1>>>> {
    let mut sums = Sequence::<Array<Vector<A, Const<1>>>>::new();
    #[unroll]
    for _ in 0..comptime!(heights * columns / WIDTH) {
        let mut four = Array::<Vector<A, Const<1>>>::new(4usize);
        #[unroll]
        for i in 0..4usize {
            four[i] = Vector::new(A::new(0.0));
        }
        sums.push(four);
    }
    sums
}

/// Adds the product of the rows of a team and a block of columns. It has a result for each column.
#[cube]
pub(super) fn multiply_rows<H: Float, A: Float, V: Size>(
    stage: &Shared<[Vector<H, V>]>,
    sums: &mut Sequence<Array<Vector<A, Const<1>>>>,
    place: &Place,
    #[comptime] rows: Part,
    #[comptime] columns: Part,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let width = V::value().comptime();
    let stride = comptime!(rows.stride(width));
    let heights = comptime!(plan.heights);
    let team = comptime!(rows.stage) + place.team * comptime!(plan.heights * HEIGHT * stride);
    if comptime!(plan.has_matrices) {
        let first = team + place.lane % 16usize * stride + place.lane / 16usize;
        let instruction = MmaDefinition::<H, H, A>::new(16usize, 8usize, 16usize);
        #[unroll]
        for depth in 0..comptime!(rows.size / DEPTH) {
            let mut left = Sequence::<Array<Vector<H, Const<2>>>>::new();
            #[unroll]
            for height in 0..heights {
                let at = first + comptime!(height * HEIGHT * stride + depth * 2);
                left.push(instruction.load_matrix::<Vector<H, V>, Const<2>>(
                    &stage[at..at + 1usize],
                    MatrixIdent::A,
                    4usize,
                    false,
                ));
            }
            add_matrices::<H, A, V>(&left, stage, sums, place, 0usize, depth, false, columns, heights);
        }
    } else {
        let first = team + place.lane / 4usize * stride;
        let size = comptime!(rows.size);
        add_elements::<H, A, V>(first, stage, sums, place, stride, size, false, columns, heights);
    }
}

/// Adds the product of weights and a block of columns, which it sums.
#[cube]
pub(super) fn multiply_weights<H: Float, A: Float, V: Size>(
    weights: &Sequence<Array<Vector<H, Const<2>>>>,
    stage: &mut Shared<[Vector<H, V>]>,
    sums: &mut Sequence<Array<Vector<A, Const<1>>>>,
    place: &Place,
    #[comptime] columns: Part,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let heights = comptime!(plan.heights);
    if comptime!(plan.has_matrices) {
        #[unroll]
        for depth in 0..comptime!(weights.len() / heights) {
            add_matrices::<H, A, V>(weights, &*stage, sums, place, depth, depth, true, columns, heights);
        }
    } else {
        let block = comptime!(plan.block);
        let width = V::value().comptime();
        let first =
            comptime!(plan.weights_stage(width)) + place.team * comptime!(plan.heights * HEIGHT * plan.block);
        spill::<H, V>(weights, stage, first, place, block, heights);
        sync_cube();
        let row = first + place.lane / 4usize * block;
        add_elements::<H, A, V>(row, &*stage, sums, place, block, block, true, columns, heights);
        sync_cube();
    }
}

/// Adds products of one depth: those of 16 columns of left factors. Of each 16 rows, the left factor is in
/// the same place in its part of the list, which is `at`.
#[cube]
fn add_matrices<H: Float, A: Float, V: Size>(
    left: &Sequence<Array<Vector<H, Const<2>>>>,
    stage: &Shared<[Vector<H, V>]>,
    sums: &mut Sequence<Array<Vector<A, Const<1>>>>,
    place: &Place,
    #[comptime] at: usize,
    #[comptime] depth: usize,
    #[comptime] sums_columns: bool,
    #[comptime] part: Part,
    #[comptime] heights: usize,
) {
    let instruction = MmaDefinition::<H, H, A>::new(16usize, 8usize, 16usize);
    let width = V::value().comptime();
    let stride = comptime!(part.stride(width));
    // Units pass the starts of the rows of four matrices of 8 x 8.
    let (row, matrix) = (place.lane % 8usize, place.lane / 8usize);
    let (low, high) = (matrix % 2usize, matrix / 2usize);
    let start = comptime!(part.stage)
        + if sums_columns {
            (low * 8usize + row) * stride + high
        } else {
            (high * 8usize + row) * stride + low
        };
    let (blocks, depths) = comptime!((sums.len() / heights, left.len() / heights));
    #[unroll]
    for pair in 0..comptime!(blocks / 2) {
        let along = comptime!(if sums_columns {
            depth * DEPTH * stride + pair * 2
        } else {
            pair * 2 * WIDTH * stride + depth * 2
        });
        let from = start + along;
        let four = instruction.load_matrix::<Vector<H, V>, Const<2>>(
            &stage[from..from + 1usize],
            MatrixIdent::B,
            4usize,
            sums_columns,
        );
        #[unroll]
        for half in 0..2usize {
            let mut right = Array::<Vector<H, Const<2>>>::new(2usize);
            right[0] = four[comptime!(half * 2)];
            right[1] = four[comptime!(half * 2 + 1)];
            #[unroll]
            for height in 0..heights {
                let own = left.index(comptime!(height * depths + at));
                let sum = sums.index_mut(comptime!(height * blocks + pair * 2 + half));
                instruction.execute_inplace(own, &right, sum);
            }
        }
    }
}

/// Writes weights to shared memory, where the whole team can read them.
#[cube]
fn spill<H: Float, V: Size>(
    weights: &Sequence<Array<Vector<H, Const<2>>>>,
    stage: &mut Shared<[Vector<H, V>]>,
    first: usize,
    place: &Place,
    #[comptime] block: usize,
    #[comptime] heights: usize,
) {
    let depths = comptime!(weights.len() / heights);
    #[unroll]
    for at in 0..weights.len() {
        #[unroll]
        for i in 0..4usize {
            let row = place.lane / 4usize + comptime!(at / depths * HEIGHT + i % 2 * 8);
            let column = comptime!(at % depths * DEPTH + i / 2 * 8) + place.lane % 4usize * 2usize;
            #[unroll]
            for j in 0..2usize {
                stage[first + row * block + column + j] = Vector::new(weights.index(at)[i].extract(j));
            }
        }
    }
}

/// Adds products without matrix instructions. The rows of the left factor start at `first`.
#[cube]
fn add_elements<H: Float, A: Float, V: Size>(
    first: usize,
    stage: &Shared<[Vector<H, V>]>,
    sums: &mut Sequence<Array<Vector<A, Const<1>>>>,
    place: &Place,
    #[comptime] left_stride: usize,
    #[comptime] size: usize,
    #[comptime] sums_columns: bool,
    #[comptime] part: Part,
    #[comptime] heights: usize,
) {
    let stride = comptime!(part.stride(1));
    let blocks = comptime!(sums.len() / heights);
    for k in 0..size.runtime() {
        #[unroll]
        for row in 0..comptime!(heights * 2) {
            let left = stage[first + comptime!(row * 8 * left_stride) + k].extract(0usize);
            let left = Vector::<A, Const<1>>::new(A::cast_from(left));
            #[unroll]
            for i in 0..comptime!(blocks * 2) {
                let column = comptime!(i / 2 * WIDTH + i % 2) + place.lane % 4usize * 2usize;
                let at = comptime!(part.stage)
                    + if sums_columns { k * stride + column } else { column * stride + k };
                let right = Vector::<A, Const<1>>::new(A::cast_from(stage[at].extract(0usize)));
                let four = sums.index_mut(comptime!(row / 2 * blocks + i / 2));
                four[comptime!(row % 2 * 2 + i % 2)] += left * right;
            }
        }
    }
}
