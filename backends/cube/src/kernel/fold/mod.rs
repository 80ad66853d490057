//! Folds inside a kernel: the running values of a unit, and how lanes and units are combined.
//!
//! A fold of floats keeps a float, a fold of ints or bools keeps an int, and a fold for the index of an
//! extremum keeps a value and an int. If two values are equal, the smaller index wins, whatever the order in
//! which they are combined.

pub(super) mod merge;
pub(super) mod one;
pub(super) mod partial;
pub(super) mod relative;

use super::math::ints::{self, int_arithmetic};
use super::math::parts::all;
use super::program::Values;
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{Arithmetic, Fold};

/// A fold of values of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FoldPlan {
    pub(crate) fold: Fold,
    /// Kind of the values that are folded.
    pub(crate) kind: Kind,
}

/// The running values of several folds, in the order of the folds, in one list for each kind.
#[derive(CubeType, Clone)]
#[expand(derive(Clone))]
pub(crate) struct Running<A: Float, I: Int, N: Size> {
    floats: Sequence<RuntimeCell<Vector<A, N>>>,
    ints: Sequence<RuntimeCell<Vector<I, N>>>,
}

impl FoldPlan {
    /// Kind of the result.
    pub(crate) fn result_kind(self) -> Kind {
        self.fold.result_kind(self.kind)
    }

    fn is_arg(self) -> bool {
        self.fold.finds_position()
    }

    /// The number of floats and ints that the fold keeps.
    fn cells(self) -> [usize; 2] {
        match (self.kind, self.is_arg()) {
            (Kind::Float, false) => [1, 0],
            (Kind::Float, true) => [1, 1],
            (Kind::Int | Kind::Bool, false) => [0, 1],
            (Kind::Int | Kind::Bool, true) => [0, 2],
        }
    }
}

/// The number of floats and ints that all folds before the one with this index keep.
pub(crate) fn cells_before(folds: &[FoldPlan], at: usize) -> [usize; 2] {
    folds[..at].iter().fold([0, 0], |[floats, ints], fold| [floats + fold.cells()[0], ints + fold.cells()[1]])
}

/// The value of a fold of ints over no elements.
pub(crate) fn int_identity(fold: Fold, bits: usize) -> i64 {
    let largest = if bits == 64 { i64::MAX } else { i64::from(i32::MAX) };
    // The conversion saturates: an infinite identity is the largest or smallest int.
    (fold.row().identity as i64).clamp(-largest - 1, largest)
}

/// Starts folds, with their values over no elements.
#[cube]
pub(crate) fn start<A: Float, I: Int, N: Size>(#[comptime] folds: Vec<FoldPlan>) -> Running<A, I, N> {
    let mut floats = Sequence::<RuntimeCell<Vector<A, N>>>::new();
    let mut ints = Sequence::<RuntimeCell<Vector<I, N>>>::new();
    let bits = I::size_bits().comptime();
    #[unroll]
    for i in 0..comptime!(folds.len()) {
        let plan = comptime!(folds[i]);
        match comptime!(plan.kind) {
            Kind::Float => floats.push(RuntimeCell::new(all::<A, N>(comptime!(plan.fold.row().identity)))),
            Kind::Int | Kind::Bool => {
                ints.push(RuntimeCell::new(Vector::<I, N>::new(I::new(comptime!(int_identity(
                    plan.fold, bits
                ))))));
            }
        }
        if comptime!(plan.is_arg()) {
            ints.push(RuntimeCell::new(Vector::<I, N>::new(I::new(comptime!(int_identity(
                Fold::Min,
                bits
            ))))));
        }
    }
    Running::<A, I, N> { floats, ints }
}

/// Folds in the values at a vector. `slots` says where each value is among the values of its kind. The values
/// are ignored unless `counts` is true. If lanes lie `across` rows, `index` is the position of all of them.
#[cube]
pub(crate) fn take<A: Float, I: Int, N: Size>(
    running: &Running<A, I, N>,
    values: &Values<A, I, N>,
    index: usize,
    counts: bool,
    #[comptime] across: bool,
    #[comptime] folds: Vec<FoldPlan>,
    #[comptime] slots: Vec<usize>,
) {
    let bits = I::size_bits().comptime();
    #[unroll]
    for i in 0..comptime!(folds.len()) {
        let plan = comptime!(folds[i]);
        let fold = comptime!(plan.fold);
        let slot = comptime!(slots[i]);
        let float = comptime!(cells_before(&folds, i)[0]);
        let int = comptime!(cells_before(&folds, i)[1]);
        match comptime!((plan.kind, plan.is_arg())) {
            (Kind::Float, false) => {
                let neutral = all::<A, N>(comptime!(fold.row().identity));
                let value = select(counts, values.floats[slot], neutral);
                let cell = running.floats.index(float);
                cell.store(combine::<A, N>(cell.read(), value, fold));
            }
            (Kind::Int, false) => {
                let neutral = Vector::<I, N>::new(I::new(comptime!(int_identity(fold, bits))));
                let value = select(counts, values.ints[slot], neutral);
                let cell = running.ints.index(int);
                cell.store(combine_ints::<I, N>(cell.read(), value, fold));
            }
            (Kind::Bool, _) => {
                let neutral = Vector::<I, N>::new(I::new(comptime!(int_identity(fold, bits))));
                let value = select(counts, Vector::<I, N>::cast_from(values.bools[slot]), neutral);
                let cell = running.ints.index(int);
                cell.store(combine_ints::<I, N>(cell.read(), value, fold));
            }
            (Kind::Float, true) => {
                let value = values.floats[slot];
                let at = indices::<I, N>(index, across);
                let best = running.floats.index(float);
                let place = running.ints.index(int);
                let wins = wins::<A, I, N>(best.read(), place.read(), value, at, fold);
                let wins = wins.vec_and(Vector::<bool, N>::new(counts));
                best.store(select_many(wins, value, best.read()));
                place.store(select_many(wins, at, place.read()));
            }
            (Kind::Int, true) => {
                let value = values.ints[slot];
                let at = indices::<I, N>(index, across);
                let best = running.ints.index(int);
                let place = running.ints.index(comptime!(int + 1));
                let wins = wins_ints::<I, N>(best.read(), place.read(), value, at, fold);
                let wins = wins.vec_and(Vector::<bool, N>::new(counts));
                best.store(select_many(wins, value, best.read()));
                place.store(select_many(wins, at, place.read()));
            }
        }
    }
}

/// The positions of the elements of a vector in its row.
#[cube]
fn indices<I: Int, N: Size>(vector: usize, #[comptime] across: bool) -> Vector<I, N> {
    if across {
        Vector::<I, N>::new(ints::position::<I>(vector))
    } else {
        let mut index = Vector::<I, N>::empty();
        let lanes = index.vector_size();
        #[unroll]
        for lane in 0..lanes {
            index.insert(lane, ints::position::<I>(vector * lanes + lane));
        }
        index
    }
}

/// Appends the results of folds to the statistics.
#[cube]
pub(crate) fn finish<A: Float, I: Int, U: Size>(
    running: &Running<A, I, U>,
    statistics: &mut Values<A, I, U>,
    #[comptime] folds: Vec<FoldPlan>,
) {
    #[unroll]
    for i in 0..comptime!(folds.len()) {
        let plan = comptime!(folds[i]);
        let float = comptime!(cells_before(&folds, i)[0]);
        let int = comptime!(cells_before(&folds, i)[1]);
        match comptime!((plan.kind, plan.is_arg())) {
            (Kind::Float, false) => statistics.floats.push(running.floats.index(float).read()),
            (Kind::Int, false) | (Kind::Float, true) => statistics.ints.push(running.ints.index(int).read()),
            (Kind::Int, true) => statistics.ints.push(running.ints.index(comptime!(int + 1)).read()),
            (Kind::Bool, _) => {
                let zero = Vector::<I, U>::new(I::new(0));
                statistics.bools.push(!running.ints.index(int).read().equal(&zero));
            }
        }
    }
}

/// Appends the running value of a fold to the values of its kind. For columns, which never fold to an index.
#[cube]
pub(crate) fn column_value<A: Float, I: Int, N: Size>(
    running: &Running<A, I, N>,
    values: &mut Values<A, I, N>,
    #[comptime] plan: FoldPlan,
) {
    match comptime!(plan.kind) {
        Kind::Float => values.floats.push(running.floats.index(0usize).read()),
        Kind::Int => values.ints.push(running.ints.index(0usize).read()),
        Kind::Bool => {
            let zero = Vector::<I, N>::new(I::new(0));
            values.bools.push(!running.ints.index(0usize).read().equal(&zero));
        }
    }
}

#[cube]
pub(crate) fn combine<A: Float, N: Size>(
    a: Vector<A, N>,
    b: Vector<A, N>,
    #[comptime] fold: Fold,
) -> Vector<A, N> {
    match fold {
        Fold::Sum | Fold::Any => a + b,
        Fold::Prod | Fold::All => a * b,
        Fold::Max | Fold::ArgMax => max_nan(a, b),
        Fold::Min | Fold::ArgMin => min_nan(a, b),
    }
}

#[cube]
pub(crate) fn combine_ints<I: Int, N: Size>(
    a: Vector<I, N>,
    b: Vector<I, N>,
    #[comptime] fold: Fold,
) -> Vector<I, N> {
    match fold {
        Fold::Sum => a + b,
        Fold::Prod => a * b,
        Fold::Max | Fold::ArgMax | Fold::Any => int_arithmetic::<I, N>(a, b, Arithmetic::Maximum),
        Fold::Min | Fold::ArgMin | Fold::All => int_arithmetic::<I, N>(a, b, Arithmetic::Minimum),
    }
}

/// Whether `b` at `j` wins against `a` at `i`: a NaN is the extremum, and among equal values the first one
/// is.
#[cube]
fn wins<A: Float, I: Int, N: Size>(
    a: Vector<A, N>,
    i: Vector<I, N>,
    b: Vector<A, N>,
    j: Vector<I, N>,
    #[comptime] fold: Fold,
) -> Vector<bool, N> {
    let (a_nan, b_nan) = (Vector::is_nan(a), Vector::is_nan(b));
    let beyond = if comptime!(matches!(fold, Fold::ArgMin)) { b.less_than(&a) } else { b.greater_than(&a) };
    let better = (b_nan.or(beyond)).vec_and(!a_nan);
    let same = a.equal(&b).or(a_nan.vec_and(b_nan));
    better.or(same.vec_and(j.less_than(&i)))
}

#[cube]
fn wins_ints<I: Int, N: Size>(
    a: Vector<I, N>,
    i: Vector<I, N>,
    b: Vector<I, N>,
    j: Vector<I, N>,
    #[comptime] fold: Fold,
) -> Vector<bool, N> {
    let beyond = if comptime!(matches!(fold, Fold::ArgMin)) { b.less_than(&a) } else { b.greater_than(&a) };
    beyond.or(a.equal(&b).vec_and(j.less_than(&i)))
}
