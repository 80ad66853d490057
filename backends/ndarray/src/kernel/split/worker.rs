//! One thread's part of a loop that computes many rows at once.

use super::loops::{SplitLoop, SplitPass};
use super::programs::Split;
use crate::block::rows::{self, Rows};
use crate::block::{BLOCK_OF_ROWS, ByKind, Elements};
use crate::kernel::kept::Place;
use crate::kernel::plan::UniformSource;
use crate::kernel::real::Real;
use crate::kernel::worker::{ColumnTarget, Worker};
use crate::layout::Few;
use crate::program::buffer::Buffer;
use std::ops::Range;
use tensor_op_spec::ir::Kind;

/// Lists of values by kind.
pub(crate) type Lists<E> = ByKind<Buffer<E>, Buffer<i64>, Buffer<bool>>;

/// The buffers of one thread.
pub(crate) struct SplitWorker<'s, E: Real> {
    of_rows: Worker<'s, E>,
    each: Worker<'s, E>,
    /// The folds of the rows that are computed at once. Each has a place among those of all kinds.
    pub(crate) statistics: Lists<E>,
    /// The most rows that are computed at once: the length of such a place.
    pub(crate) room: usize,
    /// What is spread over rows, one block after the other.
    spread: Lists<E>,
}

impl<'s, E: Real> SplitWorker<'s, E> {
    /// A worker for so many rows at once.
    pub(crate) fn new(split: &'s SplitLoop<'s, E>, room: usize) -> SplitWorker<'s, E> {
        let (mut of_rows, mut each) =
            (Worker::of_blocks(&split.of_rows, BLOCK_OF_ROWS), Worker::of_blocks(&split.each, BLOCK_OF_ROWS));
        (0..split.of_rows.passes.len()).for_each(|index| of_rows.begin(index));
        (0..split.each.passes.len()).for_each(|index| each.begin(index));
        let statistics = split.each.statistics * room;
        let most =
            |kind| split.passes.iter().map(|pass| pass.spread(kind)).max().unwrap_or(0) * BLOCK_OF_ROWS;
        SplitWorker { of_rows, each, statistics: lists(|_| statistics), room, spread: lists(most) }
    }

    /// Says where passes keep values of elements.
    pub(crate) fn keep_at(&mut self, place: Place) {
        self.each.keep_at(place);
    }

    /// Moves the start of all rows.
    pub(crate) fn move_to(&mut self, offsets: &[isize]) {
        self.of_rows.move_to(offsets);
        self.each.move_to(offsets);
    }

    /// Computes what a pass has once per row, and spreads what its elements need of it over blocks of such
    /// rows.
    pub(crate) fn once_per_row(&mut self, pass: &SplitPass<'_>, range: Range<usize>, rows: Rows) {
        let Some((index, split)) = pass.of_rows else { return };
        let [floats, ints, bools] = [Kind::Float, Kind::Int, Kind::Bool].map(|kind| statistics(split, kind));
        let (room, count) = (self.room, range.len());
        let floats: Few<&[E]> = floats.map(|at| &self.statistics.floats[at * room..][..count]).collect();
        let ints: Few<&[i64]> = ints.map(|at| &self.statistics.ints[at * room..][..count]).collect();
        let bools: Few<&[bool]> = bools.map(|at| &self.statistics.bools[at * room..][..count]).collect();
        self.of_rows.compute(index, range, &ByKind { floats: &floats, ints: &ints, bools: &bools });
        if pass.each.is_some() {
            let values = self.of_rows.results();
            spread(values.floats, rows, &mut self.spread.floats);
            spread(values.ints, rows, &mut self.spread.ints);
            spread(values.bools, rows, &mut self.spread.bools);
        }
    }

    /// Computes a block of elements of a pass, which has this number in the loop over elements.
    pub(crate) fn elements(&mut self, pass: &SplitPass<'_>, index: usize, range: Range<usize>) {
        let len = range.len();
        let floats = blocks(&self.spread.floats, pass.spread(Kind::Float), len);
        let ints = blocks(&self.spread.ints, pass.spread(Kind::Int), len);
        let bools = blocks(&self.spread.bools, pass.spread(Kind::Bool), len);
        self.each.compute(index, range, &ByKind { floats: &floats, ints: &ints, bools: &bools });
    }

    /// The results of the block that was computed last, and the folds of rows.
    pub(crate) fn results(&mut self) -> (Elements<'_, E>, &mut Lists<E>) {
        (self.each.results(), &mut self.statistics)
    }

    /// Folds the block that was computed last over its rows.
    pub(crate) fn fold_columns(&mut self, index: usize, target: &mut ColumnTarget<'_, E>) {
        self.each.fold_columns(index, Some(target));
    }
}

/// Lists of these lengths.
fn lists<E: Real>(len: impl Fn(Kind) -> usize) -> Lists<E> {
    ByKind {
        floats: Buffer::new(len(Kind::Float)),
        ints: Buffer::new(len(Kind::Int)),
        bools: Buffer::new(len(Kind::Bool)),
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
    for (values, block) in values.iter().zip(blocks.chunks_exact_mut(BLOCK_OF_ROWS)) {
        rows::spread(values, rows, &mut block[..values.len() * rows.len]);
    }
}

/// The first blocks of a buffer.
fn blocks<T>(buffer: &[T], count: usize, len: usize) -> Few<&[T]> {
    buffer.chunks_exact(BLOCK_OF_ROWS).take(count).map(|block| &block[..len]).collect()
}
