//! Reductions of a block to one value.
//!
//! The order of operations depends on the length alone. So a result depends neither on the threads nor on the
//! instruction set. A block is summed in several lanes of the element's own type. The sums of blocks are then
//! added in [`Fold::Wide`].

use super::multiversion::multiversion;
use std::fmt::Debug;

/// An element that folds: f32, f64 or i64.
pub trait Fold: Copy + Debug + PartialOrd + Send + Sync + 'static {
    /// The type of sums and products across blocks: f64 for floats, i64 (wrapping around) for ints.
    type Wide: Copy + Debug + Send + Sync + 'static;
    /// Sum over no elements.
    const ZERO: Self::Wide;
    /// Product over no elements.
    const ONE: Self::Wide;
    /// Start of a maximum: no value is below it.
    const LOWEST: Self;
    /// Start of a minimum: no value is above it.
    const HIGHEST: Self;

    /// Converts the element to the wide type.
    fn widen(self) -> Self::Wide;
    /// Rounds to the element's type.
    fn narrow(wide: Self::Wide) -> Self;
    /// Sum in the wide type.
    fn add_wide(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Product in the wide type.
    fn mul_wide(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Sum in the element's type.
    fn add(a: Self, b: Self) -> Self;
    /// Whether the element is NaN.
    fn is_nan(self) -> bool;

    /// The larger of two elements; the second one if either is NaN.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    /// The smaller of two elements; the second one if either is NaN.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    /// The larger of two elements; NaN if either is NaN.
    #[inline(always)]
    fn maximum(self, other: Self) -> Self {
        if (other > self) | other.is_nan() { other } else { self }
    }
    /// The smaller of two elements; NaN if either is NaN.
    #[inline(always)]
    fn minimum(self, other: Self) -> Self {
        if (other < self) | other.is_nan() { other } else { self }
    }
    /// Whether this element replaces the earlier `best` as the largest one. NaN counts as the largest.
    #[inline(always)]
    fn is_above(self, best: Self) -> bool {
        (self > best) | (self.is_nan() & !best.is_nan())
    }
    /// Whether this element replaces the earlier `best` as the smallest one. NaN counts as the smallest.
    #[inline(always)]
    fn is_below(self, best: Self) -> bool {
        (self < best) | (self.is_nan() & !best.is_nan())
    }
}

/// Number of accumulators of a block: two AVX-512 registers of f32, or four of AVX2.
pub const LANES: usize = 32;

/// Folds a block into [`LANES`] accumulators, and then folds these by halves. The last chunk is padded with
/// `neutral`.
#[inline(always)]
pub(super) fn lanes<E: Copy, A: Copy>(
    values: &[E],
    neutral: E,
    start: A,
    step: impl Fn(A, E) -> A,
    join: impl Fn(A, A) -> A,
) -> A {
    // The accumulators are only accessed by constant indices, so that they stay in registers.
    let mut lanes = [start; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for k in 0..LANES {
            lanes[k] = step(lanes[k], chunk[k]);
        }
    }
    if !rest.is_empty() {
        let mut last = [neutral; LANES];
        last[..rest.len()].copy_from_slice(rest);
        for k in 0..LANES {
            lanes[k] = step(lanes[k], last[k]);
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for k in 0..half {
            lanes[k] = join(lanes[k], lanes[k + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// A NaN of the block, if there is one.
#[inline(always)]
fn nan<E: Fold>(values: &[E]) -> Option<E> {
    let any = values.iter().fold(false, |any, value| any | value.is_nan());
    if any { values.iter().copied().find(|value| value.is_nan()) } else { None }
}

multiversion! {
    /// The sum of a block.
    pub fn sum<E: Fold>(values: &'a [E]) -> E::Wide {
        let zero = E::narrow(E::ZERO);
        lanes(values, zero, zero, E::add, E::add).widen()
    }

    /// The product of a block.
    pub fn prod<E: Fold>(values: &'a [E]) -> E::Wide {
        let multiply = |product, value: E| E::mul_wide(product, value.widen());
        lanes(values, E::narrow(E::ONE), E::ONE, multiply, E::mul_wide)
    }

    /// The largest element of a block and `start` (at first [`Fold::LOWEST`]); NaN if any of them is NaN.
    pub fn max<E: Fold>(values: &'a [E], start: E) -> E {
        let largest = lanes(values, E::LOWEST, E::LOWEST, E::larger, E::larger);
        nan(values).unwrap_or(largest).maximum(start)
    }

    /// The smallest element of a block and `start` (at first [`Fold::HIGHEST`]); NaN if any of them is NaN.
    pub fn min<E: Fold>(values: &'a [E], start: E) -> E {
        let smallest = lanes(values, E::HIGHEST, E::HIGHEST, E::smaller, E::smaller);
        nan(values).unwrap_or(smallest).minimum(start)
    }

    /// Whether any element of a block is true.
    pub fn any(values: &'a [bool]) -> bool {
        values.iter().fold(false, |any, value| any | value)
    }

    /// Whether all elements of a block are true.
    pub fn all(values: &'a [bool]) -> bool {
        values.iter().fold(true, |all, value| all & value)
    }
}

/// A value and its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best<E> {
    /// The largest or smallest value.
    pub value: E,
    /// The first position of that value.
    pub index: i64,
}

/// The first largest element of `before` and a block whose first element has position `offset`. NaN counts as
/// the largest.
pub fn argmax<E: Fold>(values: &[E], offset: i64, before: Option<Best<E>>) -> Option<Best<E>> {
    let here = max(values, E::LOWEST);
    first(values, offset, here, before, before.is_none_or(|best| here.is_above(best.value)))
}

/// The first smallest element of `before` and a block whose first element has position `offset`. NaN counts
/// as the smallest.
pub fn argmin<E: Fold>(values: &[E], offset: i64, before: Option<Best<E>>) -> Option<Best<E>> {
    let here = min(values, E::HIGHEST);
    first(values, offset, here, before, before.is_none_or(|best| here.is_below(best.value)))
}

/// The first element of the block that equals its extremum, if it replaces `before`.
fn first<E: Fold>(
    values: &[E],
    offset: i64,
    extreme: E,
    before: Option<Best<E>>,
    replaces: bool,
) -> Option<Best<E>> {
    let found = if replaces { position(values, extreme) } else { None };
    found.map(|at| Best { value: values[at], index: offset + at as i64 }).or(before)
}

multiversion! {
    /// The position of the first element that equals `wanted`. If `wanted` is NaN, any NaN counts as equal.
    fn position<E: Fold>(values: &'a [E], wanted: E) -> Option<usize> {
        let hits = |value: &E| (*value == wanted) | (value.is_nan() & wanted.is_nan());
        // Searches whole chunks without a branch inside, and then the chunk that has the element.
        let chunk = values.chunks(LANES).position(|chunk| chunk.iter().fold(false, |any, value| any | hits(value)))?;
        let start = chunk * LANES;
        values[start..].iter().position(hits).map(|at| start + at)
    }
}

macro_rules! float {
    ($t:ident) => {
        impl Fold for $t {
            type Wide = f64;
            const ZERO: f64 = 0.0;
            const ONE: f64 = 1.0;
            const LOWEST: $t = $t::NEG_INFINITY;
            const HIGHEST: $t = $t::INFINITY;

            #[inline(always)]
            fn widen(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn narrow(wide: f64) -> $t {
                wide as $t
            }
            #[inline(always)]
            fn add_wide(a: f64, b: f64) -> f64 {
                a + b
            }
            #[inline(always)]
            fn mul_wide(a: f64, b: f64) -> f64 {
                a * b
            }
            #[inline(always)]
            fn add(a: $t, b: $t) -> $t {
                a + b
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    };
}

float!(f32);
float!(f64);

impl Fold for i64 {
    type Wide = i64;
    const ZERO: i64 = 0;
    const ONE: i64 = 1;
    const LOWEST: i64 = i64::MIN;
    const HIGHEST: i64 = i64::MAX;

    #[inline(always)]
    fn widen(self) -> i64 {
        self
    }
    #[inline(always)]
    fn narrow(wide: i64) -> i64 {
        wide
    }
    #[inline(always)]
    fn add_wide(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn mul_wide(a: i64, b: i64) -> i64 {
        a.wrapping_mul(b)
    }
    #[inline(always)]
    fn add(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
}
