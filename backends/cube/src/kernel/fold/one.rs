//! A single fold of floats: over the lanes of a vector, or over the units of a row.

use super::merge::{Team, merge_lanes, merge_units};
use super::{FoldPlan, Running, finish, start, take};
use crate::kernel::program::Values;
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// Folds one value per unit over all units of a row. `unit` is the unit's place in the cube, `lane` its
/// number in the row.
#[cube]
pub(crate) fn fold_units<A: Float, I: Int, N: Size>(
    value: Vector<A, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    unit: usize,
    lane: usize,
    #[comptime] team: Team,
    #[comptime] fold: Fold,
) -> Vector<A, Const<1>> {
    let merged = merged_lanes::<A, I, N>(value, fold);
    merge_units::<A, I, Const<1>>(&merged, floats, ints, unit, lane, team, comptime!(one(fold)));
    finished::<A, I>(&merged, fold)
}

/// Folds the lanes of a value.
#[cube]
pub(crate) fn fold_lanes<A: Float, I: Int, N: Size>(
    value: Vector<A, N>,
    #[comptime] fold: Fold,
) -> Vector<A, Const<1>> {
    let merged = merged_lanes::<A, I, N>(value, fold);
    finished::<A, I>(&merged, fold)
}

#[cube]
fn merged_lanes<A: Float, I: Int, N: Size>(
    value: Vector<A, N>,
    #[comptime] fold: Fold,
) -> Running<A, I, Const<1>> {
    let folds = comptime!(one(fold));
    let running = start::<A, I, N>(comptime!(folds.clone()));
    let mut values = Values::<A, I, N>::empty();
    values.floats.push(value);
    take::<A, I, N>(
        &running,
        &values,
        0usize.runtime(),
        true.runtime(),
        false,
        comptime!(folds.clone()),
        comptime!(vec![0]),
    );
    merge_lanes::<A, I, N>(&running, folds)
}

#[cube]
fn finished<A: Float, I: Int>(
    merged: &Running<A, I, Const<1>>,
    #[comptime] fold: Fold,
) -> Vector<A, Const<1>> {
    let mut found = Values::<A, I, Const<1>>::empty();
    finish::<A, I, Const<1>>(merged, &mut found, comptime!(one(fold)));
    found.floats[0]
}

/// A fold of floats.
fn one(fold: Fold) -> Vec<FoldPlan> {
    vec![FoldPlan { fold, kind: Kind::Float }]
}
