//! The state of reductions between blocks: one accumulator per row and fold, or one per column.

use super::real::Real;
use super::stream::Lanes;
use crate::block::column;
use crate::block::fold::{self, Best, Fold as Folds};
use crate::pool::Pooled;
use std::ops::Range;
use tensor_op_core::{DType, memory};
use tensor_op_spec::prim::Fold;

/// A single value for a whole row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Single<E> {
    Float(E),
    Int(i64),
    Bool(bool),
}

/// The accumulator of a fold along a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accumulator<E: Folds> {
    Float(Partial<E>),
    Int(Partial<i64>),
    /// Whether all elements so far are true.
    All(bool),
    /// Whether any element so far is true.
    Any(bool),
}

/// The state of a fold of numbers along a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Partial<T: Folds> {
    Sum(T::Wide),
    Prod(T::Wide),
    Max(T),
    Min(T),
    ArgMax(Option<Best<T>>),
    ArgMin(Option<Best<T>>),
}

impl<E: Real> Accumulator<E> {
    /// A fold over no floats yet.
    pub(crate) fn floats(fold: Fold) -> Accumulator<E> {
        Partial::start(fold).map_or_else(Accumulator::flags, Accumulator::Float)
    }

    /// A fold over no ints yet.
    pub(crate) fn ints(fold: Fold) -> Accumulator<E> {
        Partial::start(fold).map_or_else(Accumulator::flags, Accumulator::Int)
    }

    /// A fold over no bools yet: `any` if the fold is that, `all` otherwise.
    pub(crate) fn bools(fold: Fold) -> Accumulator<E> {
        Accumulator::flags(fold == Fold::Any)
    }

    fn flags(any: bool) -> Accumulator<E> {
        if any { Accumulator::Any(false) } else { Accumulator::All(true) }
    }

    /// Folds in a block of floats that starts at this position of the row.
    pub(crate) fn add_floats(&mut self, values: &[E], position: usize) {
        if let Accumulator::Float(partial) = self {
            partial.add(values, position);
        }
    }

    /// Folds in a block of ints that starts at this position of the row.
    pub(crate) fn add_ints(&mut self, values: &[i64], position: usize) {
        if let Accumulator::Int(partial) = self {
            partial.add(values, position);
        }
    }

    /// Folds in a block of bools.
    pub(crate) fn add_bools(&mut self, values: &[bool]) {
        match self {
            Accumulator::All(all) => *all &= fold::all(values),
            Accumulator::Any(any) => *any |= fold::any(values),
            Accumulator::Float(_) | Accumulator::Int(_) => {}
        }
    }

    /// Combines this with the accumulator of a later part of the row.
    pub(crate) fn merge(self, later: Accumulator<E>) -> Accumulator<E> {
        match (self, later) {
            (Accumulator::Float(a), Accumulator::Float(b)) => Accumulator::Float(a.merge(b)),
            (Accumulator::Int(a), Accumulator::Int(b)) => Accumulator::Int(a.merge(b)),
            (Accumulator::All(a), Accumulator::All(b)) => Accumulator::All(a & b),
            (Accumulator::Any(a), Accumulator::Any(b)) => Accumulator::Any(a | b),
            (Accumulator::Float(_) | Accumulator::Int(_) | Accumulator::All(_) | Accumulator::Any(_), _) => {
                unreachable!("parts of a row are folded alike")
            }
        }
    }

    /// The result of the reduction.
    pub(crate) fn finish(self) -> Single<E> {
        match self {
            Accumulator::Float(partial) => partial.finish().map_or_else(Single::Int, Single::Float),
            Accumulator::Int(partial) => Single::Int(partial.finish().unwrap_or_else(|index| index)),
            Accumulator::All(flag) | Accumulator::Any(flag) => Single::Bool(flag),
        }
    }
}

impl<T: Folds> Partial<T> {
    /// A fold over no elements. For folds of bools, an `Err` that says whether the fold is `any`.
    fn start(fold: Fold) -> Result<Partial<T>, bool> {
        match fold {
            Fold::Sum => Ok(Partial::Sum(T::ZERO)),
            Fold::Prod => Ok(Partial::Prod(T::ONE)),
            Fold::Max => Ok(Partial::Max(T::LOWEST)),
            Fold::Min => Ok(Partial::Min(T::HIGHEST)),
            Fold::ArgMax => Ok(Partial::ArgMax(None)),
            Fold::ArgMin => Ok(Partial::ArgMin(None)),
            Fold::Any => Err(true),
            Fold::All => Err(false),
        }
    }

    fn add(&mut self, values: &[T], position: usize) {
        match self {
            Partial::Sum(sum) => *sum = T::add_wide(*sum, fold::sum(values)),
            Partial::Prod(prod) => *prod = T::mul_wide(*prod, fold::prod(values)),
            Partial::Max(max) => *max = fold::max(values, *max),
            Partial::Min(min) => *min = fold::min(values, *min),
            Partial::ArgMax(best) => *best = fold::argmax(values, position as i64, *best),
            Partial::ArgMin(best) => *best = fold::argmin(values, position as i64, *best),
        }
    }

    fn merge(self, later: Partial<T>) -> Partial<T> {
        match (self, later) {
            (Partial::Sum(a), Partial::Sum(b)) => Partial::Sum(T::add_wide(a, b)),
            (Partial::Prod(a), Partial::Prod(b)) => Partial::Prod(T::mul_wide(a, b)),
            (Partial::Max(a), Partial::Max(b)) => Partial::Max(a.maximum(b)),
            (Partial::Min(a), Partial::Min(b)) => Partial::Min(a.minimum(b)),
            (Partial::ArgMax(a), Partial::ArgMax(b)) => Partial::ArgMax(better(a, b, T::is_above)),
            (Partial::ArgMin(a), Partial::ArgMin(b)) => Partial::ArgMin(better(a, b, T::is_below)),
            (
                Partial::Sum(_)
                | Partial::Prod(_)
                | Partial::Max(_)
                | Partial::Min(_)
                | Partial::ArgMax(_)
                | Partial::ArgMin(_),
                _,
            ) => unreachable!("parts of a row are folded alike"),
        }
    }

    /// The result of the reduction. For argmax and argmin, an `Err` with the index that was found.
    fn finish(self) -> Result<T, i64> {
        match self {
            Partial::Sum(wide) | Partial::Prod(wide) => Ok(T::narrow(wide)),
            Partial::Max(value) | Partial::Min(value) => Ok(value),
            Partial::ArgMax(best) | Partial::ArgMin(best) => Err(best.map_or(0, |best| best.index)),
        }
    }
}

/// The better one of two. The later one wins only if it is strictly better.
fn better<T: Copy>(
    a: Option<Best<T>>,
    b: Option<Best<T>>,
    replaces: impl Fn(T, T) -> bool,
) -> Option<Best<T>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if replaces(b.value, a.value) { b } else { a }),
        (one, None) | (None, one) => one,
    }
}

/// The accumulators of a fold over rows, one per column.
#[derive(Clone, Debug)]
pub(crate) enum Columns<E: Folds> {
    Float(Partials<E>),
    Int(Partials<i64>),
    All(Vec<bool>),
    Any(Vec<bool>),
}

/// The state of a fold of numbers over rows, for each column.
#[derive(Clone, Debug)]
pub(crate) enum Partials<T: Folds> {
    Sum(Vec<T::Wide>),
    Prod(Vec<T::Wide>),
    Max(Vec<T>),
    Min(Vec<T>),
}

impl<E: Real> Columns<E> {
    /// A fold over no rows of floats yet. `None` if the fold has no accumulators per column.
    pub(crate) fn floats(fold: Fold, len: usize) -> tensor_op_core::Result<Option<Columns<E>>> {
        Ok(Partials::start(fold, len)?.map(Columns::Float))
    }

    /// A fold over no rows of ints yet.
    pub(crate) fn ints(fold: Fold, len: usize) -> tensor_op_core::Result<Option<Columns<E>>> {
        Ok(Partials::start(fold, len)?.map(Columns::Int))
    }

    /// A fold over no rows of bools yet: `any` if the fold is that, `all` otherwise.
    pub(crate) fn bools(fold: Fold, len: usize) -> tensor_op_core::Result<Columns<E>> {
        let flags = memory::filled(fold != Fold::Any, len)?;
        Ok(if fold == Fold::Any { Columns::Any(flags) } else { Columns::All(flags) })
    }

    /// Folds in rows of floats, or as much of each as lies in these columns.
    pub(crate) fn add_floats(&mut self, rows: &[E], columns: Range<usize>) {
        if let Columns::Float(partials) = self {
            partials.add(rows, columns);
        }
    }

    /// Folds in rows of ints, or as much of each as lies in these columns.
    pub(crate) fn add_ints(&mut self, rows: &[i64], columns: Range<usize>) {
        if let Columns::Int(partials) = self {
            partials.add(rows, columns);
        }
    }

    /// Folds in rows of bools, or as much of each as lies in these columns.
    pub(crate) fn add_bools(&mut self, rows: &[bool], columns: Range<usize>) {
        match self {
            Columns::All(flags) => column::all(&mut flags[columns], rows),
            Columns::Any(flags) => column::any(&mut flags[columns], rows),
            Columns::Float(_) | Columns::Int(_) => {}
        }
    }

    /// Combines these with the accumulators of later rows.
    pub(crate) fn merge(&mut self, later: &Columns<E>) {
        match (self, later) {
            (Columns::Float(a), Columns::Float(b)) => a.merge(b),
            (Columns::Int(a), Columns::Int(b)) => a.merge(b),
            (Columns::All(a), Columns::All(b)) => column::all(a, b),
            (Columns::Any(a), Columns::Any(b)) => column::any(a, b),
            (Columns::Float(_) | Columns::Int(_) | Columns::All(_) | Columns::Any(_), _) => {
                unreachable!("all rows are folded alike")
            }
        }
    }

    /// Returns the memory to the pool.
    pub(crate) fn recycle(self) {
        match self {
            Columns::Float(partials) => partials.recycle(),
            Columns::Int(partials) => partials.recycle(),
            Columns::All(_) | Columns::Any(_) => {}
        }
    }

    /// Writes a run of columns to memory.
    ///
    /// # Safety
    /// As for [`Lanes::write`] with a run of `columns.len()` elements.
    pub(crate) unsafe fn write(&self, columns: Range<usize>, dtype: DType, to: *mut u8, stride: isize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                Columns::Float(partials) => partials.write(columns, dtype, to, stride),
                Columns::Int(partials) => partials.write(columns, dtype, to, stride),
                Columns::All(flags) | Columns::Any(flags) => bool::write(dtype, to, stride, &flags[columns]),
            }
        }
    }
}

/// At least `len` elements with this value, from the pool. Fresh pages for each chunk of rows would cost more
/// than its sums.
fn filled<T: Pooled>(value: T, len: usize) -> tensor_op_core::Result<Vec<T>> {
    let mut values = T::pool().take(len)?;
    values.fill(value);
    Ok(values)
}

impl<T: Folds<Wide: Pooled> + Pooled> Partials<T> {
    fn start(fold: Fold, len: usize) -> tensor_op_core::Result<Option<Partials<T>>> {
        Ok(match fold {
            Fold::Sum => Some(Partials::Sum(filled(T::ZERO, len)?)),
            Fold::Prod => Some(Partials::Prod(filled(T::ONE, len)?)),
            Fold::Max => Some(Partials::Max(filled(T::LOWEST, len)?)),
            Fold::Min => Some(Partials::Min(filled(T::HIGHEST, len)?)),
            Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => None,
        })
    }

    fn recycle(self) {
        match self {
            Partials::Sum(wide) | Partials::Prod(wide) => T::Wide::pool().give(wide),
            Partials::Max(values) | Partials::Min(values) => T::pool().give(values),
        }
    }

    fn add(&mut self, rows: &[T], columns: Range<usize>) {
        match self {
            Partials::Sum(sums) => column::sum(&mut sums[columns], rows),
            Partials::Prod(products) => column::prod(&mut products[columns], rows),
            Partials::Max(largest) => column::max(&mut largest[columns], rows),
            Partials::Min(smallest) => column::min(&mut smallest[columns], rows),
        }
    }

    fn merge(&mut self, later: &Partials<T>) {
        match (self, later) {
            (Partials::Sum(a), Partials::Sum(b)) => join(a, b, T::add_wide),
            (Partials::Prod(a), Partials::Prod(b)) => join(a, b, T::mul_wide),
            (Partials::Max(a), Partials::Max(b)) => join(a, b, T::maximum),
            (Partials::Min(a), Partials::Min(b)) => join(a, b, T::minimum),
            (Partials::Sum(_) | Partials::Prod(_) | Partials::Max(_) | Partials::Min(_), _) => {
                unreachable!("all rows are folded alike")
            }
        }
    }
}

/// Combines accumulators of the same columns. Buffers of the pool may be longer than there are columns, and
/// of two lengths.
fn join<A: Copy>(columns: &mut [A], later: &[A], join: impl Fn(A, A) -> A) {
    columns.iter_mut().zip(later).for_each(|(column, later)| *column = join(*column, *later));
}

impl<T: Folds + Lanes> Partials<T> {
    /// # Safety
    /// As [`Lanes::write`].
    unsafe fn write(&self, columns: Range<usize>, dtype: DType, to: *mut u8, stride: isize) {
        // SAFETY: the caller guarantees it.
        unsafe {
            match self {
                Partials::Sum(wide) | Partials::Prod(wide) => {
                    let narrow: Vec<T> = wide[columns].iter().map(|wide| T::narrow(*wide)).collect();
                    T::write(dtype, to, stride, &narrow);
                }
                Partials::Max(values) | Partials::Min(values) => {
                    T::write(dtype, to, stride, &values[columns])
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_in_buffers_of_different_lengths() {
        type Join = fn(f64, f64) -> f64;
        const LEN: usize = 9000;
        let values = |seed: usize| (0..LEN).map(|at| ((at * 37 + seed) % 101) as f64).collect::<Vec<_>>();
        let folds: [(Fold, Join); 4] = [
            (Fold::Sum, |a, b| a + b),
            (Fold::Prod, |a, b| a * b),
            (Fold::Max, f64::max),
            (Fold::Min, f64::min),
        ];
        for (fold, join) in folds {
            for lengths in [[LEN, LEN + 500], [LEN + 500, LEN]] {
                let [mut first, second] = lengths.map(|len| {
                    let mut columns = Columns::<f64>::floats(fold, len).unwrap().unwrap();
                    columns.add_floats(&values(len), 0..LEN);
                    columns
                });
                first.merge(&second);
                let mut found = vec![0.0; LEN];
                // SAFETY: there is room for the columns.
                unsafe { first.write(0..LEN, DType::F64, found.as_mut_ptr().cast(), 1) };
                let pairs = values(lengths[0]).into_iter().zip(values(lengths[1]));
                let expected = pairs.map(|(a, b)| join(a, b));
                assert!(expected.eq(found), "{fold:?} {lengths:?}");
            }
        }
    }
}
