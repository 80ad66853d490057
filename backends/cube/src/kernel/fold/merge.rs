//! Running values of many lanes and units made one.

use super::{FoldPlan, Running, cells_before, combine, combine_ints, start, wins, wins_ints};
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;

/// One value of each fold, from its lanes.
#[cube]
pub(crate) fn merge_lanes<A: Float, I: Int, N: Size>(
    running: &Running<A, I, N>,
    #[comptime] folds: Vec<FoldPlan>,
) -> Running<A, I, Const<1>> {
    let merged = start::<A, I, Const<1>>(comptime!(folds.clone()));
    #[unroll]
    for i in 0..comptime!(folds.len()) {
        let plan = comptime!(folds[i]);
        let float = comptime!(cells_before(&folds, i)[0]);
        let int = comptime!(cells_before(&folds, i)[1]);
        let lanes = N::value().comptime();
        #[unroll]
        for lane in 0..lanes {
            match comptime!((plan.kind, plan.is_arg())) {
                (Kind::Float, false) => {
                    let value = Vector::<A, Const<1>>::new(running.floats.index(float).read().extract(lane));
                    join_float::<A, I>(&merged, value, float, plan);
                }
                (Kind::Int | Kind::Bool, false) => {
                    let value = Vector::<I, Const<1>>::new(running.ints.index(int).read().extract(lane));
                    join_int::<A, I>(&merged, value, int, plan);
                }
                (Kind::Float, true) => {
                    let value = Vector::<A, Const<1>>::new(running.floats.index(float).read().extract(lane));
                    let at = Vector::<I, Const<1>>::new(running.ints.index(int).read().extract(lane));
                    join_arg::<A, I>(&merged, value, at, float, int, plan);
                }
                (Kind::Int | Kind::Bool, true) => {
                    let value = Vector::<I, Const<1>>::new(running.ints.index(int).read().extract(lane));
                    let at = Vector::<I, Const<1>>::new(
                        running.ints.index(comptime!(int + 1)).read().extract(lane),
                    );
                    join_int_arg::<A, I>(&merged, value, at, int, plan);
                }
            }
        }
    }
    merged
}

/// Combines the folds of the units of each row. `unit` is the unit's place, `lane` its number in the row, and a row's units are
/// `distance` apart.
#[cube]
pub(crate) fn merge_units<A: Float, I: Int>(
    running: &Running<A, I, Const<1>>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    unit: usize,
    lane: usize,
    #[comptime] lanes: usize,
    #[comptime] distance: usize,
    #[comptime] units: usize,
    #[comptime] folds: Vec<FoldPlan>,
) {
    let cells = comptime!(cells_before(&folds, folds.len()));
    put::<A, I>(running, floats, ints, unit, units, cells);
    sync_cube();
    let mut step = comptime!(lanes / 2).runtime();
    while step > 0usize {
        if lane < step {
            let other = unit + step * distance;
            #[unroll]
            for i in 0..comptime!(folds.len()) {
                let plan = comptime!(folds[i]);
                let float = comptime!(cells_before(&folds, i)[0]);
                let int = comptime!(cells_before(&folds, i)[1]);
                let f = comptime!(float * units) + other;
                let n = comptime!(int * units) + other;
                let p = comptime!((int + 1) * units) + other;
                match comptime!((plan.kind, plan.is_arg())) {
                    (Kind::Float, false) => {
                        join_float::<A, I>(running, Vector::<A, Const<1>>::new(floats[f]), float, plan);
                    }
                    (Kind::Int | Kind::Bool, false) => {
                        join_int::<A, I>(running, Vector::<I, Const<1>>::new(ints[n]), int, plan);
                    }
                    (Kind::Float, true) => {
                        let value = Vector::<A, Const<1>>::new(floats[f]);
                        let at = Vector::<I, Const<1>>::new(ints[n]);
                        join_arg::<A, I>(running, value, at, float, int, plan);
                    }
                    (Kind::Int | Kind::Bool, true) => {
                        let value = Vector::<I, Const<1>>::new(ints[n]);
                        let at = Vector::<I, Const<1>>::new(ints[p]);
                        join_int_arg::<A, I>(running, value, at, int, plan);
                    }
                }
            }
            put::<A, I>(running, floats, ints, unit, units, cells);
        }
        sync_cube();
        step /= 2usize;
    }
    // All units of a row read what its first unit has.
    let first = unit - lane * distance;
    #[unroll]
    for i in 0..comptime!(cells[0]) {
        running.floats.index(i).store(Vector::<A, Const<1>>::new(floats[comptime!(i * units) + first]));
    }
    #[unroll]
    for i in 0..comptime!(cells[1]) {
        running.ints.index(i).store(Vector::<I, Const<1>>::new(ints[comptime!(i * units) + first]));
    }
    sync_cube();
}

#[cube]
fn put<A: Float, I: Int>(
    running: &Running<A, I, Const<1>>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    unit: usize,
    #[comptime] units: usize,
    #[comptime] cells: [usize; 2],
) {
    #[unroll]
    for i in 0..comptime!(cells[0]) {
        floats[comptime!(i * units) + unit] = running.floats.index(i).read().extract(0usize);
    }
    #[unroll]
    for i in 0..comptime!(cells[1]) {
        ints[comptime!(i * units) + unit] = running.ints.index(i).read().extract(0usize);
    }
}

#[cube]
fn join_float<A: Float, I: Int>(
    into: &Running<A, I, Const<1>>,
    value: Vector<A, Const<1>>,
    #[comptime] at: usize,
    #[comptime] plan: FoldPlan,
) {
    let cell = into.floats.index(at);
    cell.store(combine::<A, Const<1>>(cell.read(), value, comptime!(plan.fold)));
}

#[cube]
fn join_int<A: Float, I: Int>(
    into: &Running<A, I, Const<1>>,
    value: Vector<I, Const<1>>,
    #[comptime] at: usize,
    #[comptime] plan: FoldPlan,
) {
    let cell = into.ints.index(at);
    cell.store(combine_ints::<I, Const<1>>(cell.read(), value, comptime!(plan.fold)));
}

#[cube]
fn join_arg<A: Float, I: Int>(
    into: &Running<A, I, Const<1>>,
    value: Vector<A, Const<1>>,
    place: Vector<I, Const<1>>,
    #[comptime] float: usize,
    #[comptime] int: usize,
    #[comptime] plan: FoldPlan,
) {
    let best = into.floats.index(float);
    let at = into.ints.index(int);
    let wins = wins::<A, I, Const<1>>(best.read(), at.read(), value, place, comptime!(plan.fold));
    best.store(select_many(wins, value, best.read()));
    at.store(select_many(wins, place, at.read()));
}

#[cube]
fn join_int_arg<A: Float, I: Int>(
    into: &Running<A, I, Const<1>>,
    value: Vector<I, Const<1>>,
    place: Vector<I, Const<1>>,
    #[comptime] int: usize,
    #[comptime] plan: FoldPlan,
) {
    let best = into.ints.index(int);
    let at = into.ints.index(comptime!(int + 1));
    let wins = wins_ints::<I, Const<1>>(best.read(), at.read(), value, place, comptime!(plan.fold));
    best.store(select_many(wins, value, best.read()));
    at.store(select_many(wins, place, at.read()));
}
