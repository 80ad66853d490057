//! Short rows, many of them in one block: a fold of each row, and one value of each row spread over it.
//!
//! A fold gives the bits that [`fold`](super::fold) gives for the row alone: it has the same lanes, and joins
//! them in the same order.

use super::fold::{Fold, LANES, lanes};
use super::multiversion::multiversion;

/// How rows lie in a block. The elements of a row are `inner` apart, and `inner` rows lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Elements of a row.
    pub len: usize,
    /// Rows that lie side by side.
    pub inner: usize,
}

impl Rows {
    /// Elements of the rows that lie side by side.
    pub fn span(self) -> usize {
        self.len * self.inner
    }
}

/// Rows of up to so many elements are computed side by side: a vector has one element of each of many rows.
/// Longer rows fill a vector of their own. LLVM would still gather and scatter elements of many rows: with
/// AVX-512 a row of 16 took 3 ns to sum and 4 to spread, and one by one it takes 1.8 and 0.4.
const SIDE_BY_SIDE: usize = 8;

/// Keeps LLVM from computing several turns of a loop over rows at once. Results don't depend on it.
#[inline(always)]
fn one_by_one() {
    std::hint::black_box(());
}

/// The first element of each row.
#[inline(always)]
fn places(rows: Rows) -> impl Iterator<Item = usize> {
    (0..).step_by(rows.span()).flat_map(move |group| group..group + rows.inner)
}

/// The functions of a fold: where lanes start, how an element joins one, how two lanes become one, and the
/// result.
struct Folding<E, A, S, J, F> {
    neutral: E,
    start: A,
    step: S,
    join: J,
    finish: F,
}

impl<E: Copy, A: Copy, S: Fn(A, E) -> A, J: Fn(A, A) -> A, F: Fn(A) -> E> Folding<E, A, S, J, F> {
    #[inline(always)]
    fn run(&self, values: &[E], rows: Rows, out: &mut [E]) {
        match (rows.len, rows.inner) {
            (2, 1) => self.few::<2>(values, out),
            (3, 1) => self.few::<3>(values, out),
            (4, 1) => self.few::<4>(values, out),
            (5, 1) => self.few::<5>(values, out),
            (6, 1) => self.few::<6>(values, out),
            (7, 1) => self.few::<7>(values, out),
            (8, 1) => self.few::<8>(values, out),
            (9..16, 1) => self.padded::<16>(values, rows.len, out),
            (16, 1) => self.few::<16>(values, out),
            (17..LANES, 1) => self.padded::<LANES>(values, rows.len, out),
            (LANES.., 1) => self.each(values, rows.len, out),
            (_, 1) => self.sides::<1>(values, rows, out),
            (_, 2) => self.sides::<2>(values, rows, out),
            (_, 3..=4) => self.sides::<4>(values, rows, out),
            (_, 5..=8) => self.sides::<8>(values, rows, out),
            _ => self.sides::<16>(values, rows, out),
        }
    }

    /// Rows of a few elements. The compiler folds the shortest ones side by side.
    #[inline(always)]
    fn few<const LEN: usize>(&self, values: &[E], out: &mut [E]) {
        for (row, out) in values.as_chunks::<LEN>().0.iter().zip(out) {
            if LEN > SIDE_BY_SIDE {
                one_by_one();
            }
            let mut lanes = [self.start; LEN];
            for k in 0..LEN {
                lanes[k] = (self.step)(lanes[k], row[k]);
            }
            let mut half = LEN.next_power_of_two() / 2;
            while half > 0 {
                for k in 0..half {
                    if k + half < LEN {
                        lanes[k] = (self.join)(lanes[k], lanes[k + half]);
                    }
                }
                half /= 2;
            }
            *out = (self.finish)(lanes[0]);
        }
    }

    /// Rows that fill some of the lanes. The others are read from the next row and replaced.
    #[inline(always)]
    fn padded<const WIDTH: usize>(&self, values: &[E], len: usize, out: &mut [E]) {
        let mut is_inside = [false; WIDTH];
        is_inside[..len].fill(true);
        for (start, out) in (0..).step_by(len).zip(out) {
            one_by_one();
            let row = padded::<E, WIDTH>(&values[start..], self.neutral);
            let mut lanes = [self.start; WIDTH];
            for k in 0..WIDTH {
                let value = if is_inside[k] { row[k] } else { self.neutral };
                lanes[k] = (self.step)(lanes[k], value);
            }
            let mut half = WIDTH / 2;
            while half > 0 {
                for k in 0..half {
                    lanes[k] = (self.join)(lanes[k], lanes[k + half]);
                }
                half /= 2;
            }
            *out = (self.finish)(lanes[0]);
        }
    }

    /// Rows that fill all lanes.
    #[inline(always)]
    fn each(&self, values: &[E], len: usize, out: &mut [E]) {
        for (row, out) in values.chunks_exact(len).zip(out) {
            *out = (self.finish)(lanes(row, self.neutral, self.start, &self.step, &self.join));
        }
    }

    /// Rows that lie side by side, some of them at once. If there are fewer, what lies behind them is folded
    /// too, and not used.
    #[inline(always)]
    fn sides<const SIDES: usize>(&self, values: &[E], Rows { len, inner }: Rows, out: &mut [E]) {
        let width = len.min(LANES);
        let mut lanes = [[self.start; SIDES]; LANES];
        for (group, out) in values.chunks_exact(len * inner).zip(out.chunks_exact_mut(inner)) {
            for first in (0..inner).step_by(SIDES) {
                let first = first.min(inner.saturating_sub(SIDES));
                lanes[..width].fill([self.start; SIDES]);
                for (k, place) in (first..).step_by(inner).take(len).enumerate() {
                    let row = padded::<E, SIDES>(&group[place..], self.neutral);
                    let lane = &mut lanes[k % LANES];
                    for side in 0..SIDES {
                        lane[side] = (self.step)(lane[side], row[side]);
                    }
                }
                let mut half = width.next_power_of_two() / 2;
                while half > 0 {
                    for k in 0..half.min(width - half) {
                        let later = lanes[k + half];
                        for side in 0..SIDES {
                            lanes[k][side] = (self.join)(lanes[k][side], later[side]);
                        }
                    }
                    half /= 2;
                }
                let out = out[first..].iter_mut().zip(&lanes[0]);
                out.for_each(|(out, lane)| *out = (self.finish)(*lane));
            }
        }
    }
}

/// The first values, with others behind them if there are too few.
#[inline(always)]
fn padded<E: Copy, const WIDTH: usize>(values: &[E], neutral: E) -> [E; WIDTH] {
    match values.first_chunk::<WIDTH>() {
        Some(values) => *values,
        None => {
            let mut padded = [neutral; WIDTH];
            padded[..values.len()].copy_from_slice(values);
            padded
        }
    }
}

/// Replaces the results of rows that have a NaN by their first NaN.
#[inline(always)]
fn with_nan<E: Fold>(values: &[E], rows: Rows, out: &mut [E]) {
    if !values.iter().fold(false, |any, value| any | value.is_nan()) {
        return;
    }
    for (place, out) in places(rows).zip(out) {
        let mut row = values[place..].iter().step_by(rows.inner).take(rows.len);
        *out = row.find(|value| value.is_nan()).copied().unwrap_or(*out);
    }
}

multiversion! {
    /// The sum of each row.
    pub fn sum<E: Fold>(values: &'a [E], rows: Rows, sums: &'b mut [E]) {
        let zero = E::narrow(E::ZERO);
        let folding = Folding { neutral: zero, start: zero, step: E::add, join: E::add, finish: |sum| sum };
        folding.run(values, rows, sums);
    }

    /// The product of each row.
    pub fn prod<E: Fold>(values: &'a [E], rows: Rows, products: &'b mut [E]) {
        let step = |product, value: E| E::mul_wide(product, value.widen());
        let (neutral, start) = (E::narrow(E::ONE), E::ONE);
        Folding { neutral, start, step, join: E::mul_wide, finish: E::narrow }.run(values, rows, products);
    }

    /// The largest element of each row; NaN if any of them is NaN.
    pub fn max<E: Fold>(values: &'a [E], rows: Rows, largest: &'b mut [E]) {
        let (start, step) = (E::LOWEST, E::larger);
        Folding { neutral: start, start, step, join: step, finish: |max| max }.run(values, rows, largest);
        with_nan(values, rows, largest);
    }

    /// The smallest element of each row; NaN if any of them is NaN.
    pub fn min<E: Fold>(values: &'a [E], rows: Rows, smallest: &'b mut [E]) {
        let (start, step) = (E::HIGHEST, E::smaller);
        Folding { neutral: start, start, step, join: step, finish: |min| min }.run(values, rows, smallest);
        with_nan(values, rows, smallest);
    }

    /// One value of each row, at each element of the row.
    pub fn spread<T: Copy>(values: &'a [T], rows: Rows, out: &'b mut [T]) {
        match (rows.len, rows.inner) {
            (2, 1) => spread_few::<T, 2>(values, out),
            (3, 1) => spread_few::<T, 3>(values, out),
            (4, 1) => spread_few::<T, 4>(values, out),
            (5, 1) => spread_few::<T, 5>(values, out),
            (6, 1) => spread_few::<T, 6>(values, out),
            (7, 1) => spread_few::<T, 7>(values, out),
            (8, 1) => spread_few::<T, 8>(values, out),
            (16, 1) => spread_few::<T, 16>(values, out),
            (32, 1) => spread_few::<T, 32>(values, out),
            (64, 1) => spread_few::<T, 64>(values, out),
            (128, 1) => spread_few::<T, 128>(values, out),
            (9..16, 1) => spread_padded::<T, 16>(values, rows.len, out),
            (17..32, 1) => spread_padded::<T, 32>(values, rows.len, out),
            (len, 1) => out.chunks_exact_mut(len).zip(values).for_each(|(row, value)| row.fill(*value)),
            (_, inner) => {
                let groups = out.chunks_exact_mut(rows.span()).zip(values.chunks_exact(inner));
                for (group, values) in groups {
                    for side in group.chunks_exact_mut(inner) {
                        side.iter_mut().zip(values).for_each(|(to, value)| *to = *value);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn spread_few<T: Copy, const LEN: usize>(values: &[T], out: &mut [T]) {
    for (row, value) in out.as_chunks_mut::<LEN>().0.iter_mut().zip(values) {
        if LEN > SIDE_BY_SIDE {
            one_by_one();
        }
        *row = [*value; LEN];
    }
}

/// As [`spread_few`], for rows of at most `WIDTH` elements: what is written behind a row is overwritten by
/// the next one.
#[inline(always)]
fn spread_padded<T: Copy, const WIDTH: usize>(values: &[T], len: usize, out: &mut [T]) {
    for (start, value) in (0..out.len()).step_by(len).zip(values) {
        one_by_one();
        match out[start..].first_chunk_mut::<WIDTH>() {
            Some(row) => *row = [*value; WIDTH],
            None => out[start..][..len].fill(*value),
        }
    }
}

/// The first place of the best element of each row: one that replaces all before it.
pub fn best<E: Fold>(values: &[E], rows: Rows, replaces: impl Fn(E, E) -> bool, out: &mut [i64]) {
    for (place, out) in places(rows).zip(out) {
        let (mut best, mut index) = (values[place], 0);
        for (at, value) in (0..).zip(values[place..].iter().step_by(rows.inner).take(rows.len)) {
            if replaces(*value, best) {
                (best, index) = (*value, at);
            }
        }
        *out = index;
    }
}

/// Folds the flags of each row by `and` or `or`.
pub fn flags(values: &[bool], rows: Rows, is_any: bool, out: &mut [bool]) {
    for (place, out) in places(rows).zip(out) {
        let mut row = values[place..].iter().step_by(rows.inner).take(rows.len);
        *out = if is_any { row.any(|flag| *flag) } else { row.all(|flag| *flag) };
    }
}
