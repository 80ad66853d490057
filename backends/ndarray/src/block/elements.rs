//! The loop that carries a body over a block.

use super::{BlockArgs, ByKind};
use crate::lane::{IntLane, Lane, MaskLane};
use std::array::from_fn;

/// The operands of one call, as lanes.
#[derive(Debug)]
pub struct Block<'a, 'r, L: Lane> {
    args: BlockArgs<'a, 'r, L::Element>,
}

/// LLVM vectorises a loop that may store to what it loads by checking for overlap first, but only up to this many checks.
const OVERLAP_CHECKS: usize = 8;

/// With more, results go through so many elements of local arrays, which overlap nothing.
const STAGE: usize = 128;

/// The slices that a loop reads.
struct Operands<'a, E, const F: usize, const I: usize, const B: usize> {
    floats: [&'a [E]; F],
    ints: [&'a [i64]; I],
    bools: [&'a [bool]; B],
}

/// The slices that a loop writes.
struct Results<'a, E, const F: usize, const I: usize, const B: usize> {
    floats: [&'a mut [E]; F],
    ints: [&'a mut [i64]; I],
    bools: [&'a mut [bool]; B],
}

impl<'a, 'r, L: Lane> Block<'a, 'r, L> {
    #[inline(always)]
    pub(super) fn new(args: &'a mut BlockArgs<'_, 'r, L::Element>) -> Self {
        let BlockArgs { len, uniforms, elements, results } = args;
        let results =
            ByKind { floats: &mut *results.floats, ints: &mut *results.ints, bools: &mut *results.bools };
        Block { args: BlockArgs { len: *len, uniforms: *uniforms, elements: *elements, results } }
    }

    /// The values that are one per row: floats, ints, bools.
    #[inline(always)]
    pub fn uniforms<const F: usize, const I: usize, const B: usize>(
        &self,
    ) -> ([L; F], [L::Int; I], [L::Mask; B]) {
        let uniforms = &self.args.uniforms;
        (
            from_fn(|k| L::load(uniforms.floats[k])),
            from_fn(|k| L::int(uniforms.ints[k])),
            from_fn(|k| L::mask(uniforms.bools[k])),
        )
    }

    /// Evaluates `body` at each element: floats, ints, bools in; floats, ints, bools out.
    #[inline(always)]
    pub fn elements<
        const F: usize,
        const I: usize,
        const B: usize,
        const RF: usize,
        const RI: usize,
        const RB: usize,
    >(
        &mut self,
        body: impl Fn([L; F], [L::Int; I], [L::Mask; B]) -> ([L; RF], [L::Int; RI], [L::Mask; RB]),
    ) {
        let n = self.args.len;
        let (operands, results) = (F + I + B, RF + RI + RB);
        if results * operands + results * results.saturating_sub(1) / 2 <= OVERLAP_CHECKS {
            let (from, to) = self.slices(0, n);
            evaluate::<L, F, I, B, RF, RI, RB>(n, from, to, &body);
            return;
        }
        let mut floats = [[L::Element::default(); STAGE]; RF];
        let mut ints = [[0; STAGE]; RI];
        let mut bools = [[false; STAGE]; RB];
        let mut start = 0;
        while start < n {
            let len = (n - start).min(STAGE);
            let (from, to) = self.slices::<F, I, B, RF, RI, RB>(start, len);
            let staged = Results {
                floats: floats.each_mut().map(|r| &mut r[..len]),
                ints: ints.each_mut().map(|r| &mut r[..len]),
                bools: bools.each_mut().map(|r| &mut r[..len]),
            };
            evaluate::<L, F, I, B, RF, RI, RB>(len, from, staged, &body);
            copy_all(to.floats, &floats);
            copy_all(to.ints, &ints);
            copy_all(to.bools, &bools);
            start += len;
        }
    }

    /// Writes results that are one per row.
    #[inline(always)]
    pub fn per_row<const F: usize, const I: usize, const B: usize>(
        &mut self,
        floats: [L; F],
        ints: [L::Int; I],
        bools: [L::Mask; B],
    ) {
        let (_, to) = self.slices::<0, 0, 0, F, I, B>(0, 1);
        for k in 0..F {
            to.floats[k][0] = floats[k].store();
        }
        for k in 0..I {
            to.ints[k][0] = ints[k].store();
        }
        for k in 0..B {
            to.bools[k][0] = bools[k].store();
        }
    }

    /// What is read and what is written at `len` elements.
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "the counts are the type")]
    fn slices<
        const F: usize,
        const I: usize,
        const B: usize,
        const RF: usize,
        const RI: usize,
        const RB: usize,
    >(
        &mut self,
        start: usize,
        len: usize,
    ) -> (Operands<'_, L::Element, F, I, B>, Results<'_, L::Element, RF, RI, RB>) {
        let range = start..start + len;
        let (elements, results) = (&self.args.elements, &mut self.args.results);
        let from = Operands {
            floats: from_fn(|k| &elements.floats[k][range.clone()]),
            ints: from_fn(|k| &elements.ints[k][range.clone()]),
            bools: from_fn(|k| &elements.bools[k][range.clone()]),
        };
        let to = Results {
            floats: first(results.floats).map(|r| &mut r[range.clone()]),
            ints: first(results.ints).map(|r| &mut r[range.clone()]),
            bools: first(results.bools).map(|r| &mut r[range.clone()]),
        };
        (from, to)
    }
}

#[inline(always)]
fn first<'a, T, const N: usize>(slices: &'a mut [&mut [T]]) -> [&'a mut [T]; N] {
    let slices = slices.first_chunk_mut().expect("the schedule of the pass counts its results");
    slices.each_mut().map(|slice| &mut **slice)
}

#[inline(always)]
fn copy_all<T: Copy, const N: usize>(to: [&mut [T]; N], staged: &[[T; STAGE]; N]) {
    for (to, staged) in to.into_iter().zip(staged) {
        // A copy of known size is not a call.
        match <&mut [T; STAGE]>::try_from(&mut *to) {
            Ok(whole) => *whole = *staged,
            Err(_) => to.copy_from_slice(&staged[..to.len()]),
        }
    }
}

/// The loop. Panics unless all slices have `n` elements.
#[inline(always)]
fn evaluate<
    L: Lane,
    const F: usize,
    const I: usize,
    const B: usize,
    const RF: usize,
    const RI: usize,
    const RB: usize,
>(
    n: usize,
    from: Operands<'_, L::Element, F, I, B>,
    to: Results<'_, L::Element, RF, RI, RB>,
    body: &impl Fn([L; F], [L::Int; I], [L::Mask; B]) -> ([L; RF], [L::Int; RI], [L::Mask; RB]),
) {
    from.floats.iter().for_each(|slice| assert_eq!(slice.len(), n));
    from.ints.iter().for_each(|slice| assert_eq!(slice.len(), n));
    from.bools.iter().for_each(|slice| assert_eq!(slice.len(), n));
    to.floats.iter().for_each(|slice| assert_eq!(slice.len(), n));
    to.ints.iter().for_each(|slice| assert_eq!(slice.len(), n));
    to.bools.iter().for_each(|slice| assert_eq!(slice.len(), n));
    for j in 0..n {
        // SAFETY: j is below n, the length of every slice. With more than one result LLVM keeps the bounds checks
        // otherwise, and then does not vectorise.
        unsafe {
            let (floats, ints, bools) = body(
                from_fn(|k| L::load(*from.floats[k].get_unchecked(j))),
                from_fn(|k| L::int(*from.ints[k].get_unchecked(j))),
                from_fn(|k| L::mask(*from.bools[k].get_unchecked(j))),
            );
            for k in 0..RF {
                *to.floats[k].get_unchecked_mut(j) = floats[k].store();
            }
            for k in 0..RI {
                *to.ints[k].get_unchecked_mut(j) = ints[k].store();
            }
            for k in 0..RB {
                *to.bools[k].get_unchecked_mut(j) = bools[k].store();
            }
        }
    }
}
