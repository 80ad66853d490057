//! One thread's part of a loop over short rows.

use super::nests::{Short, ShortPass};
use super::split::Split;
use crate::block::fold::Fold as Folds;
use crate::block::rows::{self, Rows};
use crate::block::{BLOCK, ByKind};
use crate::kernel::fold::Columns;
use crate::kernel::plan::{Dest, UniformSource};
use crate::kernel::real::Real;
use crate::kernel::worker::{ColumnTarget, Worker};
use crate::layout::Few;
use crate::parallel;
use std::ops::Range;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// The buffers of one thread.
pub(crate) struct ShortWorker<'s, E: Real> {
    short: &'s Short<'s, E>,
    of_rows: Worker<'s, E>,
    each: Worker<'s, E>,
    /// The folds of the rows of a block. Each has a place among those of all kinds.
    statistics: ByKind<Vec<E>, Vec<i64>, Vec<bool>>,
    /// What is spread over rows, one block after the other.
    spread: ByKind<Vec<E>, Vec<i64>, Vec<bool>>,
}

impl<'s, E: Real> ShortWorker<'s, E> {
    pub(crate) fn new(short: &'s Short<'s, E>) -> ShortWorker<'s, E> {
        let (mut of_rows, mut each) = (Worker::new(&short.of_rows, false), Worker::new(&short.each, false));
        (0..short.of_rows.passes.len()).for_each(|index| of_rows.begin(index));
        (0..short.each.passes.len()).for_each(|index| each.begin(index));
        let statistics = short.each.statistics * short.rows_of_block();
        let most = |kind| short.passes.iter().map(|pass| pass.spread(kind)).max().unwrap_or(0) * BLOCK;
        ShortWorker {
            short,
            of_rows,
            each,
            statistics: ByKind {
                floats: vec![E::default(); statistics],
                ints: vec![0; statistics],
                bools: vec![false; statistics],
            },
            spread: ByKind {
                floats: vec![E::default(); most(Kind::Float)],
                ints: vec![0; most(Kind::Int)],
                bools: vec![false; most(Kind::Bool)],
            },
        }
    }

    /// Moves the start of all rows.
    pub(crate) fn move_to(&mut self, offsets: &[isize]) {
        self.of_rows.move_to(offsets);
        self.each.move_to(offsets);
    }

    /// Runs all passes over these groups of rows.
    pub(crate) fn run(&mut self, groups: Range<usize>, mut columns: Option<&mut [Columns<E>]>) {
        let per_block = self.short.per_block;
        for block in 0..groups.len().div_ceil(per_block) {
            let block = parallel::piece(block, per_block, groups.len());
            let block = groups.start + block.start..groups.start + block.end;
            for pass in &self.short.passes {
                self.once_per_row(pass, &block);
                self.at_elements(pass, &block, columns.as_deref_mut());
            }
        }
    }

    /// Computes what a pass has once per row, and spreads what its elements need of it.
    fn once_per_row(&mut self, pass: &ShortPass<'_>, groups: &Range<usize>) {
        let Some((index, split)) = pass.of_rows else { return };
        let sides = self.short.rows.inner;
        let range = groups.start * sides..groups.end * sides;
        let [floats, ints, bools] = [Kind::Float, Kind::Int, Kind::Bool].map(|kind| statistics(split, kind));
        let (room, count) = (self.short.rows_of_block(), range.len());
        let floats: Few<&[E]> = floats.map(|at| &self.statistics.floats[at * room..][..count]).collect();
        let ints: Few<&[i64]> = ints.map(|at| &self.statistics.ints[at * room..][..count]).collect();
        let bools: Few<&[bool]> = bools.map(|at| &self.statistics.bools[at * room..][..count]).collect();
        self.of_rows.compute(index, range, &ByKind { floats: &floats, ints: &ints, bools: &bools });
        if pass.each.is_some() {
            let (values, rows) = (self.of_rows.results(), self.short.rows);
            spread(values.floats, rows, &mut self.spread.floats);
            spread(values.ints, rows, &mut self.spread.ints);
            spread(values.bools, rows, &mut self.spread.bools);
        }
    }

    /// Computes the elements of a pass, and folds them.
    fn at_elements(
        &mut self,
        pass: &ShortPass<'_>,
        groups: &Range<usize>,
        columns: Option<&mut [Columns<E>]>,
    ) {
        let Some(index) = pass.each else { return };
        let rows = self.short.rows;
        let range = groups.start * rows.span()..groups.end * rows.span();
        self.compute(pass, index, range);
        self.fold(index, groups.len() * rows.inner);
        if let Some(columns) = columns {
            let target = &mut ColumnTarget { columns, first: 0, row_len: Some(rows.len) };
            self.each.fold_columns(index, Some(target));
        }
    }

    fn compute(&mut self, pass: &ShortPass<'_>, index: usize, range: Range<usize>) {
        let len = range.len();
        let floats = blocks(&self.spread.floats, pass.spread(Kind::Float), len);
        let ints = blocks(&self.spread.ints, pass.spread(Kind::Int), len);
        let bools = blocks(&self.spread.bools, pass.spread(Kind::Bool), len);
        self.each.compute(index, range, &ByKind { floats: &floats, ints: &ints, bools: &bools });
    }

    /// Folds the rows of a block, of which there are `count`.
    fn fold(&mut self, index: usize, count: usize) {
        let (values, dests) = (self.each.results(), &self.short.each.passes[index].results);
        let (rows, room) = (self.short.rows, self.short.rows_of_block());
        let ByKind { floats, ints, bools } = &mut self.statistics;
        for (fold, statistic, values) in folded(&dests.floats, values.floats) {
            let place = statistic * room..statistic * room + count;
            match position(fold) {
                Some(replaces) => rows::best(values, rows, replaces, &mut ints[place]),
                None => numbers(fold, values, rows, &mut floats[place]),
            }
        }
        for (fold, statistic, values) in folded(&dests.ints, values.ints) {
            let out = &mut ints[statistic * room..][..count];
            match position(fold) {
                Some(replaces) => rows::best(values, rows, replaces, out),
                None => numbers(fold, values, rows, out),
            }
        }
        for (fold, statistic, values) in folded(&dests.bools, values.bools) {
            rows::flags(values, rows, fold == Fold::Any, &mut bools[statistic * room..][..count]);
        }
    }
}

/// The statistics of a kind that a pass reads.
fn statistics(split: &Split, kind: Kind) -> impl Iterator<Item = usize> {
    split.row_uniforms.iter().filter(move |uniform| uniform.kind == kind).filter_map(|uniform| match uniform
        .source
    {
        UniformSource::Statistic(statistic) => Some(statistic),
        UniformSource::Operand(_) => None,
    })
}

/// Spreads values over rows, each into a block of its own.
fn spread<T: Copy>(values: &[&[T]], rows: Rows, blocks: &mut [T]) {
    for (values, block) in values.iter().zip(blocks.chunks_exact_mut(BLOCK)) {
        rows::spread(values, rows, &mut block[..values.len() * rows.len]);
    }
}

/// The first blocks of a buffer.
fn blocks<T>(buffer: &[T], count: usize, len: usize) -> Few<&[T]> {
    buffer.chunks_exact(BLOCK).take(count).map(|block| &block[..len]).collect()
}

/// The results that are folded, with their folds and statistics.
fn folded<'v, T>(dests: &[Dest], values: &[&'v [T]]) -> impl Iterator<Item = (Fold, usize, &'v [T])> {
    dests.iter().zip(values).filter_map(|(dest, values)| match *dest {
        Dest::Fold { fold, statistic } => Some((fold, statistic, *values)),
        Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => None,
    })
}

/// Which element replaces the best one before it, if a fold finds a position.
fn position<T: Folds>(fold: Fold) -> Option<fn(T, T) -> bool> {
    match fold {
        Fold::ArgMax => Some(T::is_above),
        Fold::ArgMin => Some(T::is_below),
        Fold::Sum | Fold::Prod | Fold::Max | Fold::Min | Fold::Any | Fold::All => None,
    }
}

/// Folds rows of numbers to numbers.
fn numbers<T: Folds>(fold: Fold, values: &[T], rows: Rows, out: &mut [T]) {
    match fold {
        Fold::Sum => rows::sum(values, rows, out),
        Fold::Prod => rows::prod(values, rows, out),
        Fold::Max => rows::max(values, rows, out),
        Fold::Min => rows::min(values, rows, out),
        Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => {
            unreachable!("positions and flags are folded by other functions")
        }
    }
}
