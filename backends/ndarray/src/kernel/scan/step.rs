//! What a scan does with each element, or with some neighbours at once.

/// Neighbours that are combined in vectors.
pub(super) const BLOCK: usize = 16;

/// One step of a scan. A fold takes the second operand alone.
pub(super) trait Step<E>: Copy + Send + Sync {
    /// Whether a long row may be cut into pieces, whose results [`Step::behind`] puts together.
    const GROUPS: bool = true;
    /// The result so far, as it is carried from element to element.
    type State: Copy + Send + Sync;
    /// The result at the first element.
    fn first(self, b: E) -> Self::State;
    /// The result at an element, from the result before it.
    fn next(self, y: Self::State, a: E, b: E) -> Self::State;
    /// The result as it is stored.
    fn stored(self, y: Self::State) -> E;
    /// The product of the factors of a piece, with one more.
    fn times(self, factors: E, a: E) -> E;
    /// The result behind a piece, from the result before it, the product of the factors of the piece, and
    /// what the piece gives alone.
    fn behind(self, y: Self::State, factors: E, own: Self::State) -> Self::State;
    /// The results at neighbours, from the result before them if there is one. `None` if elements are taken
    /// one by one.
    #[inline(always)]
    fn block(self, _before: Option<Self::State>, _b: [E; BLOCK]) -> Option<[Self::State; BLOCK]> {
        None
    }
    /// The last of these results, without one before them.
    #[inline(always)]
    fn total(self, _b: [E; BLOCK]) -> Option<Self::State> {
        None
    }
}

/// Each combined with all before it, in steps of 1, 2, 4 and 8, which are vector code (Hillis and Steele,
/// Data Parallel Algorithms, 1986).
#[inline(always)]
fn prefixes<T: Copy>(mut x: [T; BLOCK], before: Option<T>, both: impl Fn(T, T) -> T) -> [T; BLOCK] {
    for step in [1, 2, 4, 8] {
        let from = x;
        for at in step..BLOCK {
            x[at] = both(from[at - step], from[at]);
        }
    }
    if let Some(y) = before {
        for own in &mut x {
            *own = both(y, *own);
        }
    }
    x
}

/// All of them, neighbours first.
#[inline(always)]
fn all<T: Copy>(mut x: [T; BLOCK], both: impl Fn(T, T) -> T) -> T {
    for count in [8, 4, 2, 1] {
        for at in 0..count {
            x[at] = both(x[2 * at], x[2 * at + 1]);
        }
    }
    x[0]
}

/// A reduction of what came so far.
#[derive(Clone, Copy)]
pub(super) struct Fold<F>(pub(super) F);

impl<E: Copy + Send + Sync, F: Fn(E, E) -> E + Copy + Send + Sync> Step<E> for Fold<F> {
    type State = E;
    #[inline(always)]
    fn first(self, b: E) -> E {
        b
    }
    #[inline(always)]
    fn next(self, y: E, _: E, b: E) -> E {
        (self.0)(y, b)
    }
    #[inline(always)]
    fn stored(self, y: E) -> E {
        y
    }
    #[inline(always)]
    fn times(self, factors: E, _: E) -> E {
        factors
    }
    #[inline(always)]
    fn behind(self, y: E, _: E, own: E) -> E {
        (self.0)(y, own)
    }
    #[inline(always)]
    fn block(self, before: Option<E>, b: [E; BLOCK]) -> Option<[E; BLOCK]> {
        Some(prefixes(b, before, self.0))
    }
    #[inline(always)]
    fn total(self, b: [E; BLOCK]) -> Option<E> {
        Some(all(b, self.0))
    }
}

/// The sum so far of f32, carried as f64: each element is rounded once, however long the row is.
#[derive(Clone, Copy)]
pub(super) struct Sum;

impl Step<f32> for Sum {
    type State = f64;
    #[inline(always)]
    fn first(self, b: f32) -> f64 {
        f64::from(b)
    }
    #[inline(always)]
    fn next(self, y: f64, _: f32, b: f32) -> f64 {
        y + f64::from(b)
    }
    #[inline(always)]
    fn stored(self, y: f64) -> f32 {
        y as f32
    }
    #[inline(always)]
    fn times(self, factors: f32, _: f32) -> f32 {
        factors
    }
    #[inline(always)]
    fn behind(self, y: f64, _: f32, own: f64) -> f64 {
        y + own
    }
    #[inline(always)]
    fn block(self, before: Option<f64>, b: [f32; BLOCK]) -> Option<[f64; BLOCK]> {
        Some(prefixes(b.map(f64::from), before, |y, x| y + x))
    }
    #[inline(always)]
    fn total(self, b: [f32; BLOCK]) -> Option<f64> {
        Some(all(b.map(f64::from), |y, x| y + x))
    }
}

/// The product of floats, one by one: that of some neighbours may overflow although no result does.
#[derive(Clone, Copy)]
pub(super) struct Product;

macro_rules! product {
    ($($ty:ty)*) => {$(
        impl Step<$ty> for Product {
            const GROUPS: bool = false;
            type State = $ty;
            #[inline(always)]
            fn first(self, b: $ty) -> $ty {
                b
            }
            #[inline(always)]
            fn next(self, y: $ty, _: $ty, b: $ty) -> $ty {
                y * b
            }
            #[inline(always)]
            fn stored(self, y: $ty) -> $ty {
                y
            }
            #[inline(always)]
            fn times(self, factors: $ty, _: $ty) -> $ty {
                factors
            }
            #[inline(always)]
            fn behind(self, y: $ty, _: $ty, own: $ty) -> $ty {
                y * own
            }
        }
    )*};
}
product!(f32 f64);

/// `y = a * y + b`.
#[derive(Clone, Copy)]
pub(super) struct Linear;

macro_rules! linear {
    ($($ty:ty)*) => {$(
        impl Step<$ty> for Linear {
            type State = $ty;
            #[inline(always)]
            fn first(self, b: $ty) -> $ty {
                b
            }
            #[inline(always)]
            fn next(self, y: $ty, a: $ty, b: $ty) -> $ty {
                a * y + b
            }
            #[inline(always)]
            fn stored(self, y: $ty) -> $ty {
                y
            }
            #[inline(always)]
            fn times(self, factors: $ty, a: $ty) -> $ty {
                factors * a
            }
            #[inline(always)]
            fn behind(self, y: $ty, factors: $ty, own: $ty) -> $ty {
                // The product of many factors may overflow although each result is finite.
                if y == 0.0 && !factors.is_nan() { own } else { factors * y + own }
            }
        }
    )*};
}
linear!(f32 f64);
