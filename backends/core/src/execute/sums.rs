//! What the tiles of a stream add up.
//!
//! A tile gives a term of a part of each sum. Terms of the same part are added in the order of tiles, then in
//! the order of tasks, so that the bits don't depend on threads.

use super::Kernels;
use crate::{DType, Result, Shape};
use std::collections::BTreeMap;
use std::ops::Range;
use tensor_op_spec::ir::Scalar;

/// Of each sum, the parts to which tiles have added.
pub(super) struct Sums<T>(Vec<Parts<T>>);

/// The parts of a sum, by where they start.
type Parts<T> = BTreeMap<Vec<usize>, Part<T>>;

/// A part of a sum: its ranges in the whole, and the sum of its terms.
pub(super) struct Part<T> {
    pub(super) ranges: Vec<Range<usize>>,
    pub(super) tensor: T,
}

/// A term of a part.
pub(super) struct Term<T> {
    /// The ranges of the part.
    pub(super) part: Vec<Range<usize>>,
    /// The ranges of the term in its part. Elsewhere it is 0.
    pub(super) within: Vec<Range<usize>>,
    pub(super) tensor: T,
}

impl<T: Clone> Sums<T> {
    pub(super) fn new(count: usize) -> Sums<T> {
        Sums((0..count).map(|_| BTreeMap::new()).collect())
    }

    /// Adds a term to the sum with this index.
    pub(super) fn add<K: Kernels<Tensor = T>>(
        &mut self,
        sum: usize,
        term: Term<T>,
        kernels: &K,
    ) -> Result<()> {
        let Term { part: ranges, within, tensor: term } = term;
        let at: Vec<usize> = ranges.iter().map(|range| range.start).collect();
        let is_whole = within.iter().zip(&ranges).all(|(within, range)| within.len() == range.len());
        let before = self.0[sum].remove(&at).map(|part| part.tensor);
        let tensor = match (before, is_whole) {
            (None, true) => term,
            (Some(sum), true) => K::add(sum, &term)?,
            (None, false) => {
                let shape: Shape = ranges.iter().map(Range::len).collect();
                let dtype: DType = K::dtype(&term);
                let zeros = kernels.filled(&shape, Scalar::Float(0.0).cast(dtype.kind()), dtype)?;
                K::with_part(zeros, &with_steps(&within), &term)?
            }
            (Some(sum), false) => {
                let longer = K::add(K::part(sum.clone(), &within)?, &term)?;
                K::with_part(sum, &with_steps(&within), &longer)?
            }
        };
        self.0[sum].insert(at, Part { ranges, tensor });
        Ok(())
    }

    /// Adds the sums of a later task.
    pub(super) fn join<K: Kernels<Tensor = T>>(&mut self, later: Sums<T>, kernels: &K) -> Result<()> {
        for (sum, parts) in later.0.into_iter().enumerate() {
            for Part { ranges, tensor } in parts.into_values() {
                let within = ranges.iter().map(|range| 0..range.len()).collect();
                self.add(sum, Term { part: ranges, within, tensor }, kernels)?;
            }
        }
        Ok(())
    }

    /// The parts of each sum. A sum that nobody needs has none.
    pub(super) fn into_parts(self) -> impl Iterator<Item = Vec<Part<T>>> {
        self.0.into_iter().map(|parts| parts.into_values().collect())
    }
}

/// Ranges whose elements are all taken.
pub(super) fn with_steps(ranges: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
    ranges.iter().map(|range| (range.start, range.end, 1)).collect()
}
