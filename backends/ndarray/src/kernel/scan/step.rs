//! What a scan does with each element.

/// Neighbours whose total is taken at once.
pub(super) const BLOCK: usize = 16;

/// One step of a scan. A fold takes the second operand alone.
pub(crate) trait Step<E>: Copy + Send + Sync {
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
    /// Scans as many elements as it can in vectors: how many, and the result so far. If `REVERSED`, it starts
    /// at the last one.
    #[inline(always)]
    fn in_vectors<const REVERSED: bool>(
        self,
        before: Option<Self::State>,
        _from: &[E],
        _to: &mut [E],
    ) -> (usize, Option<Self::State>) {
        (0, before)
    }
    /// What some neighbours give alone, if it is known without a step for each.
    #[inline(always)]
    fn total(self, _b: [E; BLOCK]) -> Option<Self::State> {
        None
    }
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
