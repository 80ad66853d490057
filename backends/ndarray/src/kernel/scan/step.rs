//! What a scan does with each element.

/// One step of a scan. A fold takes the second operand alone.
pub(super) trait Step<E>: Copy + Send + Sync {
    /// The result at an element, from the result before it.
    fn next(self, y: E, a: E, b: E) -> E;
    /// The product of the factors of a piece, with one more.
    fn times(self, factors: E, a: E) -> E;
    /// The result behind a piece, from the result before it, the product of the factors of the piece, and
    /// what the piece gives alone.
    fn behind(self, y: E, factors: E, own: E) -> E;
}

/// A reduction of what came so far.
#[derive(Clone, Copy)]
pub(super) struct Fold<F>(pub(super) F);

impl<E: Copy, F: Fn(E, E) -> E + Copy + Send + Sync> Step<E> for Fold<F> {
    #[inline(always)]
    fn next(self, y: E, _: E, b: E) -> E {
        (self.0)(y, b)
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

/// `y = a * y + b`.
#[derive(Clone, Copy)]
pub(super) struct Linear;

macro_rules! linear {
    ($($ty:ty)*) => {$(
        impl Step<$ty> for Linear {
            #[inline(always)]
            fn next(self, y: $ty, a: $ty, b: $ty) -> $ty {
                a * y + b
            }
            #[inline(always)]
            fn times(self, factors: $ty, a: $ty) -> $ty {
                factors * a
            }
            #[inline(always)]
            fn behind(self, y: $ty, factors: $ty, own: $ty) -> $ty {
                factors * y + own
            }
        }
    )*};
}
linear!(f32 f64);
