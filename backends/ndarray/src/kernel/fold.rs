//! What reductions keep between blocks: one accumulator per row and fold, or one per column.

use super::stream::{Lanes, Real};
use crate::array::Stored;
use crate::block::column;
use crate::block::fold::{self, Best, Fold as Folds};
use tensor_op_core::{DType, memory};
use tensor_op_spec::prim::Fold;

/// A value that is one per row.
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
    /// Whether all hold; any holds unless all are not.
    All(bool),
    /// Whether any holds.
    Any(bool),
}

/// What is known of a row of numbers so far.
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
    /// Over no floats.
    pub(crate) fn floats(fold: Fold) -> Accumulator<E> {
        Partial::start(fold).map_or_else(Accumulator::flags, Accumulator::Float)
    }

    /// Over no ints.
    pub(crate) fn ints(fold: Fold) -> Accumulator<E> {
        Partial::start(fold).map_or_else(Accumulator::flags, Accumulator::Int)
    }

    /// Over no bools: any of them, or else all.
    pub(crate) fn bools(fold: Fold) -> Accumulator<E> {
        Accumulator::flags(fold == Fold::Any)
    }

    fn flags(any: bool) -> Accumulator<E> {
        if any { Accumulator::Any(false) } else { Accumulator::All(true) }
    }

    /// Takes a block of floats that starts at this position of the row.
    pub(crate) fn add_floats(&mut self, values: &[E], position: usize) {
        if let Accumulator::Float(partial) = self {
            partial.add(values, position);
        }
    }

    /// Takes a block of ints that starts at this position of the row.
    pub(crate) fn add_ints(&mut self, values: &[i64], position: usize) {
        if let Accumulator::Int(partial) = self {
            partial.add(values, position);
        }
    }

    /// Takes a block of bools.
    pub(crate) fn add_bools(&mut self, values: &[bool]) {
        match self {
            Accumulator::All(all) => *all &= fold::all(values),
            Accumulator::Any(any) => *any |= fold::any(values),
            Accumulator::Float(_) | Accumulator::Int(_) => {}
        }
    }

    /// Takes what comes later in the row.
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

    /// The reduction.
    pub(crate) fn finish(self) -> Single<E> {
        match self {
            Accumulator::Float(partial) => partial.finish().map_or_else(Single::Int, Single::Float),
            Accumulator::Int(partial) => Single::Int(partial.finish().unwrap_or_else(|index| index)),
            Accumulator::All(flag) | Accumulator::Any(flag) => Single::Bool(flag),
        }
    }
}

impl<T: Folds> Partial<T> {
    /// Over no elements; of folds of flags, whether it is any.
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

    /// The reduction, or the index that it found.
    fn finish(self) -> Result<T, i64> {
        match self {
            Partial::Sum(wide) | Partial::Prod(wide) => Ok(T::narrow(wide)),
            Partial::Max(value) | Partial::Min(value) => Ok(value),
            Partial::ArgMax(best) | Partial::ArgMin(best) => Err(best.map_or(0, |best| best.index)),
        }
    }
}

/// The later one only if it is strictly better.
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

/// What is known of columns of numbers so far.
#[derive(Clone, Debug)]
pub(crate) enum Partials<T: Folds> {
    Sum(Vec<T::Wide>),
    Prod(Vec<T::Wide>),
    Max(Vec<T>),
    Min(Vec<T>),
}

impl<E: Real> Columns<E> {
    /// Over no rows of floats. `None` if the fold has no accumulator of this form.
    pub(crate) fn floats(fold: Fold, len: usize) -> tensor_op_core::Result<Option<Columns<E>>> {
        Ok(Partials::start(fold, len)?.map(Columns::Float))
    }

    /// Over no rows of ints.
    pub(crate) fn ints(fold: Fold, len: usize) -> tensor_op_core::Result<Option<Columns<E>>> {
        Ok(Partials::start(fold, len)?.map(Columns::Int))
    }

    /// Over no rows of bools: any of them, or else all.
    pub(crate) fn bools(fold: Fold, len: usize) -> tensor_op_core::Result<Columns<E>> {
        let flags = memory::filled(fold != Fold::Any, len)?;
        Ok(if fold == Fold::Any { Columns::Any(flags) } else { Columns::All(flags) })
    }

    /// Takes part of a row of floats, at these columns.
    pub(crate) fn add_floats(&mut self, row: &[E], at: usize) {
        if let Columns::Float(partials) = self {
            partials.add(row, at);
        }
    }

    /// Takes part of a row of ints, at these columns.
    pub(crate) fn add_ints(&mut self, row: &[i64], at: usize) {
        if let Columns::Int(partials) = self {
            partials.add(row, at);
        }
    }

    /// Takes part of a row of bools, at these columns.
    pub(crate) fn add_bools(&mut self, row: &[bool], at: usize) {
        match self {
            Columns::All(flags) => column::all(&mut flags[at..], row),
            Columns::Any(flags) => column::any(&mut flags[at..], row),
            Columns::Float(_) | Columns::Int(_) => {}
        }
    }

    /// Takes what was made of later rows.
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

    /// Gives the memory back.
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
    /// As [`Lanes::write`] for the run of `columns.len()` elements.
    pub(crate) unsafe fn write(
        &self,
        columns: std::ops::Range<usize>,
        dtype: DType,
        to: *mut u8,
        stride: isize,
    ) {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Columns::Float(partials) => partials.write(columns, dtype, to, stride),
                Columns::Int(partials) => partials.write(columns, dtype, to, stride),
                Columns::All(flags) | Columns::Any(flags) => bool::write(dtype, to, stride, &flags[columns]),
            }
        }
    }
}

/// At least `len` elements of this value, from the pool: fresh pages for each chunk of rows would cost more
/// than its sums.
fn filled<T: Stored>(value: T, len: usize) -> tensor_op_core::Result<Vec<T>> {
    let mut values = T::pool().take(len)?;
    values.fill(value);
    Ok(values)
}

impl<T: Folds<Wide: Stored> + Stored> Partials<T> {
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

    fn add(&mut self, row: &[T], at: usize) {
        match self {
            Partials::Sum(sums) => column::sum(&mut sums[at..], row),
            Partials::Prod(products) => column::prod(&mut products[at..], row),
            Partials::Max(largest) => column::max(&mut largest[at..], row),
            Partials::Min(smallest) => column::min(&mut smallest[at..], row),
        }
    }

    fn merge(&mut self, later: &Partials<T>) {
        match (self, later) {
            (Partials::Sum(a), Partials::Sum(b)) => {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = T::add_wide(*a, *b))
            }
            (Partials::Prod(a), Partials::Prod(b)) => {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = T::mul_wide(*a, *b))
            }
            (Partials::Max(a), Partials::Max(b)) => column::max(a, b),
            (Partials::Min(a), Partials::Min(b)) => column::min(a, b),
            (Partials::Sum(_) | Partials::Prod(_) | Partials::Max(_) | Partials::Min(_), _) => {
                unreachable!("all rows are folded alike")
            }
        }
    }
}

impl<T: Folds + Lanes> Partials<T> {
    /// # Safety
    /// As [`Lanes::write`].
    unsafe fn write(&self, columns: std::ops::Range<usize>, dtype: DType, to: *mut u8, stride: isize) {
        // SAFETY: as the caller says.
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
