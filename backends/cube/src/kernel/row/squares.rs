//! A sum and the squares around the mean. Each unit keeps the mean of the values that it has seen so far, and
//! the sum of squares around that mean.
//!
//! Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances",
//! 1979, for a few vectors at a time. If `k` values have the mean `m` and the sum of squares `s` around it,
//! the sum of squares around another point `h` is `s + k (m - h)^2`. So large numbers are never subtracted
//! from each other.

use super::load::read_ahead;
use super::place::{Place, exists};
use super::plan::RowPlan;
use crate::kernel::evaluate::{evaluate, uniform_values};
use crate::kernel::fold::one::fold_units;
use crate::kernel::math::parts::all;
use crate::kernel::operand::Buffer;
use crate::kernel::program::Values;
use crate::kernel::space::Space;
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_spec::prim::Fold;

/// Runs both folds over the row of each unit, and appends their results to the statistics.
#[cube]
pub(super) fn fold_squares<A: Float, I: Int, N: Size, U: Size>(
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
    let zero = all::<A, N>(0.0);
    let sum = RuntimeCell::<Vector<A, N>>::new(zero);
    let mean = RuntimeCell::<Vector<A, N>>::new(zero);
    let squares = RuntimeCell::<Vector<A, N>>::new(zero);
    // Number of vectors seen so far.
    let seen = RuntimeCell::<A>::new(A::new(0.0));
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
        let total = RuntimeCell::<Vector<A, N>>::new(zero);
        let count = RuntimeCell::<A>::new(A::new(0.0));
        #[unroll]
        for j in 0..comptime!(plan.stream) {
            let all_values = evaluate::<A, I, N, U>(uniforms, loaded.index(j), comptime!(pass.clone()));
            let counts = exists(at + comptime!(j * plan.lanes), numbers, comptime!(plan.full));
            let own = all_values.floats[value];
            values.push(own);
            total.store(total.read() + select(counts, own, zero));
            count.store(count.read() + select(counts, A::new(1.0), A::new(0.0)));
        }
        let center = total.read() * Vector::<A, N>::new(A::new(1.0) / count.read());
        let around = RuntimeCell::<Vector<A, N>>::new(zero);
        #[unroll]
        for j in 0..comptime!(plan.stream) {
            let counts = exists(at + comptime!(j * plan.lanes), numbers, comptime!(plan.full));
            let distance = values[j] - center;
            around.store(around.read() + select(counts, distance * distance, zero));
        }
        let now = seen.read() + count.read();
        let share = count.read() / now;
        let step = center - mean.read();
        let between = Vector::<A, N>::new(seen.read() * share);
        squares.store(squares.read() + around.read() + step * step * between);
        mean.store(mean.read() + step * Vector::<A, N>::new(share));
        sum.store(sum.read() + total.read());
        seen.store(now);
        at += comptime!(plan.lanes * plan.stream);
    }
    let total = fold_units::<A, I, N>(
        sum.read(),
        floats,
        ints,
        place.unit,
        place.lane,
        comptime!(plan.team()),
        Fold::Sum,
    );
    statistics.floats.push(Vector::cast_from(total));
    let second = comptime!(plan.passes[p + 1].clone());
    let steps = Sequence::<usize>::new();
    let uniforms = uniform_values::<A, I, U>(inputs, scalars, offsets, &steps, &*statistics, second);
    let shift = Vector::<A, N>::cast_from(uniforms.floats[comptime!(plan.online_shift())]);
    let distance = mean.read() - shift;
    // A unit that has seen no values adds nothing, whatever the shift is.
    let here = distance * distance * Vector::<A, N>::new(seen.read());
    let own = squares.read() + select(seen.read() == A::new(0.0), zero, here);
    let around =
        fold_units::<A, I, N>(own, floats, ints, place.unit, place.lane, comptime!(plan.team()), Fold::Sum);
    statistics.floats.push(Vector::cast_from(around));
}
