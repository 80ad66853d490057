//! Merges the running values of many lanes and units into one.

use super::{FoldPlan, Running, cells_before, combine, combine_ints, start, wins, wins_ints};
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;

/// Merges the lanes of each fold into one value.
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
                    join_float::<A, I, Const<1>>(&merged, value, float, plan);
                }
                (Kind::Int | Kind::Bool, false) => {
                    let value = Vector::<I, Const<1>>::new(running.ints.index(int).read().extract(lane));
                    join_int::<A, I, Const<1>>(&merged, value, int, plan);
                }
                (Kind::Float, true) => {
                    let value = Vector::<A, Const<1>>::new(running.floats.index(float).read().extract(lane));
                    let at = Vector::<I, Const<1>>::new(running.ints.index(int).read().extract(lane));
                    join_arg::<A, I, Const<1>>(&merged, value, at, float, int, plan);
                }
                (Kind::Int | Kind::Bool, true) => {
                    let value = Vector::<I, Const<1>>::new(running.ints.index(int).read().extract(lane));
                    let at = Vector::<I, Const<1>>::new(
                        running.ints.index(comptime!(int + 1)).read().extract(lane),
                    );
                    join_int_arg::<A, I, Const<1>>(&merged, value, at, int, plan);
                }
            }
        }
    }
    merged
}

/// The same running values in vectors of another size: of one lane in all lanes, or of as many lanes.
#[cube]
pub(crate) fn resize<A: Float, I: Int, N: Size, M: Size>(
    running: &Running<A, I, N>,
    #[comptime] folds: Vec<FoldPlan>,
) -> Running<A, I, M> {
    let cells = comptime!(cells_before(&folds, folds.len()));
    let resized = start::<A, I, M>(folds);
    #[unroll]
    for i in 0..comptime!(cells[0]) {
        resized.floats.index(i).store(Vector::cast_from(running.floats.index(i).read()));
    }
    #[unroll]
    for i in 0..comptime!(cells[1]) {
        resized.ints.index(i).store(Vector::cast_from(running.ints.index(i).read()));
    }
    resized
}

/// How the units of a row are arranged in a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Team {
    /// Units that share a row: a power of two.
    pub(crate) lanes: usize,
    /// The distance between two neighbouring units of a row.
    pub(crate) distance: usize,
    /// Units of the cube.
    pub(crate) units: usize,
    /// Units of a plane that can exchange values without shared memory. It is 1 if the device or the layout
    /// does not allow this.
    pub(crate) plane: usize,
}

impl Team {
    /// The number of units of a row that can be merged without shared memory.
    fn in_plane(self) -> usize {
        let all = self.lanes.min(self.plane);
        // In the second step, a single plane must be able to read one value from each plane of the row.
        if self.lanes / all <= self.plane { all } else { 1 }
    }

    /// The number of values that a row puts into shared memory.
    fn shares(self) -> usize {
        self.lanes / self.in_plane()
    }

    /// The number of places in shared memory that one cell needs for all rows, or for one lane of them.
    pub(crate) fn places(self) -> usize {
        if self.shares() == 1 { 0 } else { self.units / self.in_plane() }
    }
}

/// Combines the folds of the units of each row, or of each `U` rows that are lanes. All units of the row get
/// the result. `unit` is the unit's place in the cube, `lane` its number in the row.
#[cube]
pub(crate) fn merge_units<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    unit: usize,
    lane: usize,
    #[comptime] team: Team,
    #[comptime] folds: Vec<FoldPlan>,
) {
    merge_plane::<A, I, U>(running, comptime!(team.in_plane()), comptime!(folds.clone()));
    if comptime!(team.shares() > 1) {
        if comptime!(team.in_plane() > 1) {
            merge_planes::<A, I, U>(running, floats, ints, unit, lane, team, folds);
        } else {
            merge_tree::<A, I, U>(running, floats, ints, unit, lane, team, folds);
        }
    }
}

/// A butterfly over groups of neighbouring units: in each step a unit combines its values with those of the
/// unit whose number differs in one bit.
#[cube]
fn merge_plane<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    #[comptime] size: usize,
    #[comptime] folds: Vec<FoldPlan>,
) {
    #[unroll]
    for bit in 0..comptime!(size.trailing_zeros()) {
        let mask = comptime!(1u32 << bit).runtime();
        let other = start::<A, I, U>(comptime!(folds.clone()));
        let cells = comptime!(cells_before(&folds, folds.len()));
        #[unroll]
        for i in 0..comptime!(cells[0]) {
            let own = running.floats.index(i).read();
            let mut value = Vector::<A, U>::empty();
            #[unroll]
            for lane in 0..value.vector_size() {
                value.insert(lane, plane_shuffle_xor(own.extract(lane), mask));
            }
            other.floats.index(i).store(value);
        }
        #[unroll]
        for i in 0..comptime!(cells[1]) {
            let own = running.ints.index(i).read();
            let mut value = Vector::<I, U>::empty();
            #[unroll]
            for lane in 0..value.vector_size() {
                value.insert(lane, plane_shuffle_xor(own.extract(lane), mask));
            }
            other.ints.index(i).store(value);
        }
        join::<A, I, U>(running, &other, comptime!(folds.clone()));
    }
}

/// Combines the values of the planes of a row, through shared memory. Each plane reads the values of all
/// planes of its row.
#[cube]
fn merge_planes<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    unit: usize,
    lane: usize,
    #[comptime] team: Team,
    #[comptime] folds: Vec<FoldPlan>,
) {
    let cells = comptime!(cells_before(&folds, folds.len()));
    let places = comptime!(team.places());
    let plane = comptime!(team.in_plane());
    let shares = comptime!(team.shares());
    if lane % plane == 0usize {
        put::<A, I, U>(running, floats, ints, unit / plane, places, cells);
    }
    sync_cube();
    let first = (unit - lane) / plane;
    get::<A, I, U>(running, &*floats, &*ints, first + lane % shares, places, cells);
    merge_plane::<A, I, U>(running, shares, folds);
    // From here on the values that were read may be overwritten.
    sync_cube();
}

/// Combines the values of the units of a row by a tree in shared memory.
#[cube]
fn merge_tree<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    unit: usize,
    lane: usize,
    #[comptime] team: Team,
    #[comptime] folds: Vec<FoldPlan>,
) {
    let cells = comptime!(cells_before(&folds, folds.len()));
    let distance = comptime!(team.distance);
    let places = comptime!(team.places());
    put::<A, I, U>(running, floats, ints, unit, places, cells);
    sync_cube();
    let mut step = comptime!(team.lanes / 2).runtime();
    while step > 0usize {
        if lane < step {
            let other = start::<A, I, U>(comptime!(folds.clone()));
            get::<A, I, U>(&other, &*floats, &*ints, unit + step * distance, places, cells);
            join::<A, I, U>(running, &other, comptime!(folds.clone()));
            put::<A, I, U>(running, floats, ints, unit, places, cells);
        }
        sync_cube();
        step /= 2usize;
    }
    // All units of a row read the result from its first unit.
    get::<A, I, U>(running, &*floats, &*ints, unit - lane * distance, places, cells);
    sync_cube();
}

#[cube]
fn put<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: usize,
    #[comptime] places: usize,
    #[comptime] cells: [usize; 2],
) {
    let rows = U::value().comptime();
    #[unroll]
    for i in 0..comptime!(cells[0]) {
        let value = running.floats.index(i).read();
        #[unroll]
        for lane in 0..value.vector_size() {
            floats[(comptime!(i * rows) + lane) * places + place] = value.extract(lane);
        }
    }
    #[unroll]
    for i in 0..comptime!(cells[1]) {
        let value = running.ints.index(i).read();
        #[unroll]
        for lane in 0..value.vector_size() {
            ints[(comptime!(i * rows) + lane) * places + place] = value.extract(lane);
        }
    }
}

#[cube]
fn get<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    floats: &Shared<[A]>,
    ints: &Shared<[I]>,
    place: usize,
    #[comptime] places: usize,
    #[comptime] cells: [usize; 2],
) {
    let rows = U::value().comptime();
    #[unroll]
    for i in 0..comptime!(cells[0]) {
        let mut value = Vector::<A, U>::empty();
        #[unroll]
        for lane in 0..value.vector_size() {
            value.insert(lane, floats[(comptime!(i * rows) + lane) * places + place]);
        }
        running.floats.index(i).store(value);
    }
    #[unroll]
    for i in 0..comptime!(cells[1]) {
        let mut value = Vector::<I, U>::empty();
        #[unroll]
        for lane in 0..value.vector_size() {
            value.insert(lane, ints[(comptime!(i * rows) + lane) * places + place]);
        }
        running.ints.index(i).store(value);
    }
}

/// Combines the folds of another unit into these.
#[cube]
fn join<A: Float, I: Int, U: Size>(
    into: &Running<A, I, U>,
    from: &Running<A, I, U>,
    #[comptime] folds: Vec<FoldPlan>,
) {
    #[unroll]
    for i in 0..comptime!(folds.len()) {
        let plan = comptime!(folds[i]);
        let float = comptime!(cells_before(&folds, i)[0]);
        let int = comptime!(cells_before(&folds, i)[1]);
        match comptime!((plan.kind, plan.is_arg())) {
            (Kind::Float, false) => {
                join_float::<A, I, U>(into, from.floats.index(float).read(), float, plan);
            }
            (Kind::Int | Kind::Bool, false) => {
                join_int::<A, I, U>(into, from.ints.index(int).read(), int, plan);
            }
            (Kind::Float, true) => {
                let at = from.ints.index(int).read();
                join_arg::<A, I, U>(into, from.floats.index(float).read(), at, float, int, plan);
            }
            (Kind::Int | Kind::Bool, true) => {
                let at = from.ints.index(comptime!(int + 1)).read();
                join_int_arg::<A, I, U>(into, from.ints.index(int).read(), at, int, plan);
            }
        }
    }
}

#[cube]
fn join_float<A: Float, I: Int, U: Size>(
    into: &Running<A, I, U>,
    value: Vector<A, U>,
    #[comptime] at: usize,
    #[comptime] plan: FoldPlan,
) {
    let cell = into.floats.index(at);
    cell.store(combine::<A, U>(cell.read(), value, comptime!(plan.fold)));
}

#[cube]
fn join_int<A: Float, I: Int, U: Size>(
    into: &Running<A, I, U>,
    value: Vector<I, U>,
    #[comptime] at: usize,
    #[comptime] plan: FoldPlan,
) {
    let cell = into.ints.index(at);
    cell.store(combine_ints::<I, U>(cell.read(), value, comptime!(plan.fold)));
}

#[cube]
fn join_arg<A: Float, I: Int, U: Size>(
    into: &Running<A, I, U>,
    value: Vector<A, U>,
    place: Vector<I, U>,
    #[comptime] float: usize,
    #[comptime] int: usize,
    #[comptime] plan: FoldPlan,
) {
    let best = into.floats.index(float);
    let at = into.ints.index(int);
    let wins = wins::<A, I, U>(best.read(), at.read(), value, place, comptime!(plan.fold));
    best.store(select_many(wins, value, best.read()));
    at.store(select_many(wins, place, at.read()));
}

#[cube]
fn join_int_arg<A: Float, I: Int, U: Size>(
    into: &Running<A, I, U>,
    value: Vector<I, U>,
    place: Vector<I, U>,
    #[comptime] int: usize,
    #[comptime] plan: FoldPlan,
) {
    let best = into.ints.index(int);
    let at = into.ints.index(comptime!(int + 1));
    let wins = wins_ints::<I, U>(best.read(), at.read(), value, place, comptime!(plan.fold));
    best.store(select_many(wins, value, best.read()));
    at.store(select_many(wins, place, at.read()));
}
