//! A maximum and the sum of exponentials below it. The sum is kept relative to the largest value so far, and
//! it is rescaled when that value grows.
//!
//! Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, arXiv:1805.02867. Here there is
//! one exponential per element, and one more per few vectors, whose lanes share a largest value. The value
//! that the second pass subtracts, usually the maximum itself, is known only afterwards. So in the end the
//! sum is multiplied by `exp(max - shift)`.

use super::load::read_ahead;
use super::place::{Place, exists};
use super::plan::RowPlan;
use crate::kernel::evaluate::{evaluate, uniform_values};
use crate::kernel::fold::one::{fold_lanes, fold_units};
use crate::kernel::fold::relative::{base, scale};
use crate::kernel::math::function;
use crate::kernel::math::parts::all;
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use crate::kernel::space::Space;
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::prim::{Fold, Function};

/// Runs both folds over the row of each unit, and appends their results to the statistics.
#[cube]
pub(super) fn fold_exponentials<A: Float, I: Int, N: Size, U: Size>(
    inputs: &Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, U>,
    offsets: &Sequence<usize>,
    statistics: &mut Values<A, I, U>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] p: usize,
    #[comptime] plan: Arc<RowPlan>,
) {
    let pass = comptime!(plan.passes[p].clone());
    let value = comptime!(pass.result_slot(0));
    let top = RuntimeCell::<Vector<A, Const<1>>>::new(all::<A, Const<1>>(f64::NEG_INFINITY));
    let sum = RuntimeCell::<Vector<A, N>>::new(all::<A, N>(0.0));
    let mut at = place.lane;
    while at < numbers[Space::VECTORS] {
        let loaded = read_ahead::<A, I, N>(
            at,
            inputs,
            numbers,
            offsets,
            comptime!(pass.clone()),
            comptime!(plan.clone()),
        );
        let mut values = Sequence::<Vector<A, N>>::new();
        let largest = RuntimeCell::<Vector<A, N>>::new(Vector::cast_from(top.read()));
        #[unroll]
        for j in 0..comptime!(plan.stream) {
            let all_values = evaluate::<A, I, N, U>(uniforms, loaded.index(j), comptime!(pass.clone()));
            let counts = exists(at + comptime!(j * plan.lanes), numbers, comptime!(plan.full));
            let own = select(counts, all_values.floats[value], all::<A, N>(f64::NEG_INFINITY));
            values.push(own);
            largest.store(max_nan(largest.read(), own));
        }
        let largest = fold_lanes::<A, I, N>(largest.read(), Fold::Max);
        let base = base::<A>(largest);
        let mut total = sum.read() * Vector::cast_from(scale::<A>(top.read(), base));
        let base = Vector::<A, N>::cast_from(base);
        #[unroll]
        for j in 0..comptime!(plan.stream) {
            total += function::<A, N>(values[j] - base, Function::Exp);
        }
        sum.store(total);
        top.store(largest);
        at += comptime!(plan.lanes * plan.stream);
    }
    // First the largest value of the row, then all sums relative to it.
    let largest = fold_units::<A, I, Const<1>>(
        top.read(),
        floats,
        ints,
        place.unit,
        place.lane,
        comptime!(plan.team()),
        Fold::Max,
    );
    statistics.floats.push(Vector::cast_from(largest));
    let base = base::<A>(largest);
    let relative = sum.read() * Vector::cast_from(scale::<A>(top.read(), base));
    let total = fold_units::<A, I, N>(
        relative,
        floats,
        ints,
        place.unit,
        place.lane,
        comptime!(plan.team()),
        Fold::Sum,
    );
    let second = comptime!(plan.passes[p + 1].clone());
    let steps = Sequence::<usize>::new();
    let uniforms = uniform_values::<A, I, U>(inputs, scalars, offsets, &steps, &*statistics, second);
    let shift = Vector::<A, Const<1>>::cast_from(uniforms.floats[comptime!(plan.online_shift())]);
    let sum = total * function::<A, Const<1>>(base - shift, Function::Exp);
    statistics.floats.push(Vector::cast_from(sum));
}
