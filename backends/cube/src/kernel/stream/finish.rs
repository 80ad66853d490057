//! The end of a stream kernel: the last statistics, what is stored once per row, and the finished sums.

use super::plan::StreamPlan;
use super::stage::Place;
use super::weigh::Running;
use super::weights::{RowFactor, Weights};
use crate::kernel::evaluate::{store_row, uniform_values};
use crate::kernel::fold::one::fold_units;
use crate::kernel::fold::relative::base;
use crate::kernel::math::{arithmetic, function};
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::prim::{Arithmetic, Fold, Function};

/// Finishes sums of relative weights: appends the maximum of each row and the sum of exponentials to the
/// statistics, and makes the weights those of the formula.
#[cube]
pub(super) fn finish_relative<A: Float, I: Int>(
    running: &Running<A>,
    statistics: &mut Sequence<Values<A, I, Const<1>>>,
    sums: &mut Sequence<Sequence<Array<Vector<A, Const<1>>>>>,
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] weights: Weights,
    #[comptime] plan: Arc<StreamPlan>,
) {
    match comptime!(weights) {
        Weights::Direct { .. } => {}
        Weights::Relative { online, last } =>
        {
            #[unroll]
            for row in 0..comptime!(plan.unit_rows()) {
                let offsets = &place.rows.index(row).offsets;
                let steps = Sequence::<usize>::new();
                let own = statistics.index_mut(row);
                let (team, lane) = (comptime!(plan.team()), place.lane % 4usize);
                let top = running.tops.index(row).read();
                let top = fold_units::<A, I, Const<1>>(top, floats, ints, place.unit, lane, team, Fold::Max);
                own.floats.push(top);
                let total = running.sums.index(row).read();
                let total =
                    fold_units::<A, I, Const<1>>(total, floats, ints, place.unit, lane, team, Fold::Sum);
                let second = comptime!(plan.passes[online.pass + 1].clone());
                let uniforms =
                    uniform_values::<A, I, Const<1>>(inputs, scalars, offsets, &steps, &*own, second);
                let base = base::<A>(running.chosen.index(row).read());
                let difference = base - uniforms.floats[comptime!(online.shift)];
                let factor = function::<A, Const<1>>(difference, Function::Exp);
                own.floats.push(total * factor);
                let last = comptime!(plan.passes[last].clone());
                let uniforms =
                    uniform_values::<A, I, Const<1>>(inputs, scalars, offsets, &steps, &*own, last);
                #[unroll]
                for sum in 0..comptime!(plan.sums.len()) {
                    let factors = comptime!(plan.sums[sum].weight.factors.clone());
                    let heights = comptime!(plan.heights);
                    apply::<A, I>(sums.index_mut(sum), factor, &uniforms, row, heights, factors);
                }
            }
        }
    }
}

/// Multiplies and divides the sums of a row by values of the row.
#[cube]
fn apply<A: Float, I: Int>(
    sums: &mut Sequence<Array<Vector<A, Const<1>>>>,
    factor: Vector<A, Const<1>>,
    uniforms: &Values<A, I, Const<1>>,
    #[comptime] row: usize,
    #[comptime] heights: usize,
    #[comptime] factors: Vec<RowFactor>,
) {
    #[unroll]
    for block in 0..comptime!(sums.len() / heights) {
        let four = sums.index_mut(comptime!(row / 2 * (sums.len() / heights) + block));
        #[unroll]
        for j in 0..2usize {
            let j = comptime!(row % 2 * 2 + j);
            let value = RuntimeCell::<Vector<A, Const<1>>>::new(four[j] * factor);
            #[unroll]
            for i in 0..comptime!(factors.len()) {
                match comptime!(factors[i]) {
                    RowFactor::Multiply(slot) => value.store(value.read() * uniforms.floats[slot]),
                    RowFactor::Divide(slot) => value.store(arithmetic::<A, Const<1>>(
                        value.read(),
                        uniforms.floats[slot],
                        Arithmetic::Div,
                    )),
                }
            }
            four[j] = value.read();
        }
    }
}

/// Stores what the passes give once for each row.
#[cube]
pub(super) fn store_rows<A: Float, I: Int>(
    statistics: &Sequence<Values<A, I, Const<1>>>,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    place: &Place,
    #[comptime] plan: Arc<StreamPlan>,
) {
    #[unroll]
    for i in 0..comptime!(plan.unit_rows()) {
        let row = place.rows.index(i);
        #[unroll]
        for pass in 0..comptime!(plan.per_row().len()) {
            let pass = comptime!(plan.per_row()[pass].clone());
            let own = statistics.index(i);
            let steps = Sequence::<usize>::new();
            let uniforms = uniform_values::<A, I, Const<1>>(
                inputs,
                scalars,
                &row.offsets,
                &steps,
                own,
                comptime!(pass.clone()),
            );
            if row.is_own && place.lane % 4usize == 0usize {
                store_row::<A, I, Const<1>>(outputs, &uniforms, &row.offsets, &steps, pass);
            }
        }
    }
}

/// Stores the rows of a finished sum.
#[cube]
pub(super) fn store_sum<A: Float>(
    sums: &Sequence<Array<Vector<A, Const<1>>>>,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] sum: usize,
    #[comptime] plan: Arc<StreamPlan>,
) {
    let own = comptime!(plan.sums[sum].clone());
    let len = numbers[comptime!(plan.parts[own.columns].numbers)];
    let step = numbers[comptime!(own.step)];
    #[unroll]
    for at in 0..comptime!(plan.unit_rows()) {
        let row = place.rows.index(at);
        let blocks = comptime!(sums.len() / plan.heights);
        #[unroll]
        for i in 0..comptime!(blocks * 2) {
            let free = place.lane % 4usize * 2usize + comptime!(i / 2 * 8 + i % 2);
            if row.is_own && free < len {
                let to = row.offsets[comptime!(own.out.operand)] + free * step;
                let value = sums.index(comptime!(at / 2 * blocks + i / 2))[comptime!(at % 2 * 2 + i % 2)];
                let output = outputs.index_mut(comptime!(own.out.output));
                output.store::<A, Const<1>>(to, 0usize.runtime(), value);
            }
        }
    }
}
