//! One thread's part of a loop in bands.

use super::band::Band;
use super::folds::Folding;
use crate::block::rows::Rows;
use crate::block::{BLOCK, ByKind};
use crate::kernel::kept::Kept;
use crate::kernel::plan::Dest;
use crate::kernel::real::Real;
use crate::kernel::split::{Lists, SplitPass, SplitWorker};
use std::ops::Range;
use tensor_op_spec::prim::Fold;

/// The buffers of one thread.
pub(super) struct BandWorker<'b, E: Real> {
    band: &'b Band<'b, E>,
    split: SplitWorker<'b, E>,
}

/// Folds of a pass, each with the index of its statistic.
pub(super) type Foldings<E> = Vec<(usize, Folding<E>)>;

impl<'b, E: Real> BandWorker<'b, E> {
    /// A worker that keeps values of a whole band there.
    pub(super) fn new(band: &'b Band<'b, E>, kept: Option<&Kept<E>>) -> BandWorker<'b, E> {
        let mut split = SplitWorker::new(&band.split, band.width);
        kept.iter().for_each(|kept| split.keep_at(kept.place(0)));
        BandWorker { band, split }
    }

    /// Moves to the band that starts at these offsets.
    pub(super) fn move_to(&mut self, offsets: &[isize]) {
        self.split.move_to(offsets);
    }

    /// The folds of the passes before.
    pub(super) fn statistics(&mut self) -> &mut Lists<E> {
        &mut self.split.statistics
    }

    /// Runs all passes over the band that starts at these offsets.
    pub(super) fn run(&mut self, offsets: &[isize]) {
        self.move_to(offsets);
        for pass in &self.band.split.passes {
            let foldings = self.pass(pass, 0..self.band.len);
            self.finish(&foldings);
        }
    }

    /// Runs a pass over part of each row. What it computes once per row is computed too.
    pub(super) fn pass(&mut self, pass: &SplitPass<'_>, part: Range<usize>) -> Foldings<E> {
        let Band { width, per_block, .. } = *self.band;
        self.split.once_per_row(pass, 0..width, Rows { len: per_block, inner: width });
        let Some(index) = pass.each else { return Foldings::new() };
        let mut foldings = self.band.foldings(index);
        for block in part.clone().step_by(BLOCK) {
            let end = part.end.min(block + BLOCK);
            for start in (block..end).step_by(per_block) {
                self.block(pass, index, start..end.min(start + per_block), &mut foldings);
            }
            foldings.iter_mut().for_each(|(_, folding)| folding.join());
        }
        foldings.iter_mut().for_each(|(_, folding)| folding.end());
        foldings
    }

    /// Computes the elements at these positions of all rows, and folds them.
    fn block(
        &mut self,
        pass: &SplitPass<'_>,
        index: usize,
        positions: Range<usize>,
        foldings: &mut Foldings<E>,
    ) {
        let width = self.band.width;
        self.split.elements(pass, index, positions.start * width..positions.end * width);
        if foldings.is_empty() {
            return;
        }
        let (values, _) = self.split.results();
        let dests = &self.band.split.each.passes[index].results;
        let mut foldings = foldings.iter_mut().map(|(_, folding)| folding);
        let mut next = || foldings.next().expect("each folded result has a folding, in the same order");
        folded(&dests.floats, values.floats).for_each(|v| next().add_floats(v, positions.clone()));
        folded(&dests.ints, values.ints).for_each(|v| next().add_ints(v, positions.clone()));
        folded(&dests.bools, values.bools).for_each(|v| next().add_bools(v));
    }

    /// Stores finished folds.
    pub(super) fn finish(&mut self, foldings: &Foldings<E>) {
        let room = self.split.room;
        let ByKind { floats, ints, bools } = &mut self.split.statistics;
        for (statistic, folding) in foldings {
            let place = statistic * room..(statistic + 1) * room;
            folding.finish(&mut floats[place.clone()], &mut ints[place.clone()], &mut bools[place]);
        }
    }
}

impl<E: Real> Band<'_, E> {
    /// The folds of a pass over no elements.
    fn foldings(&self, index: usize) -> Foldings<E> {
        let (dests, size) = (&self.split.each.passes[index].results, [self.len, self.width]);
        let all = |dests: &[Dest], start: fn(Fold, [usize; 2]) -> Folding<E>| {
            let folds = dests.iter().filter_map(Dest::folded);
            folds.map(|(fold, statistic)| (statistic, start(fold, size))).collect::<Foldings<E>>()
        };
        let mut foldings = all(&dests.floats, Folding::floats);
        foldings.extend(all(&dests.ints, Folding::ints));
        foldings.extend(all(&dests.bools, Folding::bools));
        foldings
    }
}

/// The results that are folded.
fn folded<'v, T>(dests: &[Dest], values: &[&'v [T]]) -> impl Iterator<Item = &'v [T]> {
    dests.iter().zip(values).filter(|(dest, _)| dest.folded().is_some()).map(|(_, values)| *values)
}
