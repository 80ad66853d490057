//! Folds of the rows of a band, which lie side by side: each has accumulators for all of these rows.

use crate::block::fold::{Fold as Folds, LANES};
use crate::block::{column, sides};
use crate::kernel::real::Real;
use crate::program::buffer::{Buffer, Recycled};
use std::ops::Range;
use tensor_op_spec::prim::Fold;

/// An element that folds, whose accumulators are in buffers of the thread.
pub(super) trait Number: Folds<Wide: Recycled> + Recycled {}

impl<T: Folds<Wide: Recycled> + Recycled> Number for T {}

/// The state of a fold.
pub(super) enum Folding<E: Number> {
    Float(Numbers<E>),
    Int(Numbers<i64>),
    All(Vec<bool>),
    Any(Vec<bool>),
}

/// The state of a fold of numbers.
pub(super) enum Numbers<T: Number> {
    Sum(SideLanes<T, T::Wide>),
    Prod(SideLanes<T::Wide, T::Wide>),
    Max(SideLanes<T, T>),
    Min(SideLanes<T, T>),
    ArgMax(Bests<T>),
    ArgMin(Bests<T>),
}

/// Accumulators of the last elements of each row, and one of all elements before them. As in a fold along a
/// row, an element belongs to the lane of its position, and the lanes are joined after each block of a row.
pub(super) struct SideLanes<L: Recycled, W: Recycled> {
    /// A matrix with a column per row.
    lanes: Buffer<L>,
    start: L,
    whole: Buffer<W>,
}

/// The best element of each row so far, and its position.
pub(super) struct Bests<T> {
    values: Vec<T>,
    indices: Vec<i64>,
    is_empty: bool,
}

impl<E: Real> Folding<E> {
    /// A fold over no floats yet. The size is the length of a row, and the number of rows.
    pub(super) fn floats(fold: Fold, size: [usize; 2]) -> Folding<E> {
        Numbers::start(fold, size).map_or_else(|any| Folding::flags(any, size), Folding::Float)
    }

    /// A fold over no ints yet.
    pub(super) fn ints(fold: Fold, size: [usize; 2]) -> Folding<E> {
        Numbers::start(fold, size).map_or_else(|any| Folding::flags(any, size), Folding::Int)
    }

    /// A fold over no bools yet: `any` if the fold is that, `all` otherwise.
    pub(super) fn bools(fold: Fold, size: [usize; 2]) -> Folding<E> {
        Folding::flags(fold == Fold::Any, size)
    }

    fn flags(any: bool, [_, rows]: [usize; 2]) -> Folding<E> {
        if any { Folding::Any(vec![false; rows]) } else { Folding::All(vec![true; rows]) }
    }

    /// Takes the floats at these positions of all rows.
    pub(super) fn add_floats(&mut self, values: &[E], positions: Range<usize>) {
        if let Folding::Float(numbers) = self {
            numbers.add(values, positions);
        }
    }

    /// Takes the ints at these positions of all rows.
    pub(super) fn add_ints(&mut self, values: &[i64], positions: Range<usize>) {
        if let Folding::Int(numbers) = self {
            numbers.add(values, positions);
        }
    }

    /// Takes the bools of more positions of all rows.
    pub(super) fn add_bools(&mut self, values: &[bool]) {
        match self {
            Folding::All(flags) => column::all(flags, values),
            Folding::Any(flags) => column::any(flags, values),
            Folding::Float(_) | Folding::Int(_) => {}
        }
    }

    /// Ends a block of positions.
    pub(super) fn join(&mut self) {
        match self {
            Folding::Float(numbers) => numbers.join(),
            Folding::Int(numbers) => numbers.join(),
            Folding::All(_) | Folding::Any(_) => {}
        }
    }

    /// Gives the lanes back to this thread. No elements can be added after that.
    pub(super) fn end(&mut self) {
        match self {
            Folding::Float(numbers) => numbers.end(),
            Folding::Int(numbers) => numbers.end(),
            Folding::All(_) | Folding::Any(_) => {}
        }
    }

    /// Combines this with the fold of later positions.
    pub(super) fn merge(mut self, later: Folding<E>) -> Folding<E> {
        match (&mut self, later) {
            (Folding::Float(a), Folding::Float(b)) => a.merge(b),
            (Folding::Int(a), Folding::Int(b)) => a.merge(b),
            (Folding::All(a), Folding::All(b)) => column::all(a, &b),
            (Folding::Any(a), Folding::Any(b)) => column::any(a, &b),
            (Folding::Float(_) | Folding::Int(_) | Folding::All(_) | Folding::Any(_), _) => {
                unreachable!("all positions are folded alike")
            }
        }
        self
    }

    /// Writes the result of each row to the list of its kind.
    pub(super) fn finish(&self, floats: &mut [E], ints: &mut [i64], bools: &mut [bool]) {
        match self {
            Folding::Float(numbers) => numbers.finish(floats, ints),
            Folding::Int(numbers) => match numbers {
                Numbers::ArgMax(best) | Numbers::ArgMin(best) => ints.copy_from_slice(&best.indices),
                Numbers::Sum(_) | Numbers::Prod(_) | Numbers::Max(_) | Numbers::Min(_) => {
                    numbers.finish(ints, &mut []);
                }
            },
            Folding::All(flags) | Folding::Any(flags) => bools.copy_from_slice(flags),
        }
    }
}

impl<T: Number> Numbers<T> {
    /// A fold over no elements. For folds of bools, an `Err` that says whether the fold is `any`.
    fn start(fold: Fold, size: [usize; 2]) -> Result<Numbers<T>, bool> {
        match fold {
            Fold::Sum => Ok(Numbers::Sum(SideLanes::new(T::narrow(T::ZERO), T::ZERO, size))),
            Fold::Prod => Ok(Numbers::Prod(SideLanes::new(T::ONE, T::ONE, size))),
            Fold::Max => Ok(Numbers::Max(SideLanes::new(T::LOWEST, T::LOWEST, size))),
            Fold::Min => Ok(Numbers::Min(SideLanes::new(T::HIGHEST, T::HIGHEST, size))),
            Fold::ArgMax => Ok(Numbers::ArgMax(Bests::new(T::LOWEST, size[1]))),
            Fold::ArgMin => Ok(Numbers::ArgMin(Bests::new(T::HIGHEST, size[1]))),
            Fold::Any => Err(true),
            Fold::All => Err(false),
        }
    }

    fn add(&mut self, values: &[T], positions: Range<usize>) {
        match self {
            Numbers::Sum(lanes) => lanes.add(values, positions, sides::sum),
            Numbers::Prod(lanes) => lanes.add(values, positions, sides::prod::<T>),
            Numbers::Max(lanes) => lanes.add(values, positions, sides::max),
            Numbers::Min(lanes) => lanes.add(values, positions, sides::min),
            Numbers::ArgMax(best) => {
                best.add(values, positions, |b, at, row, n| column::argmax(b, at, row, n))
            }
            Numbers::ArgMin(best) => {
                best.add(values, positions, |b, at, row, n| column::argmin(b, at, row, n))
            }
        }
    }

    /// Ends a block of positions: joins its lanes.
    fn join(&mut self) {
        match self {
            Numbers::Sum(lanes) => lanes.join(sides::sum, |sum, lane| T::add_wide(sum, lane.widen())),
            Numbers::Prod(lanes) => lanes.join(multiply::<T>, T::mul_wide),
            Numbers::Max(lanes) => lanes.join(sides::max, |max, lane| lane.maximum(max)),
            Numbers::Min(lanes) => lanes.join(sides::min, |min, lane| lane.minimum(min)),
            Numbers::ArgMax(_) | Numbers::ArgMin(_) => {}
        }
    }

    /// Gives the lanes back to this thread.
    fn end(&mut self) {
        match self {
            Numbers::Sum(lanes) => lanes.lanes = Buffer::new(0),
            Numbers::Prod(lanes) => lanes.lanes = Buffer::new(0),
            Numbers::Max(lanes) | Numbers::Min(lanes) => lanes.lanes = Buffer::new(0),
            Numbers::ArgMax(_) | Numbers::ArgMin(_) => {}
        }
    }

    /// Combines this with the fold of later positions.
    fn merge(&mut self, later: Numbers<T>) {
        match (self, later) {
            (Numbers::Sum(a), Numbers::Sum(b)) => a.merge(b, T::add_wide),
            (Numbers::Prod(a), Numbers::Prod(b)) => a.merge(b, T::mul_wide),
            (Numbers::Max(a), Numbers::Max(b)) => a.merge(b, T::maximum),
            (Numbers::Min(a), Numbers::Min(b)) => a.merge(b, T::minimum),
            (Numbers::ArgMax(a), Numbers::ArgMax(b)) => a.merge(&b, T::is_above),
            (Numbers::ArgMin(a), Numbers::ArgMin(b)) => a.merge(&b, T::is_below),
            (
                Numbers::Sum(_)
                | Numbers::Prod(_)
                | Numbers::Max(_)
                | Numbers::Min(_)
                | Numbers::ArgMax(_)
                | Numbers::ArgMin(_),
                _,
            ) => unreachable!("all positions are folded alike"),
        }
    }

    /// Writes the result of each row: a value, or a position.
    fn finish(&self, values: &mut [T], positions: &mut [i64]) {
        match self {
            Numbers::Sum(SideLanes { whole, .. }) | Numbers::Prod(SideLanes { whole, .. }) => {
                values.iter_mut().zip(&**whole).for_each(|(to, whole)| *to = T::narrow(*whole));
            }
            Numbers::Max(lanes) | Numbers::Min(lanes) => values.copy_from_slice(&lanes.whole),
            Numbers::ArgMax(best) | Numbers::ArgMin(best) => positions.copy_from_slice(&best.indices),
        }
    }
}

/// A buffer with one value.
fn filled<T: Recycled>(value: T, len: usize) -> Buffer<T> {
    let mut buffer = Buffer::new(len);
    buffer.fill(value);
    buffer
}

fn multiply<T: Folds>(lanes: &mut [T::Wide], others: &[T::Wide]) {
    lanes.iter_mut().zip(others).for_each(|(lane, other)| *lane = T::mul_wide(*lane, *other));
}

impl<L: Recycled, W: Recycled> SideLanes<L, W> {
    fn new(start: L, whole: W, [positions, rows]: [usize; 2]) -> SideLanes<L, W> {
        SideLanes { lanes: filled(start, positions.min(LANES) * rows), start, whole: filled(whole, rows) }
    }

    /// How many lanes a row has.
    fn count(&self) -> usize {
        self.lanes.len() / self.whole.len()
    }

    fn add<T>(&mut self, mut values: &[T], positions: Range<usize>, add: impl Fn(&mut [L], &[T])) {
        let (rows, count) = (self.whole.len(), self.count());
        let mut lane = positions.start % LANES;
        while !values.is_empty() {
            let (part, rest) = values.split_at(values.len().min((count - lane) * rows));
            add(&mut self.lanes[lane * rows..][..part.len()], part);
            (values, lane) = (rest, 0);
        }
    }

    fn join(&mut self, join: impl Fn(&mut [L], &[L]), add: impl Fn(W, L) -> W) {
        let (rows, count) = (self.whole.len(), self.count());
        let mut half = count.next_power_of_two() / 2;
        while half > 0 {
            let (first, second) = self.lanes.split_at_mut(half * rows);
            let joined = half.min(count - half) * rows;
            join(&mut first[..joined], &second[..joined]);
            half /= 2;
        }
        self.whole.iter_mut().zip(&*self.lanes).for_each(|(whole, lane)| *whole = add(*whole, *lane));
        self.lanes.fill(self.start);
    }

    fn merge(&mut self, later: SideLanes<L, W>, merge: impl Fn(W, W) -> W) {
        self.whole.iter_mut().zip(&*later.whole).for_each(|(a, b)| *a = merge(*a, *b));
    }
}

impl<T: Copy> Bests<T> {
    fn new(start: T, rows: usize) -> Bests<T> {
        Bests { values: vec![start; rows], indices: vec![0; rows], is_empty: true }
    }

    fn add(&mut self, values: &[T], positions: Range<usize>, add: impl Fn(&mut [T], &mut [i64], &[T], i64)) {
        let rows = self.values.len();
        if self.is_empty {
            self.values.copy_from_slice(&values[..rows]);
            self.indices.fill(positions.start as i64);
            self.is_empty = false;
        }
        for (position, values) in (positions.start as i64..).zip(values.chunks_exact(rows)) {
            add(&mut self.values, &mut self.indices, values, position);
        }
    }

    fn merge(&mut self, later: &Bests<T>, replaces: impl Fn(T, T) -> bool) {
        let own = self.values.iter_mut().zip(&mut self.indices);
        for ((value, index), (other, place)) in own.zip(later.values.iter().zip(&later.indices)) {
            if replaces(*other, *value) {
                (*value, *index) = (*other, *place);
            }
        }
    }
}
