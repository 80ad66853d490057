//! Buffers of one thread that are kept between tasks, so that a task neither allocates nor clears what it
//! works in.

use crate::kernel::stream::Lanes;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// Buffers that a thread keeps of one type: a loop in bands has up to a dozen at a time.
const KEPT: usize = 16;
/// Longer ones are freed. So a thread keeps at most 8 MB of a type of 8 bytes.
const LONGEST: usize = 1 << 16;

/// A type whose buffers are kept.
pub(crate) trait Recycled: Lanes {
    /// Those of this thread.
    fn spare() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;

    /// What a new buffer holds in a build with debug assertions, so that nobody takes it for zeros.
    const STALE: Self;

    /// Whether two values can't be told apart: not so zeros of different sign.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! recycled {
    ($($ty:ty: |$x:ident| $bits:expr, $stale:expr);*) => {$(
        impl Recycled for $ty {
            const STALE: $ty = $stale;

            fn spare() -> &'static LocalKey<RefCell<Vec<Vec<$ty>>>> {
                thread_local! {
                    static SPARE: RefCell<Vec<Vec<$ty>>> = const { RefCell::new(Vec::new()) };
                }
                &SPARE
            }
            fn is_same(self, other: $ty) -> bool {
                let bits = |$x: $ty| $bits;
                bits(self) == bits(other)
            }
        }
    )*};
}
recycled!(
    f32: |x| x.to_bits(), f32::NAN; f64: |x| x.to_bits(), f64::NAN; i64: |x| x, i64::MIN; bool: |x| x, true
);

/// Elements of any value.
#[derive(Debug)]
pub(crate) struct Buffer<T: Recycled> {
    elements: Vec<T>,
    len: usize,
}

impl<T: Recycled> Buffer<T> {
    /// Elements of any value. It stays where it is in memory when the buffer moves.
    pub(crate) fn new(len: usize) -> Buffer<T> {
        if len == 0 {
            return Buffer { elements: Vec::new(), len };
        }
        let kept = T::spare().try_with(|spare| {
            let mut spare = spare.borrow_mut();
            let fits = |at: &usize| spare[*at].len() >= len;
            let shortest = (0..spare.len()).filter(fits).min_by_key(|at| spare[*at].len());
            shortest.map(|at| spare.swap_remove(at))
        });
        let elements = kept.ok().flatten().unwrap_or_else(|| vec![T::default(); len]);
        let mut buffer = Buffer { elements, len };
        if cfg!(debug_assertions) {
            buffer.fill(T::STALE);
        }
        buffer
    }
}

impl<T: Recycled> Drop for Buffer<T> {
    fn drop(&mut self) {
        let elements = std::mem::take(&mut self.elements);
        if elements.is_empty() || elements.len() > LONGEST {
            return;
        }
        // At the end of a thread its buffers are gone, and so is the place for this one.
        let _ = T::spare().try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(elements);
            }
        });
    }
}

impl<T: Recycled> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.elements[..self.len]
    }
}

impl<T: Recycled> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_buffer_that_fits_comes_back() {
        let own = |len| Buffer::<f64>::new(len).as_ptr();
        let [short, long] = [100, 5000].map(Buffer::<f64>::new);
        let (at_short, at_long) = (short.as_ptr(), long.as_ptr());
        drop((short, long));
        assert_eq!(own(90), at_short);
        assert_eq!(own(200), at_long);
        assert_eq!(Buffer::<f64>::new(90).len(), 90);
        let many: Vec<Buffer<f64>> = (0..2 * KEPT).map(|_| Buffer::new(100)).collect();
        drop(many);
        assert_eq!(f64::spare().with_borrow(Vec::len), KEPT);
        f64::spare().with_borrow_mut(Vec::clear);
        drop(Buffer::<f64>::new(LONGEST + 1));
        assert!(f64::spare().with_borrow(Vec::is_empty));
        assert!(Buffer::<f64>::new(0).is_empty());
    }
}
