//! The loop that runs a body over a block.
//!
//! It is instantiated for every pass, instruction set and element type, so it uses few and plain operations.
//! Iterators and array adapters here would cost more build time than the bodies.

use super::{BlockArgs, ByKind, Elements, Results};
use crate::lane::{IntLane, Lane, MaskLane};
use std::ptr;

/// A loop that the compiler unrolls.
macro_rules! repeat {
    ($k:ident < $n:ident => $step:expr) => {
        let mut $k = 0;
        while $k < $n {
            $step;
            $k += 1;
        }
    };
}
/// The operands of one call, which a body reads and writes as lanes.
#[derive(Debug)]
pub struct Block<'a, 'r, L: Lane> {
    args: BlockArgs<'a, 'r, L::Element>,
}

/// If a loop may store to memory that it loads from, LLVM checks for overlap before it runs the vectorised
/// loop. It makes at most this many checks.
const OVERLAP_CHECKS: usize = 8;

/// If more checks were needed, results first go to local arrays of this many elements, which can't overlap
/// anything.
const STAGE: usize = 128;

impl<'a, 'r, L: Lane> Block<'a, 'r, L> {
    #[inline(always)]
    pub(super) fn new(args: &'a mut BlockArgs<'_, 'r, L::Element>) -> Self {
        let BlockArgs { len, uniforms, elements, of_rows, results } = args;
        let results =
            ByKind { floats: &mut *results.floats, ints: &mut *results.ints, bools: &mut *results.bools };
        let (uniforms, elements, of_rows) = (*uniforms, *elements, *of_rows);
        Block { args: BlockArgs { len: *len, uniforms, elements, of_rows, results } }
    }

    /// The values that are the same in the whole row: floats, ints, bools.
    #[inline(always)]
    pub fn uniforms<const F: usize, const I: usize, const B: usize>(
        &self,
    ) -> ([L; F], [L::Int; I], [L::Mask; B]) {
        let uniforms = &self.args.uniforms;
        let mut values = ([L::float(0.0); F], [L::int(0); I], [L::mask(false); B]);
        let (floats, ints, bools) = (&uniforms.floats[..F], &uniforms.ints[..I], &uniforms.bools[..B]);
        repeat!(k < F => values.0[k] = L::load(floats[k]));
        repeat!(k < I => values.1[k] = L::int(ints[k]));
        repeat!(k < B => values.2[k] = L::mask(bools[k]));
        values
    }

    /// Evaluates `body` at each element. It takes floats, ints and bools, and returns floats, ints and bools.
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
        let of_rows = ([], [], []);
        self.each(of_rows, |([], [], []): Values<L, 0, 0, 0>, floats, ints, bools| body(floats, ints, bools));
    }

    /// Evaluates `body` at each element. It also takes what is computed once per row: that of the one row of
    /// the block, or, if the block has elements of many rows, what each element has of its row.
    #[inline(always)]
    pub fn elements_of_rows<
        const OF: usize,
        const OI: usize,
        const OB: usize,
        const F: usize,
        const I: usize,
        const B: usize,
        const RF: usize,
        const RI: usize,
        const RB: usize,
    >(
        &mut self,
        of_row: Values<L, OF, OI, OB>,
        body: impl Fn(Values<L, OF, OI, OB>, [L; F], [L::Int; I], [L::Mask; B]) -> Values<L, RF, RI, RB>,
    ) {
        if L::OF_ROWS {
            self.each(read_all(&self.args.of_rows, self.args.len), body);
        } else {
            let body =
                |([], [], []): Values<L, 0, 0, 0>, floats, ints, bools| body(of_row, floats, ints, bools);
            self.each(([], [], []), body);
        }
    }

    /// Evaluates `body` at each element, with these operands of rows.
    #[inline(always)]
    fn each<
        const OF: usize,
        const OI: usize,
        const OB: usize,
        const F: usize,
        const I: usize,
        const B: usize,
        const RF: usize,
        const RI: usize,
        const RB: usize,
    >(
        &mut self,
        of_rows: Pointers<*const L::Element, *const i64, *const bool, OF, OI, OB>,
        body: impl Fn(Values<L, OF, OI, OB>, [L; F], [L::Int; I], [L::Mask; B]) -> Values<L, RF, RI, RB>,
    ) {
        let BlockArgs { len: n, elements, results, .. } = &mut self.args;
        let n = *n;
        let operands = read_all(elements, n);
        if cfg!(unoptimized)
            || const { (RF + RI + RB) * (F + I + B + OF + OI + OB) + pairs(RF + RI + RB) <= OVERLAP_CHECKS }
        {
            let targets = write_all(results, n);
            // SAFETY: `read` and `write` checked that all slices have n elements.
            unsafe { evaluate(0, n, of_rows, operands, targets, &body) };
            return;
        }
        let mut floats = [[L::Element::default(); STAGE]; RF];
        let mut ints = [[0; STAGE]; RI];
        let mut bools = [[false; STAGE]; RB];
        let mut start = 0;
        while start < n {
            let len = if n - start < STAGE { n - start } else { STAGE };
            let targets = (rows(&mut floats), rows(&mut ints), rows(&mut bools));
            // SAFETY: `read` checked that operands have n elements, and start + len is at most n. Targets
            // have STAGE elements.
            unsafe { evaluate(start, len, of_rows, operands, targets, &body) };
            copy(&floats, results.floats, start, len);
            copy(&ints, results.ints, start, len);
            copy(&bools, results.bools, start, len);
            start += len;
        }
    }

    /// Writes the results that have one value per row.
    #[inline(always)]
    pub fn per_row<const F: usize, const I: usize, const B: usize>(
        &mut self,
        floats: [L; F],
        ints: [L::Int; I],
        bools: [L::Mask; B],
    ) {
        let results = &mut self.args.results;
        repeat!(k < F => results.floats[k][0] = floats[k].store());
        repeat!(k < I => results.ints[k][0] = ints[k].store());
        repeat!(k < B => results.bools[k][0] = bools[k].store());
    }
}

/// Floats, ints and bools.
type Values<L, const F: usize, const I: usize, const B: usize> =
    ([L; F], [<L as Lane>::Int; I], [<L as Lane>::Mask; B]);
type Pointers<P, Q, R, const F: usize, const I: usize, const B: usize> = ([P; F], [Q; I], [R; B]);

/// The loop. Operands are read from `start` on, and targets are written from 0 on.
///
/// # Safety
/// Each operand must be valid for reads of `start + len` elements, and each target for writes of `len`
/// elements.
#[inline(always)]
unsafe fn evaluate<
    L: Lane,
    const OF: usize,
    const OI: usize,
    const OB: usize,
    const F: usize,
    const I: usize,
    const B: usize,
    const RF: usize,
    const RI: usize,
    const RB: usize,
>(
    start: usize,
    len: usize,
    of_rows: Pointers<*const L::Element, *const i64, *const bool, OF, OI, OB>,
    operands: Pointers<*const L::Element, *const i64, *const bool, F, I, B>,
    targets: Pointers<*mut L::Element, *mut i64, *mut bool, RF, RI, RB>,
    body: &impl Fn(Values<L, OF, OI, OB>, [L; F], [L::Int; I], [L::Mask; B]) -> Values<L, RF, RI, RB>,
) {
    let mut j = 0;
    while j < len {
        // SAFETY: j is below len, and the caller guarantees the rest.
        unsafe {
            let of_row = load::<L, OF, OI, OB>(of_rows, start + j);
            let (floats, ints, bools) = load::<L, F, I, B>(operands, start + j);
            // Called as a closure: a call through a reference would not be inlined, and so not vectorised.
            store::<L, RF, RI, RB>((*body)(of_row, floats, ints, bools), targets, j);
        }
        j += 1;
    }
}

/// The element of each operand at a place.
///
/// # Safety
/// Each operand must be valid for reads of more than `at` elements.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn load<L: Lane, const F: usize, const I: usize, const B: usize>(
    operands: Pointers<*const L::Element, *const i64, *const bool, F, I, B>,
    at: usize,
) -> Values<L, F, I, B> {
    let mut values = ([L::float(0.0); F], [L::int(0); I], [L::mask(false); B]);
    // SAFETY: the caller guarantees it.
    unsafe {
        repeat!(k < F => values.0[k] = L::load(*operands.0[k].add(at)));
        repeat!(k < I => values.1[k] = L::int(*operands.1[k].add(at)));
        repeat!(k < B => values.2[k] = L::mask(*operands.2[k].add(at)));
    }
    values
}

/// Writes an element of each target.
///
/// # Safety
/// Each target must be valid for writes of more than `at` elements.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn store<L: Lane, const F: usize, const I: usize, const B: usize>(
    (floats, ints, bools): Values<L, F, I, B>,
    targets: Pointers<*mut L::Element, *mut i64, *mut bool, F, I, B>,
    at: usize,
) {
    // SAFETY: the caller guarantees it.
    unsafe {
        repeat!(k < F => *targets.0[k].add(at) = floats[k].store());
        repeat!(k < I => *targets.1[k].add(at) = ints[k].store());
        repeat!(k < B => *targets.2[k].add(at) = bools[k].store());
    }
}

/// The addresses of the elements of all operands.
#[cfg_attr(not(unoptimized), inline(always))]
fn read_all<E, const F: usize, const I: usize, const B: usize>(
    elements: &Elements<'_, E>,
    n: usize,
) -> Pointers<*const E, *const i64, *const bool, F, I, B> {
    (read(elements.floats, n), read(elements.ints, n), read(elements.bools, n))
}

/// The addresses of the elements of all results.
#[cfg_attr(not(unoptimized), inline(always))]
fn write_all<E, const F: usize, const I: usize, const B: usize>(
    results: &mut Results<'_, '_, E>,
    n: usize,
) -> Pointers<*mut E, *mut i64, *mut bool, F, I, B> {
    (write(results.floats, n), write(results.ints, n), write(results.bools, n))
}

/// The addresses of the first N slices. Panics if there are fewer, or if one has less than `len` elements.
#[inline(never)]
fn read<T, const N: usize>(slices: &[&[T]], len: usize) -> [*const T; N] {
    let mut pointers = [ptr::null(); N];
    repeat!(k < N => pointers[k] = slices[k][..len].as_ptr());
    pointers
}

/// The addresses of the first N slices. Panics if there are fewer, or if one has less than `len` elements.
#[inline(never)]
fn write<T, const N: usize>(slices: &mut [&mut [T]], len: usize) -> [*mut T; N] {
    let mut pointers = [ptr::null_mut(); N];
    repeat!(k < N => pointers[k] = slices[k][..len].as_mut_ptr());
    pointers
}

/// The address of each array.
#[inline(always)]
fn rows<T, const N: usize>(arrays: &mut [[T; STAGE]; N]) -> [*mut T; N] {
    let mut pointers = [ptr::null_mut(); N];
    repeat!(k < N => pointers[k] = arrays[k].as_mut_ptr());
    pointers
}

/// Copies the first `len` elements of each array to its slice, from `start` on.
#[inline(never)]
fn copy<T: Copy, const N: usize>(
    arrays: &[[T; STAGE]; N],
    slices: &mut [&mut [T]],
    start: usize,
    len: usize,
) {
    repeat!(k < N => {
        let to = &mut slices[k][start..start + len];
        // A copy whose size is known at compile time needs no function call.
        match <&mut [T; STAGE]>::try_from(&mut *to) {
            Ok(whole) => *whole = arrays[k],
            Err(_) => to.copy_from_slice(&arrays[k][..len]),
        }
    });
}

/// Number of pairs of `n` things.
const fn pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}
