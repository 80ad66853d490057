//! Folds over few rows that are read once for each column, such as those of a window over an image. Results
//! stay in registers until all rows are folded.

use super::fold::Fold;
use super::multiversion::multiversion;
use std::array::from_fn;
use std::ops::{Mul, Range};

/// The most columns that are folded at once.
const TILE: usize = 16;
/// Sums that [`dots`] keeps for each row.
pub(crate) const SUMS: usize = TILE;

/// One operand of a row: elements beside each other.
#[derive(Clone, Debug)]
pub(crate) struct Tap<E> {
    from: *const E,
    inside: Range<usize>,
}

/// The operands of some rows.
pub(crate) struct Rows<'t, E, const OPERANDS: usize> {
    pub(crate) taps: &'t [[Tap<E>; OPERANDS]],
    /// A number for each row, by which [`scaled`] multiplies.
    pub(crate) factors: &'t [E],
    /// What each operand is in columns that are not inside.
    pub(crate) outside: [E; OPERANDS],
    /// Whether columns in which the first operand is not inside are left out of the fold.
    pub(crate) leaves_out: bool,
    /// Whether sums are kept in the type of the elements, and not in a wide one.
    pub(crate) is_narrow: bool,
}

/// A float that can be folded as a product.
pub(crate) trait Multiplied: Fold + Mul<Output = Self> {}

impl Multiplied for f32 {}
impl Multiplied for f64 {}

impl<E: Copy> Tap<E> {
    /// A row whose first column is at this address, whether it is inside or not.
    ///
    /// # Safety
    /// The columns inside are elements, as long as this value is used.
    pub(crate) unsafe fn new(from: *const E, inside: Range<usize>) -> Tap<E> {
        Tap { from, inside }
    }

    /// The elements of a tile that begins at this column. All of its columns are inside.
    #[inline(always)]
    fn tile<const TILE: usize>(&self, first: usize) -> &[E; TILE] {
        debug_assert!(self.inside.start <= first && first + TILE <= self.inside.end, "a column is outside");
        // SAFETY: these columns are inside, and `new` promises that they are elements.
        unsafe { &*self.from.wrapping_add(first).cast() }
    }

    /// The element at a column.
    #[inline(always)]
    fn one(&self, column: usize, outside: E) -> E {
        // SAFETY: as for a tile.
        if self.has(column) { unsafe { *self.from.wrapping_add(column) } } else { outside }
    }

    #[inline(always)]
    fn has(&self, column: usize) -> bool {
        self.inside.start <= column && column < self.inside.end
    }

    /// The elements of these columns, all of which are inside.
    #[inline(always)]
    fn part(&self, columns: Range<usize>) -> &[E] {
        if columns.is_empty() {
            return &[];
        }
        debug_assert!(self.inside.start <= columns.start && columns.end <= self.inside.end);
        // SAFETY: as for a tile.
        unsafe { std::slice::from_raw_parts(self.from.wrapping_add(columns.start), columns.len()) }
    }
}

impl<E: Copy, const OPERANDS: usize> Rows<'_, E, OPERANDS> {
    /// Folds rows: in tiles where all of them are inside, and elsewhere column by column. `fold` takes three
    /// operands; if there are fewer, the last one stands for those that are missing.
    #[inline(always)]
    fn each<A: Copy>(
        &self,
        start: A,
        fold: impl Fn(A, [E; 3], E) -> A,
        finish: impl Fn(A) -> E,
        to: &mut [E],
    ) {
        let end = to.len();
        let inside =
            |all: Range<usize>, tap: &Tap<E>| all.start.max(tap.inside.start)..all.end.min(tap.inside.end);
        let whole = self.taps.iter().flatten().fold(0..end, inside);
        let whole = if whole.is_empty() { end..end } else { whole };
        for column in (0..whole.start).chain(whole.end..end) {
            let step = |own, (row, taps): (usize, &[Tap<E>; OPERANDS])| {
                if self.leaves_out && !taps[0].has(column) {
                    return own;
                }
                let value =
                    |at: usize| taps[at.min(OPERANDS - 1)].one(column, self.outside[at.min(OPERANDS - 1)]);
                fold(own, [value(0), value(1), value(2)], self.factors[row])
            };
            to[column] = finish(self.taps.iter().enumerate().fold(start, step));
        }
        let to = &mut to[whole.clone()];
        match to.len() {
            0 => {}
            TILE.. => self.tiles::<A, TILE>(start, fold, finish, whole.start, to),
            8.. => self.tiles::<A, 8>(start, fold, finish, whole.start, to),
            4.. => self.tiles::<A, 4>(start, fold, finish, whole.start, to),
            _ => self.tiles::<A, 1>(start, fold, finish, whole.start, to),
        }
    }

    /// Folds rows at columns from `first` on, which are at least a tile and are all inside.
    #[inline(always)]
    fn tiles<A: Copy, const TILE: usize>(
        &self,
        start: A,
        fold: impl Fn(A, [E; 3], E) -> A,
        finish: impl Fn(A) -> E,
        first: usize,
        to: &mut [E],
    ) {
        let mut at = 0;
        while at < to.len() {
            // The last tile goes over columns of the one before, so that it is whole.
            let place = at.min(to.len() - TILE);
            let mut own = [start; TILE];
            for (taps, factor) in self.taps.iter().zip(self.factors) {
                // Of an array of operands that is read by index, LLVM makes no vectors.
                let of = |at: usize| *taps[at.min(OPERANDS - 1)].tile::<TILE>(first + place);
                let (x, y, z) = (of(0), of(1), of(2));
                for k in 0..TILE {
                    own[k] = fold(own[k], [x[k], y[k], z[k]], *factor);
                }
            }
            let finished: [E; TILE] = from_fn(|k| finish(own[k]));
            to[place..place + TILE].copy_from_slice(&finished);
            at = place + TILE;
        }
    }
}

impl<E: Multiplied> Rows<'_, E, 2> {
    /// Adds the products of the operands of a row to sums.
    #[inline(always)]
    fn dot(&self, [a, b]: &[Tap<E>; 2], columns: usize, sums: &mut [E; SUMS]) {
        let start = a.inside.start.max(b.inside.start).min(columns);
        let end = a.inside.end.min(b.inside.end).max(start);
        let mut own = *sums;
        // An index that is not known would keep all sums out of registers.
        for column in (0..start).chain(end..columns) {
            own[0] = E::add(own[0], a.one(column, self.outside[0]) * b.one(column, self.outside[1]));
        }
        let (a, more_a) = a.part(start..end).as_chunks::<SUMS>();
        let (b, more_b) = b.part(start..end).as_chunks::<SUMS>();
        for (a, b) in a.iter().zip(b) {
            add_products(&mut own, a, b);
        }
        let (a, last_a) = more_a.as_chunks::<4>();
        let (b, last_b) = more_b.as_chunks::<4>();
        for (a, b) in a.iter().zip(b) {
            add_products(&mut own[..4], a, b);
        }
        add_products(&mut own[4..8], last_a, last_b);
        *sums = own;
    }
}

#[inline(always)]
fn add_products<E: Multiplied>(sums: &mut [E], a: &[E], b: &[E]) {
    for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
        *sum = E::add(*sum, *a * *b);
    }
}

impl<E: Fold, const OPERANDS: usize> Rows<'_, E, OPERANDS> {
    /// Adds up what a function gives for the operands and the factor of each row.
    #[inline(always)]
    fn sum(&self, value: impl Fn([E; 3], E) -> E, to: &mut [E]) {
        if self.is_narrow {
            let zero = E::narrow(E::ZERO);
            self.each(zero, |sum, operands, factor| E::add(sum, value(operands, factor)), |sum| sum, to);
        } else {
            let plus = |sum, operands, factor| E::add_wide(sum, value(operands, factor).widen());
            self.each(E::ZERO, plus, E::narrow, to);
        }
    }
}

/// 1 if two numbers are equal, or else 0.
#[inline(always)]
fn equality<E: Fold>(a: E, b: E) -> E {
    E::narrow(if a == b { E::ONE } else { E::ZERO })
}

multiversion! {
    /// Sums.
    pub(crate) fn sums<E: Fold>(rows: Rows<'a, E, 1>, to: &'b mut [E]) {
        rows.sum(|[x, ..], _| x, to);
    }

    /// Sums of products.
    pub(crate) fn products<E: Multiplied>(rows: Rows<'a, E, 2>, to: &'b mut [E]) {
        rows.sum(|[a, b, _], _| a * b, to);
    }

    /// Sums of elements times the factor of their row.
    pub(crate) fn scaled<E: Multiplied>(rows: Rows<'a, E, 1>, to: &'b mut [E]) {
        rows.sum(|[x, ..], factor| x * factor, to);
    }

    /// How many pairs are equal.
    pub(crate) fn equals<E: Fold>(rows: Rows<'a, E, 2>, to: &'b mut [E]) {
        rows.sum(|[a, b, _], _| equality(a, b), to);
    }

    /// Sums of elements, times 1 if two others are equal, or else times 0.
    pub(crate) fn chosen<E: Multiplied>(rows: Rows<'a, E, 3>, to: &'b mut [E]) {
        rows.sum(|[x, a, b], _| x * equality(a, b), to);
    }

    /// Adds the products of the operands of each row, in so many columns, to the sums of the row.
    pub(crate) fn dots<E: Multiplied>(rows: Rows<'a, E, 2>, columns: usize, to: &'b mut [[E; SUMS]]) {
        for (taps, sums) in rows.taps.iter().zip(to) {
            rows.dot(taps, columns, sums);
        }
    }

    /// The largest elements; NaN if any is NaN.
    pub(crate) fn largest<E: Fold>(rows: Rows<'a, E, 1>, to: &'b mut [E]) {
        rows.each(E::LOWEST, |largest: E, [x, ..], _| largest.maximum(x), |largest| largest, to);
    }

    /// The smallest elements; NaN if any is NaN.
    pub(crate) fn smallest<E: Fold>(rows: Rows<'a, E, 1>, to: &'b mut [E]) {
        rows.each(E::HIGHEST, |smallest: E, [x, ..], _| smallest.minimum(x), |smallest| smallest, to);
    }
}
